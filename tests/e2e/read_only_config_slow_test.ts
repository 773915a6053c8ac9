// A config that is read while nothing can be written: which one begins when it can be, and what is said of it.
import assert from "node:assert/strict";
import { join } from "node:path";
import {
  Client,
  fill,
  HELD_TO_RIGHTS,
  MAY_HOLD,
  SETTINGS,
  until,
  withPeers,
  works,
} from "../support/disks.ts";
import { afterShell, serve, writeConfig } from "../support/process.ts";
import { needs, program } from "../support/needs.ts";

const WAITS = "config read: it is in force as soon as the database can be written";

/** The config's state in health. */
async function configState(client: Client): Promise<unknown> {
  return (await client.ask("/v1/health")).json.config;
}

/** A server with a filled store on a disk that it may not write. */
async function serveHeld(folder: string, board: Parameters<typeof fill>[1]) {
  const key = await fill(folder, board);
  const disk = join(folder, "disk");
  await Deno.chmod(disk, 0o555);
  const server = await serve(folder, {}, HELD_TO_RIGHTS);
  const client = new Client(server, key);
  await client.sees("read_only");
  return { disk, server, client };
}

async function nameOf(client: Client): Promise<unknown> {
  const { json } = await client.ask("/v1/sources");
  return (json.sources as { name_en: string }[])[0]?.name_en;
}

Deno.test({
  ...needs(
    "a config that changes while nothing can be written is the one that begins when it can be",
    MAY_HOLD,
  ),
  fn: () =>
    withPeers(async (folder, board) => {
      const { disk, server, client } = await serveHeld(folder, board);
      await writeConfig(folder, SETTINGS + board.source.replace('"Board"', '"Another board"'));
      server.signal("SIGHUP");
      await server.said(WAITS);
      await Deno.chmod(disk, 0o700);
      await until("the new name", async () => await nameOf(client) === "Another board", server.log);
      await until("the health", async () => await configState(client) === "ok", server.log);
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
    }),
});

Deno.test({
  ...needs(
    "of configs read while nothing could be written, the newest that agrees with the store begins",
    MAY_HOLD,
  ),
  fn: () =>
    withPeers(async (folder, board) => {
      const { disk, server, client } = await serveHeld(folder, board);
      assert.equal(await configState(client), "waiting");
      const agreeing = SETTINGS + board.source.replace('"Board"', '"Another board"');
      await writeConfig(folder, agreeing);
      server.signal("SIGHUP");
      await server.said(`${WAITS} changed=`);
      // The address is that of a customer who is not declared.
      const declared = `[[customers]]\nid = "ana"\nemail = "ana@example.org"\ntier = "team"\nkey_sha256 = ["${
        "ab".repeat(32)
      }"]\n`;
      await writeConfig(folder, `${agreeing}\n${declared}`);
      server.signal("SIGHUP");
      await until("the second", () => server.log().split(WAITS).length === 3, server.log);
      await Deno.chmod(disk, 0o700);
      await server.said("the config contradicts what is stored: the one read before it is in force");
      assert.match(
        server.log(),
        /regfeed\.toml:\d+: customers\[0\]\.email: is the address of cus_.*in_force=\S+Z/,
      );
      await until("the health", async () => await configState(client) === "refused", server.log);
      assert.equal(await nameOf(client), "Another board");
      board.publish("It goes on being collected");
      await until("what came", async () => (await client.titles()).length === 2, server.log);
      await writeConfig(folder, agreeing.replace('"Another board"', '"A third board"'));
      server.signal("SIGHUP");
      await server.said("config reloaded");
      assert.equal(await nameOf(client), "A third board");
      await until("the health", async () => await configState(client) === "ok", server.log);
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
    }),
});

Deno.test({
  ...needs(
    "a config that cannot be put in force because the disk fails is read again when it works",
    program("prlimit"),
  ),
  fn: () =>
    withPeers(async (folder, board) => {
      const key = await fill(folder, board);
      // Files that may not grow stand for a disk that fails.
      const server = await serve(folder, {}, afterShell("trap '' XFSZ"));
      const client = new Client(server, key);
      const limit = async (bytes: string) =>
        assert.ok(await works("prlimit", [`--fsize=${bytes}:unlimited`, "--pid", String(server.pid)]));
      await limit("1");
      await writeConfig(folder, SETTINGS + board.source.replace('"Board"', '"Another board"'));
      server.signal("SIGHUP");
      await server.said("config not reloaded, for nothing can be written: the one before stays in force");
      await until("the health", async () => await configState(client) === "waiting", server.log);
      assert.equal(await nameOf(client), "Board");
      await limit("unlimited");
      await server.said("config reloaded");
      assert.equal(await nameOf(client), "Another board");
      await until("the health", async () => await configState(client) === "ok", server.log);
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
    }),
});
