// `source release` delivers held events, and `source test --save` saves the raw document.
import assert from "node:assert/strict";
import { join } from "node:path";
import { INBOX_SOURCE, rss } from "../../support/samples.ts";
import { assertFails, regfeed, regfeedJson, withConfig } from "../../support/process.ts";

const items = (name: string, count: number) =>
  rss(Array.from({ length: count }, (_, at) => ({ id: `${name}-${at}`, title: `AI Act: ${name} ${at}` })));

async function withInbox(
  work: (folder: string, put: (name: string, text: string) => Promise<void>) => Promise<void>,
) {
  await withConfig(INBOX_SOURCE, async (folder) => {
    await Deno.mkdir(join(folder, "inbox"));
    await work(folder, (name, text) => Deno.writeTextFile(join(folder, "inbox", name), text));
  });
}

interface Released {
  source: string;
  events: number;
  delivered: boolean;
}

Deno.test("source list names held events, and source release delivers them once", () =>
  withInbox(async (folder, put) => {
    await put("a.xml", items("first", 3));
    await regfeed(folder, "ingest inbox");
    await put("b.xml", items("second", 30));
    const ingested = await regfeedJson<{ sources: { held_back: number }[] }>(folder, "ingest inbox");
    assert.deepEqual(ingested.sources.map((source) => source.held_back), [30]);
    const list = await regfeed(folder, "source list");
    assert.match(
      list.stdout,
      /^inbox: a change spike holds 30 of its events: `source release inbox` delivers/m,
    );
    const { sources } = await regfeedJson<{ sources: { held_back: number }[] }>(folder, "source list");
    assert.deepEqual(sources.map(({ held_back }) => held_back), [30]);
    await put("c.xml", items("third", 30));
    const told = await regfeed(folder, "ingest inbox");
    assert.match(told.stderr, /^inbox: a change spike holds 30 of its events: `.* source release inbox`/m);
    assert.deepEqual(await regfeedJson<Released>(folder, "source release inbox"), {
      source: "inbox",
      events: 60,
      delivered: true,
    });
    const again = await regfeed(folder, "source release inbox --discard");
    assert.deepEqual([again.code, again.stdout], [0, "no events of inbox are held\n"]);
    await assertFails(folder, "source release nobody", 1, /there is no source nobody/);
  }));

Deno.test("source test --save writes the raw document, readable only by its owner", () =>
  withInbox(async (folder, put) => {
    const feed = items("first", 2);
    await put("a.xml", feed);
    const { stdout } = await regfeed(folder, "source test inbox --save");
    const path = /^saved {2}(.*\/inbox-[0-9a-f]{8}\.xml)$/m.exec(stdout)?.[1] ?? "";
    assert.equal(await Deno.readTextFile(path), feed);
    assert.equal(((await Deno.stat(path)).mode ?? 0) & 0o777, 0o600);
    const { saved } = await regfeedJson<{ saved: string[] }>(folder, "source test inbox --save=raw.xml");
    assert.deepEqual(saved, [join(await Deno.realPath(folder), "raw.xml")]);
    const parsed = await regfeedJson<{ items: unknown[] }>(folder, "source parse raw.xml");
    assert.equal(parsed.items.length, 2);
    await put("a.xml", "<html>Just a moment</html>");
    await regfeed(folder, "source test inbox --save=broken.html");
    assert.equal(await Deno.readTextFile(join(folder, "broken.html")), "<html>Just a moment</html>");
    const nowhere = await regfeed(folder, "source test inbox --save=no/such/folder.xml");
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.stderr, /the document cannot be saved: .*folder\.xml/);
    const empty = await regfeed(folder, "source test inbox --save=");
    assert.equal(empty.code, 2);
  }));
