// Signals that arrive while `serve` still reads its config.
import assert from "node:assert/strict";
import { join } from "node:path";
import { begin, type Beginning, withFolder } from "../../support/process.ts";
import { LINUX, needs } from "../../support/needs.ts";

const CONFIG = '[server]\nlisten = "127.0.0.1:0"\n';
const PATIENCE_MS = 30_000;
/** Signal numbers (signal(7)). In the masks of /proc/PID/status, signal n is bit n - 1. */
const NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGUSR1: 10, SIGUSR2: 12, SIGTERM: 15 } as const;

/** Starts `serve`, which waits for its config until `letGo` writes it. */
async function withWaiting(
  work: (waiting: { folder: string; server: Beginning; letGo: () => Promise<void> }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const path = join(folder, "regfeed.toml");
    const made = await new Deno.Command("mkfifo", { args: [path] }).output();
    assert.ok(made.success);
    // Opened for reading and writing, so that the reader waits.
    const pipe = await Deno.open(path, { read: true, write: true });
    let isOpen = true;
    const letGo = async () => {
      await Deno.writeTextFile(join(folder, "new.toml"), CONFIG);
      await Deno.rename(join(folder, "new.toml"), path);
      if (isOpen) pipe.close();
      isOpen = false;
    };
    const server = begin(folder);
    try {
      await work({ folder, server, letGo });
    } finally {
      await letGo();
      server.kill();
      await server.over;
    }
  });
}

/** Waits until the process catches the signal and has opened its config. */
async function listensFor(pid: number, signal: keyof typeof NUMBERS): Promise<void> {
  // Uses commands, because the runtime denies access to /proc unless it has all permissions.
  const told = async (command: string, ...args: string[]) =>
    new TextDecoder().decode((await new Deno.Command(command, { args }).output()).stdout);
  for (const endMs = Date.now() + PATIENCE_MS; Date.now() < endMs;) {
    const caught = /^SigCgt:\s*([0-9a-f]+)$/m.exec(await told("cat", `/proc/${pid}/status`))?.[1] ?? "0";
    const isCaught = (BigInt(`0x${caught}`) >> BigInt(NUMBERS[signal] - 1)) & 1n;
    if (isCaught && (await told("ls", "-l", `/proc/${pid}/fd`)).includes("/regfeed.toml")) return;
    await new Promise((again) => setTimeout(again, 20));
  }
  throw new Error(`the process does not listen for ${signal}, or does not read its config`);
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  Deno.test(
    needs(`${signal} before the config is read causes a clean exit, and no database is created`, LINUX),
    async () => {
      await withWaiting(async ({ folder, server, letGo }) => {
        await listensFor(server.pid, signal);
        server.signal(signal);
        await new Promise((heard) => setTimeout(heard, 500)); // the runtime dispatches the signal with a delay
        await letGo();
        const { code, log } = await server.over;
        assert.equal(code, 0, log);
        assert.match(log, new RegExp(`stopping signal=${signal}\n.*stopped\n`));
        assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["regfeed.toml"], log);
      });
    },
  );
}

// SIGUSR1 is not tested: a newer version of Deno that runs Regfeed from source opens the debugger when it receives it.
for (const signal of ["SIGHUP", "SIGUSR2"] as const) {
  const message = signal === "SIGHUP" ? "config reloaded: no changes" : "listening";
  Deno.test(needs(`${signal} before the config is read does not end the server`, LINUX), async () => {
    await withWaiting(async ({ server, letGo }) => {
      await listensFor(server.pid, signal);
      server.signal(signal);
      await letGo();
      await server.said(message);
      server.signal("SIGTERM");
      const { code, log } = await server.over;
      assert.equal(code, 0, log);
      assert.match(log, /listening/);
    });
  });
}
