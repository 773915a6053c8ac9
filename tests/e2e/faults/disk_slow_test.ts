// A server whose disk is full, failing or damaged.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Client, inside, MAY_MOUNT, until, withDisk, withPeers, works } from "../../support/disks.ts";
import { pause } from "../../support/pause.ts";
import type { Board, Hook } from "../../support/loopback.ts";
import { afterShell, regfeed, regfeedJson, serve, type Serving } from "../../support/process.ts";
import { needs, program } from "../../support/needs.ts";

/**
 * Publishes until `isEnough` returns true. One publication does not fill the disk, because it needs less than a page.
 */
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

/**
 * Runs a server through a fault between `begin` and `end`. Checks that reads continue, that writes are refused, and
 * that everything published during the fault is delivered afterwards, with one delivery per event.
 */
async function liveThrough(
  fault: "full" | "unavailable",
  { folder, board, hook, wrapper, beside, begin, end }: {
    folder: string;
    board: Board;
    hook: Hook;
    wrapper: string[];
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
  const { id } = subscribed.json.subscription as { id: string };
  const isRefused = async () =>
    (await client.ask(`/v1/subscriptions/${id}/rotate-secret`, {})).status === 503;
  if (fault === "full") await client.sees("full"); // before anything is written
  const meanwhile = await publishUntil(board, isRefused, server.log);
  await client.sees(fault);
  assert.deepEqual(await client.health(), [fault === "full" ? "degraded" : "down", fault]);
  assert.ok((await client.titles()).includes(first), "reads continue");
  const refused = await client.ask("/v1/subscriptions", { webhook_url: `${hook.url}/other` });
  assert.deepEqual([refused.status, refused.json.code], [503, "unavailable"]);
  const live = await fetch(`${server.address}/livez`);
  assert.equal(live.status, 200, await live.text());
  const says = (text: string) =>
    until(`the log says "${text}"`, () => server.log().includes(text), server.log);
  await says(`fault=${fault}`);
  await end(server);
  await client.sees("ok");
  await says("storage fault over");
  const all = [first, ...meanwhile].sort();
  const delivered = () => new Set(hook.arrivals.map(({ title }) => title)).size;
  await until("every delivery", () => delivered() === all.length, server.log);
  await pause(1_500); // a duplicate delivery would arrive within this time
  assert.equal(new Set(hook.arrivals.map(({ id }) => id)).size, all.length, "one delivery per event");
  assert.deepEqual([...new Set(hook.arrivals.map(({ title }) => title))].sort(), all);
  assert.equal((await client.ask("/v1/subscriptions", { webhook_url: `${hook.url}/other` })).status, 201);
  const { code, log } = await server.end("SIGTERM");
  assert.equal(code, 0, log);
  return log;
}

async function shell(server: Serving, folder: string, script: string): Promise<void> {
  const [program = "", ...rest] = [...inside(server, folder), "sh", "-c", script];
  await new Deno.Command(program, { args: rest, stdin: "null", stderr: "null" }).output();
}

Deno.test({
  ...needs(
    "with a full disk, reads continue, nothing is lost, and writes resume once there is space",
    MAY_MOUNT,
  ),
}, () =>
  withPeers(async (folder, board, hook) => {
    const log = await liveThrough("full", {
      ...{ folder, board, hook },
      wrapper: withDisk(join(folder, "disk"), 16 * 1024 * 1024),
      beside: (server) => inside(server, folder),
      begin: (server) => shell(server, folder, "head -c 100000000 /dev/zero > disk/filler"),
      end: (server) => shell(server, folder, "rm disk/filler"),
    });
    assert.match(log, /the database's disk is full.*fault=full/);
  }));

Deno.test(
  needs("a start on a full disk exits with code 1 and names the cause", MAY_MOUNT),
  () =>
    withPeers(async (folder) => {
      const added = ["customer", "add", "--email", "ana@example.org", "--tier", "team"];
      await regfeedJson(folder, added);
      await Deno.rename(join(folder, "disk"), join(folder, "before"));
      await Deno.mkdir(join(folder, "disk"));
      const filled = "cp -p before/* disk/ && { head -c 100000000 /dev/zero > disk/filler 2>&-; true; }";
      const wrapper = [...withDisk(join(folder, "disk"), 4 * 1024 * 1024), ...afterShell(filled)];
      const { code, stderr } = await regfeed(folder, "serve", undefined, wrapper);
      assert.equal(code, 1, stderr);
      assert.match(stderr, /the database's disk is full: free some space/);
    }),
);

Deno.test({
  ...needs(
    "with a failing disk, reads continue, nothing is lost, and writes resume once the disk works",
    program("prlimit"),
  ), // simulated by a file size limit, at which writes fail with EFBIG
}, () =>
  withPeers(async (folder, board, hook) => {
    const limit = async (server: Serving, bytes: string) =>
      assert.ok(await works("prlimit", [`--fsize=${bytes}:unlimited`, "--pid", String(server.pid)]));
    const log = await liveThrough("unavailable", {
      ...{ folder, board, hook },
      wrapper: afterShell("trap '' XFSZ"),
      beside: () => [],
      begin: (server) => limit(server, "100000"),
      end: (server) => limit(server, "unlimited"),
    });
    assert.match(log, /the database's disk is failing.*fault=unavailable/);
  }));

Deno.test("with a damaged database, health is down, intact pages are read, and a restore repairs it", () =>
  withPeers(async (folder, board) => {
    const file = join(folder, "disk", "regfeed.db");
    const { key } = await regfeedJson<{ key: string }>(folder, "customer add --email ana@example.org");
    for (let number = 0; number < 120; number++) board.publish(`Notice ${number} on ${"AI ".repeat(100)}`);
    await regfeedJson(folder, "ingest");
    const archive = join(folder, "good.tar.gz");
    assert.equal((await regfeed(folder, `backup create ${archive}`)).code, 0);
    await damage(file, "Notice 60 on");
    const server = await serve(folder);
    const client = new Client(server, key);
    const { status, json } = await client.ask("/v1/events?limit=200");
    assert.deepEqual([status, json.code], [503, "unavailable"], server.log());
    await client.sees("unavailable");
    const health = await fetch(`${server.address}/v1/health`);
    assert.deepEqual([health.status, (await health.json()).status], [503, "down"]);
    assert.equal((await client.ask("/v1/topics")).status, 200);
    await server.said("fault=unavailable");
    const { code, log } = await server.end("SIGTERM");
    assert.equal(code, 0, log);
    assert.match(
      log,
      /the database is damaged: stop the server, keep the file, and restore the newest good backup/,
    );
    const restored = await regfeed(folder, `backup restore ${archive} --force`);
    assert.equal(restored.code, 0, restored.stdout + restored.stderr);
    const healed = await serve(folder);
    const again = new Client(healed, key);
    assert.equal((await again.titles()).length, 120);
    assert.deepEqual((await again.health())[1], "ok");
    assert.equal((await healed.end("SIGTERM")).code, 0);
  }));

/** Damages every page of the file that contains this text. */
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
