// A process's arguments, streams, signals and exit codes, tested in a separate process.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { startCommand } from "../../../src/platform/process/process.ts";

const PROBE = fileURLToPath(new URL("process_probe.ts", import.meta.url));

function probe(args: string[], options: Partial<Deno.CommandOptions> = {}): Deno.Command {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--no-prompt", "--allow-env", "--allow-read", PROBE, ...args],
    stdout: "piped",
    stderr: "piped",
    ...options,
  });
}

Deno.test("createHost() provides arguments, folder, environment, streams and exit code", async () => {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  const output = await probe(["describe", "--x", "ä"], { cwd: folder, env: { REGFEED_PROBE: "1" } }).output();
  await Deno.remove(folder);
  assert.equal(output.code, 3);
  assert.equal(new TextDecoder().decode(output.stderr), "to stderr");
  assert.deepEqual(JSON.parse(new TextDecoder().decode(output.stdout)), {
    args: ["describe", "--x", "ä"],
    cwd: folder,
    set: "1",
    unset: null,
    isTerminal: false,
    isErrTerminal: false,
    columns: 80,
  });
});

Deno.test("stopSignal() resolves with the first signal; the same signal again ends the process", async () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    await using child = probe(["wait"]).spawn();
    const errors = child.stderr.cancel();
    const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
    assert.equal((await lines.read()).value, "ready\n");
    child.kill(signal);
    assert.equal((await lines.read()).value, `${signal}\n`);
    child.kill(signal);
    assert.equal((await child.status).signal, signal);
    await lines.cancel();
    await errors;
  }
});

Deno.test("out() ends the process if stdout is closed", async () => {
  const child = probe(["pour"]).spawn();
  const reader = child.stdout.getReader();
  await reader.read();
  await reader.cancel();
  const output = await child.stderr.pipeThrough(new TextDecoderStream()).getReader().read();
  assert.equal(output.value, undefined);
  assert.equal((await child.status).code, 141);
});

Deno.test("startCommand() names the task in the folder of the source, and otherwise the executable", () => {
  assert.equal(startCommand(null, "/srv"), "regfeed");
  assert.equal(startCommand("/opt/regfeed/main.ts", "/opt/regfeed"), "deno task regfeed");
  assert.equal(startCommand("/opt/my regfeed/main.ts", "/srv"), "regfeed");
});
