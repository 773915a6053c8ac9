// A server whose disk fills up, fails, cannot be written to or has damaged what it held: what it says, what goes on, and
// that nothing is lost.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Board, type Hook, openBoard, openHook } from "../support/loopback.ts";
import {
  afterShell,
  regfeed,
  regfeedJson,
  serve,
  type Serving,
  withFolder,
  writeConfig,
} from "../support/process.ts";

const SETTINGS = `
[server]
listen = "127.0.0.1:0"

[store]
path = "disk/regfeed.db"

[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]
`;

const PATIENCE_MS = 30_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function until(
  what: string,
  isTrue: () => boolean | Promise<boolean>,
  log: () => string,
): Promise<void> {
  for (const endMs = Date.now() + PATIENCE_MS; !await isTrue();) {
    assert.ok(Date.now() < endMs, `${what} within ${PATIENCE_MS / 1_000} s\n${log()}`);
    await pause(100);
  }
}

/** Whether a program does what it is asked here. */
async function works(program: string, args: string[]): Promise<boolean> {
  try {
    return (await new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).output())
      .success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** A customer of a running server. */
class Client {
  constructor(readonly server: Serving, readonly key: string) {}

  async ask(path: string, body?: unknown): Promise<{ status: number; json: Record<string, unknown> }> {
    const answer = await fetch(`${this.server.address}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${this.key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, json: await answer.json() };
  }

  async health(): Promise<[status: unknown, database: unknown]> {
    const { json } = await this.ask("/v1/health");
    return [json.status, json.database];
  }

  /** Waits until health says so of the database. */
  async sees(database: string): Promise<void> {
    await until(`database ${database}`, async () => (await this.health())[1] === database, this.server.log);
  }

  async titles(): Promise<unknown[]> {
    const { status, json } = await this.ask("/v1/events?limit=200");
    assert.equal(status, 200, this.server.log());
    return (json.events as { title_en: string }[]).map(({ title_en }) => title_en).sort();
  }
}

/** Publishes until the disk takes no more: one publication is less than a page of the log that is there already. */
async function publishUntil(
  board: Board,
  isEnough: () => Promise<boolean>,
  log: () => string,
): Promise<string[]> {
  const titles: string[] = [];
  await until("the disk takes no more", async () => {
    for (let count = 0; count < 3; count++) {
      titles.push(`Notice ${titles.length} of what came meanwhile`);
      board.publish(titles.at(-1) ?? "");
    }
    await pause(500);
    return await isEnough();
  }, log);
  return titles;
}

async function withPeers(work: (folder: string, board: Board, hook: Hook) => Promise<void>): Promise<void> {
  const board = openBoard();
  const hook = openHook();
  try {
    await withFolder(async (folder) => {
      await writeConfig(folder, SETTINGS + board.source);
      await Deno.mkdir(join(folder, "disk"));
      await work(folder, board, hook);
    });
  } finally {
    await board.close();
    await hook.close();
  }
}

/**
 * The life of a server over a trouble that `begin` brings about and `end` ends: reads go on, writes are refused, what was
 * published meanwhile comes afterwards, and each delivery arrives once.
 */
async function liveThrough(
  trouble: "full" | "io",
  { folder, board, hook, wrapper, beside, begin, end }: {
    folder: string;
    board: Board;
    hook: Hook;
    wrapper: string[];
    /** What commands run in beside that server. */
    beside(server: Serving): string[];
    begin(server: Serving): Promise<void>;
    end(server: Serving): Promise<void>;
  },
): Promise<string> {
  const server = await serve(folder, {}, wrapper);
  const added = ["customer", "add", "--email", "ana@example.org", "--tier", "team", "--json"];
  const made = await regfeed(folder, added, undefined, beside(server));
  assert.equal(made.code, 0, made.stderr);
  const client = new Client(server, JSON.parse(made.stdout).key);
  const first = "Guidelines on general-purpose AI models";
  const subscribed = await client.ask("/v1/subscriptions", { webhook_url: hook.url });
  assert.equal(subscribed.status, 201, JSON.stringify(subscribed.json));
  board.publish(first);
  await until("the first delivery", () => hook.arrivals.length === 1, server.log);
  await begin(server);
  const meanwhile = await publishUntil(board, async () => (await client.health())[1] === trouble, server.log);
  assert.deepEqual(await client.health(), ["degraded", trouble]);
  assert.ok((await client.titles()).includes(first), "reads go on");
  const refused = await client.ask("/v1/subscriptions", { webhook_url: `${hook.url}/other` });
  assert.deepEqual([refused.status, refused.json.code], [503, "unavailable"]);
  const live = await fetch(`${server.address}/livez`);
  assert.equal(live.status, 200, await live.text());
  const says = (text: string) =>
    until(`the log says "${text}"`, () => server.log().includes(text), server.log);
  await says(`trouble=${trouble}`);
  await end(server);
  await client.sees("ok");
  await says("the store works again");
  const all = [first, ...meanwhile].sort();
  await until(
    "every delivery",
    () => new Set(hook.arrivals.map(({ title }) => title)).size === all.length,
    server.log,
  );
  await pause(1_500); // a delivery too many would come now
  assert.equal(new Set(hook.arrivals.map(({ id }) => id)).size, all.length, "one delivery for each");
  assert.deepEqual([...new Set(hook.arrivals.map(({ title }) => title))].sort(), all);
  assert.equal((await client.ask("/v1/subscriptions", { webhook_url: `${hook.url}/other` })).status, 201);
  const { code, log } = await server.end("SIGTERM");
  assert.equal(code, 0, log);
  return log;
}

/** A wrapper: what sees the files as the server does. */
function inside(server: Serving, folder: string): string[] {
  return ["nsenter", "--preserve-credentials", "-U", "-m", `--wdns=${folder}`, "-t", String(server.pid)];
}

/** A wrapper: what has a disk of its own, of so many bytes, at the path. */
function withDisk(path: string, bytes: number): string[] {
  const script = `mount -t tmpfs -o size=${bytes} tmpfs "${path}" && exec "$@"`;
  return ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"];
}

const mayMount = await works("unshare", [
  "--map-root-user",
  "--mount",
  "mount",
  "-t",
  "tmpfs",
  "tmpfs",
  "/mnt",
]);
const mayLimit = await works("prlimit", ["--version"]);

Deno.test({
  name: "a full disk is a state; reads go on, nothing is lost, and all heals when there is room",
  ignore: !mayMount, // a disk of its own needs the right to mount one, in a namespace
  fn: () =>
    withPeers(async (folder, board, hook) => {
      const shell = async (server: Serving, script: string) => {
        const [program = "", ...rest] = [...inside(server, folder), "sh", "-c", script];
        await new Deno.Command(program, { args: rest, stdin: "null", stderr: "null" }).output();
      };
      const log = await liveThrough("full", {
        ...{ folder, board, hook },
        wrapper: withDisk(join(folder, "disk"), 16 * 1024 * 1024),
        beside: (server) => inside(server, folder),
        begin: (server) => shell(server, "head -c 100000000 /dev/zero > disk/filler"),
        end: (server) => shell(server, "rm disk/filler"),
      });
      assert.match(log, /the disk of the database is full.*trouble=full/);
    }),
});

Deno.test({
  name: "a start on a full disk says that it is full",
  ignore: !mayMount,
  fn: () =>
    withFolder(async (folder) => {
      await writeConfig(folder, SETTINGS);
      await regfeedJson(folder, ["customer", "add", "--email", "ana@example.org"]);
      await Deno.rename(join(folder, "disk"), join(folder, "before"));
      await Deno.mkdir(join(folder, "disk"));
      const filled = "cp -p before/* disk/ && { head -c 100000000 /dev/zero > disk/filler 2>&-; true; }";
      const wrapper = [...withDisk(join(folder, "disk"), 4 * 1024 * 1024), ...afterShell(filled)];
      const { code, stderr } = await regfeed(folder, ["serve"], undefined, wrapper);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /cannot be opened: .*; the disk of the database is full: make room/);
    }),
});

Deno.test({
  name: "a disk that fails is a state; reads go on, nothing is lost, and all heals when it works again",
  ignore: !mayLimit, // files that may not grow stand for it: the system then refuses to write them with EFBIG
  fn: () =>
    withPeers(async (folder, board, hook) => {
      const limit = async (server: Serving, bytes: string) =>
        assert.ok(await works("prlimit", [`--fsize=${bytes}:unlimited`, "--pid", String(server.pid)]));
      const log = await liveThrough("io", {
        ...{ folder, board, hook },
        wrapper: afterShell("trap '' XFSZ"),
        beside: () => [],
        begin: (server) => limit(server, "100000"),
        end: (server) => limit(server, "unlimited"),
      });
      assert.match(log, /the disk of the database fails.*trouble=io/);
    }),
});

Deno.test("a database that is damaged is a state: health is down, what is whole is read, and a backup heals it", () =>
  withPeers(async (folder, board) => {
    const file = join(folder, "disk", "regfeed.db");
    const { key } = await regfeedJson<{ key: string }>(folder, [
      "customer",
      "add",
      "--email",
      "ana@example.org",
    ]);
    for (let number = 0; number < 120; number++) board.publish(`Notice ${number} on ${"AI ".repeat(100)}`);
    await regfeedJson(folder, ["ingest"]);
    const archive = join(folder, "good.tar.gz");
    assert.equal((await regfeed(folder, ["backup", "create", archive])).code, 0);
    await damage(file, "Notice 60 on");
    const server = await serve(folder);
    const client = new Client(server, key);
    const { status, json } = await client.ask("/v1/events?limit=200");
    assert.deepEqual([status, json.code], [503, "unavailable"], server.log());
    await client.sees("corrupt");
    const health = await fetch(`${server.address}/v1/health`);
    assert.deepEqual([health.status, (await health.json()).status], [503, "down"]);
    assert.equal((await client.ask("/v1/topics")).status, 200);
    await server.said("trouble=corrupt");
    const { code, log } = await server.end("SIGTERM");
    assert.equal(code, 0, log);
    assert.match(
      log,
      /the database is damaged: stop the server, keep the file, and restore the newest good backup/,
    );
    const restored = await regfeed(folder, ["backup", "restore", archive, "--force"]);
    assert.equal(restored.code, 0, restored.stdout + restored.stderr);
    const healed = await serve(folder);
    const again = new Client(healed, key);
    assert.equal((await again.titles()).length, 120);
    assert.deepEqual((await again.health())[1], "ok");
    assert.equal((await healed.end("SIGTERM")).code, 0);
  }));

/** Overwrites the page that holds the text, and every copy of it. */
async function damage(file: string, text: string): Promise<void> {
  const bytes = await Deno.readFile(file);
  const wanted = new TextEncoder().encode(text);
  let count = 0;
  for (let at = bytes.indexOf(wanted[0] ?? 0); at !== -1; at = bytes.indexOf(wanted[0] ?? 0, at + 1)) {
    if (!wanted.every((byte, offset) => bytes[at + offset] === byte)) continue;
    const page = Math.floor(at / 4_096) * 4_096;
    bytes.fill(0xee, page, page + 100);
    count += 1;
  }
  assert.ok(count > 0);
  await Deno.writeFile(file, bytes);
}

/** A wrapper: what is held to the rights of files even where an administrator runs it. */
const HELD_TO_RIGHTS = Deno.uid() === 0
  ? ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"]
  : [];
const mayHold = HELD_TO_RIGHTS.length === 0 || await works("setpriv", [...HELD_TO_RIGHTS.slice(1), "true"]);

Deno.test({
  name:
    "a server that may not write to its database or its folder says so at the start, and starts when it may",
  ignore: Deno.build.os === "windows" || !mayHold,
  fn: () =>
    withPeers(async (folder, board) => {
      const disk = join(folder, "disk");
      const file = join(disk, "regfeed.db");
      const refused = async (path: string, mode: number) => {
        const before = (await Deno.stat(path)).mode ?? 0;
        await Deno.chmod(path, mode);
        const { code, stderr } = await regfeed(folder, ["serve"], undefined, HELD_TO_RIGHTS);
        await Deno.chmod(path, before & 0o777);
        assert.equal(code, 1, stderr);
        assert.match(
          stderr,
          /the store .*regfeed\.db cannot be opened: .*make its folder and its disk writable/,
        );
      };
      await refused(disk, 0o555);
      board.publish("Guidelines on general-purpose AI models");
      await regfeedJson(folder, ["ingest"]);
      await refused(file, 0o444);
      await refused(disk, 0o555);
      const server = await serve(folder, {}, HELD_TO_RIGHTS);
      assert.equal((await server.end("SIGTERM")).code, 0);
    }),
});

Deno.test({
  name: "a disk that the system has made read-only is told of at the start",
  ignore: !mayMount,
  fn: () =>
    withPeers(async (folder) => {
      const disk = join(folder, "disk");
      await regfeedJson(folder, ["ingest"]);
      const script = `mount --bind "${disk}" "${disk}" && mount -o remount,bind,ro "${disk}" && exec "$@"`;
      const readOnly = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"];
      const { code, stderr } = await regfeed(folder, ["serve"], undefined, readOnly);
      assert.equal(code, 1, stderr);
      assert.match(
        stderr,
        /cannot be opened: .*Read-only file system.*make its folder and its disk writable/,
      );
    }),
});
