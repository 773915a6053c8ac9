// Publications of which only the URL changes: a moved site triggers no webhooks, and generated queries make nothing
// new.
import assert from "node:assert/strict";
import type { StoredPublication } from "../../../src/domain/ports/store/publications.ts";
import type { IdentifiedItem } from "../../../src/ingest/identify/identify.ts";
import { MovedUrls } from "../../../src/ingest/identify/url_changes.ts";
import { fetchFeed, storedEvents, subscribe, withSources } from "../../support/collecting.ts";
import { boardConfig, rss, sampleEvent, type SampleItem } from "../../support/samples.ts";
import { START_MS, type World } from "../../support/world.ts";

const DAY = 86_400_000;

const sample = (number: number, change: Partial<SampleItem> = {}): SampleItem => ({
  id: `paper-${number}`,
  title: `Paper ${number} on the AI Act`,
  summary: `The opinion of the board on matter ${number} of the AI Act.`,
  date: new Date(START_MS - (50 - number) * DAY).toUTCString(),
  ...change,
});
const upTo = (last: number) => Array.from({ length: last }, (_, at) => sample(at + 1));
const at = (site: string, items: readonly SampleItem[]) =>
  rss(items).replaceAll("https://board.example/", `${site}/`);

/**
 * Runs the work with a subscriber. `fetch` returns the counts of new, revised and unchanged items. `received`
 * contains the delivered titles.
 */
function withSubscriber(
  work: (fetch: (body: string) => Promise<number[]>, received: string[], world: World) => Promise<void>,
): Promise<void> {
  const config = boardConfig().replace("notify_first_fetch = true", "notify_first_fetch = false");
  return withSources(config, async (world) => {
    const payloads = await subscribe(world);
    const received: string[] = [];
    await work(
      async (feed) => {
        const counts = await fetchFeed(world, feed);
        await world.app.tick();
        received.push(...payloads.splice(0).map(({ title }) => title));
        return counts;
      },
      received,
      world,
    );
  });
}

Deno.test("a site that moves to another host changes the URLs of its events, and notifies only the operator", () =>
  withSubscriber(async (fetch, received, world) => {
    assert.deepEqual(await fetch(at("https://old.example", upTo(30))), [30, 0, 0]);
    const moved = [...upTo(29), sample(30, { summary: "Corrected: the opinion on the AI Act." }), sample(31)];
    assert.deepEqual(await fetch(at("https://new.example", moved)), [1, 30, 0]);
    assert.deepEqual(received.sort(), ["Paper 30 on the AI Act", "Paper 31 on the AI Act"]);
    const latest = await world.store.listEvents({ limit: 200, latest: true });
    assert.ok(latest.every(({ json }) => JSON.parse(json).url_official.startsWith("https://new.example/")));
    const { json: health } = await world.ask("/v1/health");
    assert.deepEqual([health.status, health.ingestion.held_back], ["ok", 0]);
    const note = world.platform.lines.find(({ message }) => message === "note about a source");
    assert.match(
      String(note?.fields["note"]),
      /^29 publications have moved from old\.example to new\.example without other changes: .*without notifications/,
    );
    assert.deepEqual(await fetch(at("https://new.example", moved)), [0, 0, 31]);
    const edited = sample(2, { title: "Paper 2, corrected, on the AI Act" });
    await fetch(at("https://new.example", moved.with(1, edited)));
    assert.deepEqual(received.at(-1), "Paper 2, corrected, on the AI Act");
  }));

Deno.test("fewer than three publications at another host, or another path, are revisions", () =>
  withSubscriber(async (fetch, received) => {
    await fetch(at("https://old.example", upTo(5)));
    const some = at("https://old.example", upTo(5))
      .replaceAll(/old\.example\/paper-[12]</g, (link) => link.replace("old", "new"));
    assert.deepEqual(await fetch(some), [0, 2, 3]);
    assert.equal(received.length, 2);
    assert.deepEqual(await fetch(at("https://new.example/papers", upTo(5))), [0, 5, 0]);
    assert.equal(received.length, 7);
  }));

/** Returns a feed without ids whose links have a query that `sign` generates. */
const signedLinks = (items: readonly SampleItem[], sign: (at: number) => string) =>
  items.reduce(
    (text, { id }, index) =>
      text.replace(`.example/${id}</link>`, `.example/${id}?v=1&amp;sig=${sign(index)}</link>`),
    rss(items).replaceAll(/<guid.*?<\/guid>/g, ""),
  );

for (const isId of [false, true]) {
  Deno.test(`items ${isId ? "whose id is their URL" : "without an id"} with generated queries stay known, and other items are new`, () =>
    withSubscriber(async (fetch, received, world) => {
      const signed = (items: readonly SampleItem[], sign: (at: number) => string) =>
        isId
          ? signedLinks(items, sign).replaceAll(/<link>(.*?)<\/link>/g, "<link>$1</link><guid>$1</guid>")
          : signedLinks(items, sign);
      await fetch(signed(upTo(4), (index) => `a${index}`));
      for (const round of ["b", "c", "d", "e"]) {
        assert.deepEqual(await fetch(signed(upTo(4), (index) => `${round}${index}`)), [0, 0, 4], round);
      }
      assert.deepEqual(await fetch(signed(upTo(5), (index) => `f${index}`)), [1, 0, 4]);
      const edited = upTo(5).with(0, sample(1, { summary: "Corrected: another matter of the AI Act." }));
      assert.equal((await fetch(signed(edited, (index) => `g${index}`)))[0], 1, "an edit");
      assert.equal(received.length, 2);
      assert.equal((await storedEvents(world)).length, 6);
    }));
}

Deno.test("a query that changes while another one stays is a revision", () =>
  withSubscriber(async (fetch, received) => {
    await fetch(signedLinks(upTo(5), () => "a"));
    assert.deepEqual(await fetch(signedLinks(upTo(5), (index) => index === 2 ? "b" : "a")), [0, 1, 4]);
    assert.deepEqual(await fetch(signedLinks(upTo(5), (index) => index === 2 ? "b" : "a")), [0, 0, 5]);
    assert.equal(received.length, 1);
    assert.deepEqual(await fetch(signedLinks(upTo(5), (index) => index < 4 ? "c" : "a")), [0, 4, 1]);
  }));

const notices = (first: number, change: Partial<SampleItem> = {}) =>
  [0, 1, 2, 3].reduce(
    (text, place) => text.replace(".example/notice</link>", `.example/notice?nr=${first + place}</link>`),
    rss([0, 1, 2, 3].map((place) =>
      sample(place, { id: "notice", title: `Notice on the AI Act ${place}`, ...change })
    ))
      .replaceAll(/<guid.*?<\/guid>/g, ""),
  );

const LATER = { date: new Date(START_MS).toUTCString() };
const SHORT = { summary: "On the AI Act." };
const NOTICES: [name: string, fetches: Partial<SampleItem>[]][] = [
  ["another date or summary", [{}, LATER, { ...LATER, summary: "Another matter of the AI Act, at length." }]],
  ["a short summary", [SHORT, SHORT]],
];

for (const [name, fetches] of NOTICES) {
  Deno.test(`publications with another number in the query are new: ${name}`, () =>
    withSubscriber(async (fetch) => {
      for (const [at, change] of fetches.entries()) {
        assert.deepEqual(await fetch(notices(1 + 4 * at, change)), [4, 0, 0]);
      }
    }));
}

Deno.test("MovedUrls recognises a changed URL from the third version on", () => {
  const isMoved = (link: string, version: number) => {
    const event = sampleEvent({
      id: "evt_3",
      version,
      supersedes: "evt_2",
      url_official: "https://board.example/a",
    });
    const item = {
      ...{ guid: "a", link, title: event.title_en, summary: event.summary_en },
      ...{ publishedAtMs: event.published_at, updatedAtMs: null },
    };
    const one = { item, key: "a", contentHash: "now", textHash: "now" } as unknown as IdentifiedItem;
    const stored = { contentHash: "then", textHash: "then", withdrawn: false, event };
    return new MovedUrls().isMoved(one, stored as unknown as StoredPublication);
  };
  assert.equal(isMoved("https://board.example/b", 3), true);
  assert.equal(isMoved("https://board.example/b", 2), false);
  assert.equal(isMoved("https://board.example/a?utm_source=feed", 3), false, "only the hashes differ");
});
