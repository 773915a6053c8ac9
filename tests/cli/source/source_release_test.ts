// `source release` lists, delivers and discards held events, and `source test --save` saves the raw document.
import assert from "node:assert/strict";
import { join } from "node:path";
import { INBOX_SOURCE, rss } from "../../support/samples.ts";
import { assertFails, regfeed, regfeedJson, withConfig, writeConfig } from "../../support/process.ts";

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

interface Held {
  source: string;
  events: { id: string; version: number; title: string; published_at: number; held_since: number }[];
}

Deno.test("source release lists what a change spike holds, and delivers or discards it only when told to", () =>
  withInbox(async (folder, put) => {
    await put("a.xml", items("first", 3));
    await regfeed(folder, "ingest inbox");
    await put("b.xml", items("second", 30));
    const ingested = await regfeedJson<{ sources: { held_back: number }[] }>(folder, "ingest inbox");
    assert.deepEqual(ingested.sources.map((source) => source.held_back), [30]);
    const list = await regfeed(folder, "source list");
    assert.match(list.stdout, /^inbox +ok, 30 held +33 /m);
    assert.match(
      list.stdout,
      /^inbox: a change spike holds 30 events: `.* source release inbox` lists them; --deliver delivers them, /m,
    );
    await put("c.xml", items("third", 30));
    const told = await regfeed(folder, "ingest inbox");
    assert.match(
      told.stderr,
      /^inbox: a change spike holds 30 events: `.* source release inbox` lists them/m,
    );

    const listed = await regfeed(folder, "source release inbox");
    assert.match(listed.stdout, /^PUBLISHED \(UTC\) +HELD SINCE \(UTC\) +CHANGE +TITLE +EVENT$/m);
    assert.match(listed.stdout, /^2026-07-31 12:00:00 +20\S+ \S+ +new +AI Act: third 29 +evt_/m);
    assert.match(listed.stdout, /^60 events held by a change spike$/m);
    assert.match(listed.stdout, /^deliver: +\S.* source release inbox --deliver$/m);
    assert.match(listed.stdout, /^keep undelivered: +\S.* source release inbox --discard$/m);
    const { source, events } = await regfeedJson<Held>(folder, "source release inbox");
    assert.deepEqual([source, events.length], ["inbox", 60]);
    assert.deepEqual(events.map(({ version }) => version), Array(60).fill(1));
    assert.ok(events.every(({ held_since }) => Math.abs(held_since - Date.now()) < 600_000));
    const { sources } = await regfeedJson<{ sources: { held_back: number; held_events: unknown[] }[] }>(
      folder,
      "source list --held",
    );
    assert.deepEqual(sources.map(({ held_back, held_events }) => [held_back, held_events]), [[60, events]]);

    await assertFails(folder, "source release inbox --deliver --discard", 2, /either --deliver or --discard/);
    assert.deepEqual(await regfeedJson<Released>(folder, "source release inbox --deliver"), {
      source: "inbox",
      events: 60,
      delivered: true,
    });
    const { audit } = await regfeedJson<{ audit: Record<string, unknown>[] }>(folder, "audit list");
    assert.match(String(audit[0]?.["actor"]), /^cli:/);
    assert.deepEqual([audit[0]?.["act"], audit[0]?.["change"]], [
      "source.release",
      { source: "inbox", events: 60 },
    ]);
    for (const option of ["", " --deliver", " --discard"]) {
      const { code, stdout } = await regfeed(folder, `source release inbox${option}`);
      assert.deepEqual([code, stdout], [0, "no events of inbox are held\n"], option);
    }
    assert.equal((await regfeed(folder, "source list --held")).stdout, "No events are held.\n");
  }));

Deno.test("source release tells a source without held events from an unknown one", () =>
  withConfig(`${INBOX_SOURCE}\n${INBOX_SOURCE.replaceAll("inbox", "fresh")}`, async (folder) => {
    for (const name of ["inbox", "fresh"]) await Deno.mkdir(join(folder, name));
    await regfeed(folder, "ingest inbox");
    await writeConfig(folder, INBOX_SOURCE.replaceAll("inbox", "added"));
    for (const id of ["inbox", "added"]) {
      const { code, stdout } = await regfeed(folder, `source release ${id}`);
      assert.deepEqual([code, stdout], [0, `no events of ${id} are held\n`], id);
    }
    await assertFails(
      folder,
      "source release nobody",
      1,
      /no source has the id nobody; `regfeed source list`/,
    );
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
