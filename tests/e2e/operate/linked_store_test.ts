// A store whose path is a link to a file on another disk. The store's other files are beside the link's target.
import assert from "node:assert/strict";
import { join } from "node:path";
import { regfeed, regfeedJson, serve, withFolder, writeConfig } from "../../support/process.ts";
import { rss } from "../../support/samples.ts";

const CONFIG = `
[server]
listen = "127.0.0.1:0"
[store]
path = "data/regfeed.db"
[[sources]]
id = "inbox"
name_en = "Inbox"
base_url = "https://board.example"
fetch_strategy = "files"
path = "inbox"
relevance = "all"
`;

Deno.test("a store behind a link is used, backed up with its log, and restored at the link's target", () =>
  withFolder(async (folder) => {
    const [link, file] = [join(folder, "data", "regfeed.db"), join(folder, "disk", "store.db")];
    for (const name of ["data", "disk", "inbox"]) await Deno.mkdir(join(folder, name), { mode: 0o700 });
    await Deno.symlink("../disk/store.db", link);
    await writeConfig(folder, CONFIG);
    await Deno.writeTextFile(join(folder, "inbox", "feed.xml"), rss([{ id: "1" }, { id: "2" }]));

    // While the disk is missing, no new store is created in its place.
    const { code, stderr } = await regfeed(folder, "customer add --email ana@example.org");
    assert.equal(code, 1);
    assert.match(
      stderr,
      /disk\/store\.db cannot be opened: the target of the link .*data\/regfeed\.db does not exist/,
    );
    await Deno.writeTextFile(file, "");
    const add = ["customer", "add", "--email", "ana@example.org"];
    const { key } = await regfeedJson<{ key: string }>(folder, add);
    const { sources } = await regfeedJson<{ sources: { new: number; error?: string }[] }>(folder, "ingest");
    assert.deepEqual(sources.map(({ new: count, error }) => [count, error]), [[2, undefined]]);

    const server = await serve(folder);
    const archive = join(folder, "backup.tar.gz");
    try {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(`${server.address}/v1/events`, { headers });
      assert.equal((await answer.json()).events.length, 2);
      // This write is only in the write-ahead log, which the server keeps open.
      await regfeedJson(folder, "customer add --email ben@example.org");
      assert.equal((await regfeed(folder, `backup create ${archive}`)).code, 0);
    } finally {
      assert.equal((await server.end("SIGTERM")).code, 0);
    }

    assert.equal((await regfeed(folder, `backup restore ${archive} --force`)).code, 0);
    assert.ok((await Deno.lstat(link)).isSymlink);
    const { customers } = await regfeedJson<{ customers: unknown[] }>(folder, "customer list");
    assert.equal(customers.length, 2);
    assert.deepEqual([...Deno.readDirSync(join(folder, "data"))].map(({ name }) => name).sort(), [
      "regfeed.db",
      "regfeed.db.key",
    ]);
    assert.ok((await Deno.stat(file)).isFile);
  }));
