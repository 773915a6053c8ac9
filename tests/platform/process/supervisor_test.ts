// A supervisor is notified over a socket like systemd's.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createSupervisor } from "../../../src/platform/process/supervisor.ts";
import { serve, withConfig, withFolder, writeConfig } from "../../support/process.ts";

function listenAt(path: string): { next(): Promise<string>; close(): void } {
  const socket = Deno.listenDatagram({ transport: "unixpacket", path });
  return {
    async next() {
      const [bytes] = await socket.receive();
      return new TextDecoder().decode(bytes);
    },
    close: () => socket.close(),
  };
}

Deno.test("the supervisor is notified of start, watchdog and stop", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "notify");
    const systemd = listenAt(path);
    const env: Record<string, string> = { NOTIFY_SOCKET: path, WATCHDOG_USEC: "100000" };
    const supervisor = await createSupervisor((name) => env[name], assert.fail);
    assert.equal(
      await supervisor.whileStarting("migrating", async () => await systemd.next()),
      "STATUS=migrating\nEXTEND_TIMEOUT_USEC=60000000",
    );
    await supervisor.ready("listening");
    assert.equal(await systemd.next(), "READY=1\nSTATUS=listening");
    assert.equal(await systemd.next(), "WATCHDOG=1");
    assert.equal(await systemd.next(), "WATCHDOG=1");
    await supervisor.stopping();
    let last = await systemd.next();
    while (last === "WATCHDOG=1") last = await systemd.next();
    assert.equal(last, "STOPPING=1");
    await supervisor.close();
    systemd.close();
  });
});

Deno.test("a missing or unreachable supervisor does not disturb the service", async () => {
  const cases: [Record<string, string>, RegExp | null][] = [
    [{}, null],
    [{ NOTIFY_SOCKET: "/nowhere/socket" }, null],
    [
      { NOTIFY_SOCKET: "@abstract" },
      /cannot be notified .*: only sockets with a path are supported; use Type=exec/,
    ],
    [{ NOTIFY_SOCKET: "vsock:2:1" }, /only sockets with a path/],
  ];
  for (const [env, said] of cases) {
    const warnings: string[] = [];
    const supervisor = await createSupervisor((name) => env[name], (text) => void warnings.push(text));
    assert.equal(await supervisor.whileStarting("x", () => Promise.resolve(7)), 7);
    await supervisor.ready("x");
    await supervisor.stopping();
    await supervisor.close();
    assert.equal(warnings.length, said === null ? 0 : 1);
    if (said !== null) assert.match(warnings[0] ?? "", said);
  }
});

Deno.test("a server that cannot notify its supervisor logs it and serves", () =>
  withConfig('[server]\nlisten = "127.0.0.1:0"\n', async (folder) => {
    const server = await serve(folder, {
      NOTIFY_SOCKET: join(folder, "notify"),
      TMPDIR: join(folder, "n".repeat(100)), // missing, and longer than the path of a socket may be
    });
    const { code, log } = await server.end("SIGTERM");
    assert.equal(code, 0);
    assert.match(log, /no socket can be created in the temporary folder; set TMPDIR to another folder/);
  }));

Deno.test("serve notifies the supervisor when it is ready and when it stops", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "notify");
    const systemd = listenAt(path);
    await writeConfig(folder, '[server]\nlisten = "127.0.0.1:0"\n');
    const server = await serve(folder, { NOTIFY_SOCKET: path });
    let heard = await systemd.next();
    while (heard.startsWith("STATUS=")) heard = await systemd.next();
    assert.match(heard, /^READY=1\nSTATUS=listening on http:\/\/127\.0\.0\.1:\d+$/);
    const ended = server.end("SIGTERM");
    assert.equal(await systemd.next(), "STOPPING=1");
    assert.equal((await ended).code, 0);
    systemd.close();
  });
});
