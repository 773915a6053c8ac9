// The notes of `source test` about unusual items.
import assert from "node:assert/strict";
import { join } from "node:path";
import { INBOX_SOURCE, rss } from "../../support/samples.ts";
import { regfeed, regfeedJson, withConfig } from "../../support/process.ts";

const CONFIG = `${INBOX_SOURCE}relevance = "all"
`;

interface Tested {
  items: { title: string; notes: string[] }[];
}

Deno.test("source test prints notes about items; the output of ingest does not change", () =>
  withConfig(CONFIG, async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    await Deno.writeTextFile(join(folder, "inbox/a.xml"), rss([{ id: "1", date: "some day" }, { id: "2" }]));
    const { stdout } = await regfeed(folder, "source test inbox");
    assert.match(stdout, /^note {2}Guidelines on the AI Act 1: date not recognised: "some day"\n2 new, /m);
    const { items } = await regfeedJson<Tested>(folder, "source test inbox");
    assert.deepEqual(items.map(({ notes }) => notes), [['date not recognised: "some day"'], []]);
    const ingested = await regfeedJson<unknown>(folder, "ingest inbox");
    assert.deepEqual(ingested, {
      sources: [{
        id: "inbox",
        ok: true,
        new: 2,
        revised: 0,
        unchanged: 0,
        translated: 0,
        passed_over: 0,
        refused: [],
      }],
    });
  }));

Deno.test("ingest prints partial, and why, for a source of which only a part was fetched", () =>
  withConfig(CONFIG, async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    await Deno.writeTextFile(join(folder, "inbox/a.xml"), rss([{ id: "1" }]));
    await Deno.writeTextFile(join(folder, "inbox/b.xml"), rss([{ id: "2" }, { id: "3" }]).slice(0, -120));
    const read = async (command: string) =>
      (await regfeedJson<{ sources: Record<string, unknown>[] }>(folder, command)).sources[0];
    const partial = await read("ingest inbox");
    assert.deepEqual([partial?.["ok"], partial?.["gaps"]], [true, (await read("source list"))?.["gaps"]]);
    await Deno.writeTextFile(join(folder, "inbox/b.xml"), rss([{ id: "2" }, { id: "3" }]).slice(0, -100));
    const shown = await regfeed(folder, "ingest inbox");
    assert.equal(shown.code, 0);
    assert.match(shown.stdout, /^inbox +0 .* partial: the document is truncated after item 1/m);
    assert.match(shown.stderr, /^inbox: partial: \S*b\.xml: the document is truncated after item 1[^\n]*\n$/);
    await Deno.writeTextFile(join(folder, "inbox/b.xml"), rss([{ id: "2" }, { id: "3" }]));
    assert.match((await regfeed(folder, "ingest inbox")).stdout, /^inbox +1 .* ok$/m);
  }));

Deno.test("source test prints the values of every item, including unchanged and skipped ones", () =>
  withConfig(CONFIG.replace('"all"', '"ai"'), async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    const off = { id: "2", title: "Neue Leitung der Behörde", summary: "Die Behörde hat eine neue Leitung." };
    await Deno.writeTextFile(join(folder, "inbox/a.xml"), rss([{ id: "1" }, off]));
    const first = await regfeed(folder, "source test inbox");
    await regfeed(folder, "ingest inbox");
    const second = await regfeed(folder, "source test inbox");
    for (const [outcome, { stdout }] of [["new", first], ["unchanged", second]] as const) {
      assert.match(
        stdout,
        new RegExp(
          `^${outcome} +2026-07-31 12:00:00 +en +guidance +\\w+ +transparency +Art\\. 50 +Guidelines on the AI Act 1$`,
          "m",
        ),
      );
      assert.match(stdout, /^skipped +2026-07-31 12:00:00 +de +\S+ +info +Neue Leitung der Behörde$/m);
    }
    const { items } = await regfeedJson<{ items: unknown[] }>(folder, "source test inbox");
    assert.partialDeepStrictEqual(items, [{
      outcome: "unchanged",
      language: "en",
      ai_act_articles: ["Art. 50"],
    }]);
  }));

Deno.test("source list and source test work without a database and create none", () =>
  withConfig(CONFIG, async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    await Deno.writeTextFile(join(folder, "inbox", "a.xml"), rss([{ id: "1" }]));
    const before = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    const list = await regfeed(folder, "source list --json");
    assert.equal(list.code, 0, list.stderr);
    assert.deepEqual(JSON.parse(list.stdout).sources.map(({ state }: { state: string }) => state), ["new"]);
    assert.match(list.stderr, /^no database at .*regfeed\.db yet, so the state of every source is unknown/m);
    const test = await regfeed(folder, "source test inbox --json");
    assert.equal(test.code, 0, test.stderr);
    assert.equal(JSON.parse(test.stdout).new, 1);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), before);
  }));
