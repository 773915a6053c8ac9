// What `source test` tells of items that are odd and taken all the same.
import assert from "node:assert/strict";
import { join } from "node:path";
import { rss } from "../support/samples.ts";
import { regfeed, regfeedJson, withFolder, writeConfig } from "../support/process.ts";

const CONFIG = `[[sources]]
id = "inbox"
name_en = "Inbox"
base_url = "https://inbox.example"
fetch_strategy = "files"
path = "inbox"
relevance = "all"
`;

interface Tested {
  items: { title: string; notes: string[] }[];
}

Deno.test("source test shows what was odd about an item, in text and JSON, and ingest keeps its shape", () =>
  withFolder(async (folder) => {
    await writeConfig(folder, CONFIG);
    await Deno.mkdir(join(folder, "inbox"));
    await Deno.writeTextFile(join(folder, "inbox/a.xml"), rss([{ id: "1", date: "some day" }, { id: "2" }]));
    const { stdout } = await regfeed(folder, ["source", "test", "inbox"]);
    assert.match(stdout, /^note {2}Guidelines on the AI Act 1: date not understood: "some day"\n2 new, /m);
    const { items } = await regfeedJson<Tested>(folder, ["source", "test", "inbox"]);
    assert.deepEqual(items.map(({ notes }) => notes), [['date not understood: "some day"'], []]);
    const ingested = await regfeedJson<unknown>(folder, ["ingest", "inbox"]);
    assert.deepEqual(ingested, {
      sources: [{ id: "inbox", ok: true, new: 2, revised: 0, unchanged: 0, passed_over: 0, refused: [] }],
    });
  }));
