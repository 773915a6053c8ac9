// What another user's backup leaves behind that was ended: the service, which may not touch it, goes on with its own.
import assert from "node:assert/strict";
import { join } from "node:path";
import { regfeed, serve, withFolder, writeConfig } from "../../support/process.ts";
import { condition, needs } from "../../support/needs.ts";

/** The user `nobody` of most systems. */
const ANOTHER = 65_534;
const CONFIG = `
[server]
listen = "127.0.0.1:0"
[store]
path = "data/regfeed.db"
[backup]
folder = "data/backups"
`;

/** Becomes the program as a user who may do with another's files what their modes say, as root otherwise need not. */
const asService = (() => {
  const wrapper = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"];
  const [program = "", ...args] = [...wrapper, Deno.execPath(), "--version"];
  try {
    const may = Deno.uid() === 0 &&
      new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync().success;
    return may ? wrapper : null;
  } catch {
    return null; // there is no such program
  }
})();

/** A folder that a killed backup has left behind, two days old. */
async function leaveBehind(folder: string, name: string): Promise<string> {
  const path = join(folder, `.regfeed-backup-${name}`);
  await Deno.mkdir(join(path, "read-1"), { recursive: true, mode: 0o700 });
  const inside = [join(path, "regfeed.db"), join(path, "read-1", "regfeed.db")];
  for (const copy of inside) await Deno.writeTextFile(copy, "a copy", { mode: 0o600 });
  const thenMs = Date.now() - 2 * 86_400_000;
  for (const one of [...inside, join(path, "read-1"), path]) {
    await Deno.utime(one, thenMs / 1_000, thenMs / 1_000);
  }
  return path;
}

Deno.test({
  ...needs(
    "what another's killed backup left behind is told of, and keeps the service from no backup; its own it removes",
    condition(asService !== null, "needs root and setpriv"),
  ),
  fn: () =>
    withFolder(async (folder) => {
      await writeConfig(folder, CONFIG);
      const backups = join(folder, "data", "backups");
      await Deno.mkdir(backups, { recursive: true });
      const others = await leaveBehind(backups, "others");
      const own = await leaveBehind(backups, "own");
      // As `backup create` gives them away: the folders are the service's, the files in them whose they were.
      for (const path of [join(own, "regfeed.db"), join(own, "read-1", "regfeed.db"), others]) {
        await Deno.chown(path, ANOTHER, ANOTHER);
      }
      const server = await serve(folder, {}, asService ?? []);
      await server.said("cannot be removed: remove them yourself");
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
      assert.match(log, /removed files of an interrupted backup folder=\S+-own/);
      assert.match(
        log,
        /WARN {2}backup {3}files of an interrupted backup .* remove them yourself folder=\S+-others cause=.*permission denied/,
      );
      const made = await regfeed(folder, ["backup", "create"], undefined, asService ?? []);
      assert.equal(made.code, 0, made.stderr);
      const names = [...Deno.readDirSync(backups)].map(({ name }) => name).sort();
      assert.deepEqual(names.map((name) => name.replace(/\d+T\d+Z/, "TIME")), [
        ".regfeed-backup-others",
        "regfeed-TIME.tar.gz",
      ]);
    }),
});
