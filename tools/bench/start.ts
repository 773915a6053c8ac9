// The rows of the executable: its size, its memory when idle, and the time from its start to its first response.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compare } from "./measure.ts";
import { residentMegabytes } from "./processes.ts";
import { type Bench, sides, spread } from "./row.ts";

const EXECUTABLE = fileURLToPath(new URL("../../dist/regfeed", import.meta.url));
const HELLO = fileURLToPath(new URL("companions/hello.ts", import.meta.url));
/** Time limit for the first response of an executable, ms. */
const PATIENCE_MS = 30_000;
/** Pause between two attempts to connect, ms. Each attempt takes CPU time from the starting program. */
const LOOK_MS = 5;
/** How long the executable is idle before its memory is measured, ms. */
const IDLE_MS = 10_000;

/**
 * Compares the start of Regfeed's executable with the start of the hello-world executable, and measures the size and
 * the idle memory of Regfeed's. If either executable is missing or cannot be built, prints why and measures nothing.
 */
export async function measureStart({ folder, settings, tell, add }: Bench): Promise<void> {
  const place = join(folder, "start");
  await Deno.mkdir(place);
  const hello = join(place, "hello");
  const problem = await missing(hello);
  if (problem !== null) {
    console.error(`start: ${problem}`);
    return;
  }
  const port = freePort();
  const config = join(place, "regfeed.toml");
  await Deno.writeTextFile(config, `[server]\nlisten = "127.0.0.1:${port}"\n[store]\npath = "regfeed.db"\n`);
  const address = `http://127.0.0.1:${port}`;
  const serve = ["serve", "--config", config];
  // The first start is not measured, because only that one creates the database.
  await timeStart(EXECUTABLE, serve, `${address}/readyz`);
  tell("starting and ending");
  const compared = await compare(
    settings.rounds,
    () => timeStart(EXECUTABLE, serve, `${address}/v1/topics`),
    () => timeStart(hello, [String(port)], address),
  );
  add({
    work: "executable: time from start to first response",
    ...sides(compared, " ms", "a compiled hello-world server"),
    target: { atMost: 2.5 },
    notes: [spread(compared)],
  });
  tell("idle");
  const idle = await whileRunning(EXECUTABLE, serve, async (pid) => {
    await responds(EXECUTABLE, `${address}/readyz`);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    return await residentMegabytes(pid);
  });
  const { size } = await Deno.stat(EXECUTABLE);
  for (
    const [work, value, atMost] of [["resident memory, idle", idle, 120], ["size", size / 1e6, 110]] as const
  ) {
    add({
      work: `executable: ${work}`,
      ours: { value, unit: " MB" },
      theirs: null,
      figure: value,
      target: { atMost },
      notes: [],
    });
  }
}

/** Compiles the hello-world executable. Returns the reason if that fails or Regfeed is not compiled, otherwise null. */
async function missing(hello: string): Promise<string | null> {
  try {
    await Deno.stat(EXECUTABLE);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "there is no dist/regfeed: run deno task compile";
    throw error;
  }
  const args = [
    "compile",
    "--quiet",
    "--no-check",
    "--no-code-cache",
    // With the config, the executable would contain every package of this repository and load it at each start.
    "--no-config",
    "--no-lock",
    "--allow-net",
    `--output=${hello}`,
    HELLO,
  ];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, stdin: "null" }).output();
  return success
    ? null
    : `the hello-world executable could not be built: ${new TextDecoder().decode(stderr).trim()}`;
}

async function timeStart(program: string, args: readonly string[], address: string): Promise<number> {
  const startMs = performance.now();
  return await whileRunning(program, args, async () => {
    await responds(program, address);
    return performance.now() - startMs;
  });
}

async function whileRunning<T>(
  program: string,
  args: readonly string[],
  measure: (pid: number) => Promise<T>,
): Promise<T> {
  const child = new Deno.Command(program, {
    args: [...args],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    return await measure(child.pid);
  } finally {
    child.kill("SIGTERM");
    await child.status;
  }
}

async function responds(program: string, address: string): Promise<void> {
  for (let leftMs = PATIENCE_MS; !await answers(address); leftMs -= LOOK_MS) {
    if (leftMs <= 0) throw new Error(`${program} does not respond`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

async function answers(address: string): Promise<boolean> {
  try {
    const response = await fetch(address, { headers: { connection: "close" } });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false; // not listening yet
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
