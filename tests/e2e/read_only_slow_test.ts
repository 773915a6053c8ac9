// A server whose database cannot be written to from the start on: what it says, what it answers, and that it heals.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  addCustomer,
  Client,
  fill,
  FIRST,
  HELD_TO_RIGHTS,
  inside,
  MAY_HOLD,
  MAY_MOUNT,
  SETTINGS,
  until,
  withPeers,
} from "../support/disks.ts";
import type { Board, Hook } from "../support/loopback.ts";
import { begin, regfeed, regfeedJson, serve, type Serving, writeConfig } from "../support/process.ts";
import { needs, ROOT } from "../support/needs.ts";

/** The life of a server that starts where nothing can be written, until it can be. */
async function liveThrough(
  { server, key, board, hook, heal }: {
    server: Serving;
    key: string;
    board: Board;
    hook: Hook;
    heal(): Promise<unknown>;
  },
): Promise<void> {
  const client = new Client(server, key);
  assert.deepEqual(await client.health(), ["degraded", "read_only"]);
  assert.deepEqual(await client.titles(), [FIRST]);
  const ready = await fetch(`${server.address}/readyz`);
  assert.equal(ready.status, 200, await ready.text());
  const subscribe = () => client.ask("/v1/subscriptions", { webhook_url: hook.url });
  const refused = await subscribe();
  assert.deepEqual([refused.status, refused.json.code], [503, "unavailable"]);
  assert.match(String(refused.json.detail), /Nothing can be stored at this moment/);
  assert.match(server.log(), /the database cannot be written to: make .* writable.*trouble=read_only/);
  await heal();
  await client.sees("ok");
  await server.said("the store works again");
  assert.equal((await subscribe()).status, 201, server.log());
  board.publish("What came after it");
  await until("the delivery", () => hook.arrivals.length === 1, server.log);
  assert.equal((await client.titles()).length, 2);
  const { code, log } = await server.end("SIGTERM");
  assert.equal(code, 0, log);
}

for (
  const { name, closed } of [
    { name: "the folder", closed: { disk: 0o555 } },
    { name: "the file", closed: { "disk/regfeed.db": 0o444 } },
    { name: "the folder and the file", closed: { "disk/regfeed.db": 0o444, disk: 0o555 } },
  ]
) {
  Deno.test({
    ...needs(
      `a server that may not write to ${name} of its database answers what can be read, and heals`,
      MAY_HOLD,
    ),
    fn: () =>
      withPeers(async (folder, board, hook) => {
        const key = await fill(folder, board);
        const before = new Map<string, number>();
        for (const [path, mode] of Object.entries(closed)) {
          before.set(path, (await Deno.stat(join(folder, path))).mode ?? 0);
          await Deno.chmod(join(folder, path), mode);
        }
        const server = await serve(folder, {}, HELD_TO_RIGHTS);
        const heal = async () => {
          for (const [path, mode] of before) await Deno.chmod(join(folder, path), mode & 0o777);
        };
        await liveThrough({ server, key, board, hook, heal });
      }),
  });
}

Deno.test({
  ...needs("where there is no database, a start that may make none says so and what to do", MAY_HOLD),
  fn: () =>
    withPeers(async (folder) => {
      await Deno.chmod(join(folder, "disk"), 0o555);
      const { code, stderr } = await regfeed(folder, ["serve"], undefined, HELD_TO_RIGHTS);
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        /the store .*regfeed\.db cannot be opened: cannot make .*disk has mode 0555, so that .* may not write to it: chmod/,
      );
    }),
});

Deno.test({
  ...needs(
    "a command of another user than the data's says whose they are, what keeps it out, and what to do",
    ROOT,
    MAY_HOLD,
  ),
  fn: () =>
    withPeers(async (folder, board) => {
      await fill(folder, board);
      const nobody = 65_534;
      const cases: [path: string, mode: number, said: RegExp][] = [
        [
          "disk",
          0o700,
          /\/disk belongs to \S+ \(mode 0700\), and this process runs as root, who may not look into it: run it as (\S+) \(`sudo -u \1 regfeed …`\), or give the data to root: chown -R root \S+\/disk$/,
        ],
        ["disk/regfeed.db", 0o600, /regfeed\.db belongs to \S+ \(mode 0600\), .* who may not read it/],
      ];
      for (const [path, mode, said] of cases) {
        const at = join(folder, path);
        await Deno.chown(at, nobody, nobody);
        const before = (await Deno.stat(at)).mode ?? 0;
        await Deno.chmod(at, mode);
        const looks = path === "disk" ? [["backup", "create"], ["store", "new-key", "--yes"]] : [];
        for (const args of [["serve"], ["source", "list"], ["delivery", "list"], ...looks]) {
          const { code, stderr } = await regfeed(folder, args, undefined, HELD_TO_RIGHTS);
          assert.equal(code, 1, stderr);
          assert.match(stderr.trim(), said);
          assert.doesNotMatch(stderr, /cannot make/);
        }
        await Deno.chown(at, 0, 0);
        await Deno.chmod(at, before & 0o777);
      }
    }),
});

/** A wrapper: the folder's disk as one that takes no changes; `work` is a shell's, done before it is one. */
function withReadOnly(disk: string, work = "true"): string[] {
  const script = `mount -t tmpfs tmpfs "${disk}" && ${work} && mount -o remount,ro "${disk}" && exec "$@"`;
  return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"];
}

/** A wrapper: the folder's disk as one that this process may not write, and whoever is outside may. */
function withReadOnlyView(disk: string): string[] {
  const script = `mount --bind "${disk}" "${disk}" && mount -o remount,ro,bind "${disk}" && exec "$@"`;
  return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"];
}

async function shell(server: Serving, folder: string, script: string): Promise<void> {
  const [program = "", ...rest] = [...inside(server, folder), "sh", "-c", script];
  const { success, stderr } = await new Deno.Command(program, { args: rest, stdin: "null" }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Sets the store aside, for {@link withReadOnly} to copy from. */
async function setAside(folder: string): Promise<void> {
  await Deno.rename(join(folder, "disk"), join(folder, "before"));
  await Deno.mkdir(join(folder, "disk"));
}

Deno.test({
  ...needs(
    "a server on a disk that is read-only answers what can be read, and heals when it is mounted writable",
    MAY_MOUNT,
  ),
  fn: () =>
    withPeers(async (folder, board, hook) => {
      const key = await fill(folder, board);
      await setAside(folder);
      const server = await serve(folder, {}, withReadOnly(join(folder, "disk"), "cp -p before/* disk/"));
      const heal = () => shell(server, folder, "mount -o remount,rw disk");
      await liveThrough({ server, key, board, hook, heal });
    }),
});

for (const lost of [[], ["regfeed.db-shm"]]) {
  Deno.test({
    ...needs(
      "what a killed server had written last is read from a disk that is read-only, and is there afterwards" +
        (lost.length > 0 ? ", also without the file that readers share" : ""),
      MAY_MOUNT,
    ),
    fn: () =>
      withPeers(async (folder, board, hook) => {
        const killed = await serve(folder);
        const key = await addCustomer(folder);
        board.publish(FIRST);
        const client = new Client(killed, key);
        await until("the first event", async () => (await client.titles()).length === 1, killed.log);
        await killed.end("SIGKILL");
        assert.ok((await Deno.stat(join(folder, "disk/regfeed.db-wal"))).size > 0);
        await setAside(folder);
        for (const name of lost) await Deno.remove(join(folder, "before", name));
        // With that file it is read where it lies, and no copy needs a place.
        const env: Record<string, string> = lost.length === 0 ? { TMPDIR: join(folder, "disk") } : {};
        const server = await serve(folder, env, withReadOnly(join(folder, "disk"), "cp -p before/* disk/"));
        const heal = () => shell(server, folder, "mount -o remount,rw disk");
        await liveThrough({ server, key, board, hook, heal });
      }),
  });
}

Deno.test({
  ...needs(
    "what others write is seen by a server that may not write: a key that they disable works no longer",
    MAY_MOUNT,
  ),
  fn: () =>
    withPeers(async (folder, board, hook) => {
      const key = await fill(folder, board);
      const server = await serve(folder, {}, withReadOnlyView(join(folder, "disk")));
      const client = new Client(server, key);
      await client.sees("read_only");
      assert.deepEqual(await client.titles(), [FIRST]);
      await regfeedJson(folder, ["customer", "disable", "ana@example.org"]);
      await until("the refusal", async () => (await client.ask("/v1/events")).status === 401, server.log);
      // Whether it was copied anew or could be read in place is a matter of moments; a server that stays settles it.
      const bob = await addCustomer(folder, "bob@example.org");
      const another = await serve(folder);
      board.publish("Seen by both");
      const reader = new Client(server, bob);
      await until("the new key", async () => (await reader.ask("/v1/events")).status === 200, server.log);
      await until("what came", async () => (await reader.titles()).length === 2, server.log);
      await server.said("the database is read where it lies: another process has it open");
      assert.equal((await another.end("SIGTERM")).code, 0);
      await regfeedJson(folder, ["customer", "disable", "bob@example.org"]);
      await until("the refusal", async () => (await reader.ask("/v1/events")).status === 401, server.log);
      const carl = await addCustomer(folder, "carl@example.org");
      await until(
        "the third key",
        async () => (await new Client(server, carl).ask("/v1/events")).status === 200,
        server.log,
      );
      await shell(server, folder, "mount -o remount,rw,bind disk");
      const last = new Client(server, carl);
      await last.sees("ok");
      assert.equal((await last.ask("/v1/subscriptions", { webhook_url: hook.url })).status, 201);
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
      assert.doesNotMatch(log, /cannot be read|not readable/);
    }),
});

Deno.test({
  ...needs(
    "a command that reads a copy says so after what it was asked for, and of one that fails the cause stands alone",
    MAY_MOUNT,
  ),
  fn: () =>
    withPeers(async (folder, board) => {
      await fill(folder, board);
      await setAside(folder);
      const wrapper = withReadOnly(join(folder, "disk"), "cp -p before/* disk/");
      const read = await regfeed(folder, ["source", "list"], undefined, wrapper);
      assert.deepEqual([read.code, read.stderr.split("\n").length], [0, 2], read.stderr);
      assert.match(read.stderr, /the database cannot be written.* a copy of it is read/);
      const add = ["customer", "add", "--email", "bob@example.org", "--tier", "team"];
      const refused = await regfeed(folder, add, undefined, wrapper);
      assert.deepEqual([refused.code, refused.stderr.split("\n").length], [1, 2], refused.stderr);
      assert.match(refused.stderr, /^regfeed customer add: the database cannot be written to: make/);
    }),
});

for (const left of ["", ", nor did one before them leave anything"]) {
  Deno.test({
    ...needs(`two servers on a store that neither may write are told apart${left}`, MAY_MOUNT),
    fn: () =>
      withPeers(async (folder, board) => {
        await fill(folder, board);
        if (left === "") assert.equal((await (await serve(folder)).end("SIGTERM")).code, 0);
        const wrapper = withReadOnlyView(join(folder, "disk"));
        const first = await serve(folder, {}, wrapper);
        const second = await serve(folder, {}, wrapper);
        await second.said("another server has this store open");
        await first.end("SIGKILL");
        await second.said("the other server has ended");
        const { log } = await second.end("SIGTERM");
        assert.doesNotMatch(first.log() + log, /cannot be told/);
      }),
  });
}

Deno.test({
  ...needs("a start that can read its database neither where it lies nor as a copy says why", MAY_MOUNT),
  fn: () =>
    withPeers(async (folder, board) => {
      await fill(folder, board);
      await setAside(folder);
      const wrapper = withReadOnly(join(folder, "disk"), "cp -p before/* disk/");
      const inIt = ["env", `TMPDIR=${join(folder, "disk")}`];
      const { code, stderr } = await regfeed(folder, ["serve"], undefined, [...wrapper, ...inIt]);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /make its folder and its disk writable.*nor can a copy of it be read.*Read-only/);
    }),
});

Deno.test({
  ...needs("an older schema on a disk that is read-only is told as such: nothing is served of it", MAY_MOUNT),
  fn: () =>
    withPeers(async (folder, board) => {
      await fill(folder, board);
      await Deno.writeTextFile(
        join(folder, "older.ts"),
        `import { DatabaseSync } from "node:sqlite";
         const database = new DatabaseSync("disk/regfeed.db");
         database.exec("pragma user_version = 7");
         database.close();`,
      );
      const older = new Deno.Command(Deno.execPath(), { args: ["run", "-A", "older.ts"], cwd: folder });
      assert.ok((await older.output()).success);
      await setAside(folder);
      const wrapper = withReadOnly(join(folder, "disk"), "cp -p before/* disk/");
      const { code, stderr } = await regfeed(folder, ["serve"], undefined, wrapper);
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        /Read-only file system.*has schema 7, and this version reads schema \d+: it has to be brought up to date/,
      );
    }),
});

Deno.test({
  ...needs(
    "a server that waits for its disk is ended by a signal, and a bad config is not put in force meanwhile",
    MAY_MOUNT,
  ),
  fn: () =>
    withPeers(async (folder, board) => {
      const key = await fill(folder, board);
      await setAside(folder);
      const server = begin(folder, {}, withReadOnly(join(folder, "disk"), "cp -p before/* disk/"));
      await server.said("listening");
      await writeConfig(folder, `${SETTINGS}${board.source}\n[tiers.team]\napi_requests_per_day = "five"\n`);
      server.signal("SIGHUP");
      await server.said("config not reloaded");
      server.signal("SIGTERM");
      const { code, log } = await server.over;
      assert.equal(code, 0, log);
      assert.ok(key.startsWith("rgf_"));
    }),
});
