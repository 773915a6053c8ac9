// Addresses that move while nothing else does: with a site nobody is told, and made-up queries are nothing new.
import assert from "node:assert/strict";
import type { StoredPublication } from "../../../src/domain/ports/store/publications.ts";
import type { IdentifiedItem } from "../../../src/ingest/identify/identify.ts";
import { MovedUrls } from "../../../src/ingest/identify/url_changes.ts";
import { boardConfig, rss, sampleEvent, type SampleItem } from "../../support/samples.ts";
import { START_MS, withWorld, type World } from "../../support/world.ts";

const FEED = "https://board.example/feed";
const HOUR = 3_600_000;
const DAY = 86_400_000;

const sample = (number: number, change: Partial<SampleItem> = {}): SampleItem => ({
  id: `paper-${number}`,
  title: `Paper ${number} on the AI Act`,
  summary: `What the board has to say on matter ${number} of the AI Act.`,
  date: new Date(START_MS - (50 - number) * DAY).toUTCString(),
  ...change,
});
const upTo = (last: number) => Array.from({ length: last }, (_, at) => sample(at + 1));
const at = (site: string, items: readonly SampleItem[]) =>
  rss(items).replaceAll("https://board.example/", `${site}/`);

type Counts = [fresh: number, revised: number, unchanged: number];

/** A world with a subscriber; `fetch` gives what a feed brings, `received` are the titles that were delivered. */
function withSubscriber(
  work: (fetch: (body: string) => Promise<Counts>, received: string[], world: World) => Promise<void>,
): Promise<void> {
  return withWorld(
    boardConfig().replace("notify_first_fetch = true", "notify_first_fetch = false"),
    async (world) => {
      const { http, clock } = world.platform;
      const received: string[] = [];
      http.serve("https://hook.example/", ({ body }) => {
        received.push(JSON.parse(body ?? "").title);
        return { status: 204 };
      });
      const { key } = await world.addCustomer();
      const body = JSON.stringify({ webhook_url: "https://hook.example/" });
      assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
      await world.app.ingest.register();
      await work(
        async (feed) => {
          http.serve(FEED, () => ({ body: feed }));
          await clock.advance(HOUR);
          const [report] = await world.app.ingest.ingest(["board"]);
          assert.equal(report?.ok, true, report?.error);
          await world.app.tick();
          return [report?.new ?? -1, report?.revised ?? -1, report?.unchanged ?? -1];
        },
        received,
        world,
      );
    },
  );
}

const addresses = async ({ store }: World): Promise<string[]> =>
  (await store.listEvents({ limit: 200, latest: true })).map(({ json }) => JSON.parse(json).url_official);

Deno.test("a site that moves to another host changes the addresses of its records, tells nobody, and says so to the operator", () =>
  withSubscriber(async (fetch, received, world) => {
    assert.deepEqual(await fetch(at("https://old.example", upTo(30))), [30, 0, 0]);
    const moved = [
      ...upTo(29),
      sample(30, { summary: "Corrected: what is said of the AI Act." }),
      sample(31),
    ];
    assert.deepEqual(await fetch(at("https://new.example", moved)), [1, 30, 0]);
    assert.deepEqual(received.sort(), ["Paper 30 on the AI Act", "Paper 31 on the AI Act"]);
    assert.ok((await addresses(world)).every((address) => address.startsWith("https://new.example/")));
    const { json: health } = await world.ask("/v1/health");
    assert.deepEqual([health.status, health.ingestion.held_back], ["ok", 0]);
    const note = world.platform.lines.find(({ message }) => message === "note about a source");
    assert.match(
      String(note?.fields["note"]),
      /^29 publications have moved from old\.example to new\.example without other changes: .*nobody is notified/,
    );
    assert.deepEqual(await fetch(at("https://new.example", moved)), [0, 0, 31]);
    const [, second] = moved;
    await fetch(
      at(
        "https://new.example",
        moved.with(1, { ...second as SampleItem, title: "Paper 2, corrected, on the AI Act" }),
      ),
    );
    assert.deepEqual(received.at(-1), "Paper 2, corrected, on the AI Act");
  }));

Deno.test("two addresses that have another host are told as what they are: revisions", () =>
  withSubscriber(async (fetch, received) => {
    await fetch(at("https://old.example", upTo(5)));
    const some = at("https://old.example", upTo(5)).replaceAll(
      /old\.example\/paper-[12]</g,
      (link) => link.replace("old", "new"),
    );
    assert.deepEqual(await fetch(some), [0, 2, 3]);
    assert.equal(received.length, 2);
  }));

Deno.test("addresses that have another path as well are told", () =>
  withSubscriber(async (fetch, received) => {
    await fetch(at("https://old.example", upTo(5)));
    assert.deepEqual(await fetch(at("https://new.example/papers", upTo(5))), [0, 5, 0]);
    assert.equal(received.length, 5);
  }));

/** A listing of documents without ids, each with a query that `sign` makes up. */
const signedLinks = (items: readonly SampleItem[], sign: (at: number) => string) =>
  items.reduce(
    (text, { id }, index) =>
      text.replace(`.example/${id}</link>`, `.example/${id}?v=1&amp;sig=${sign(index)}</link>`),
    rss(items).replaceAll(/<guid.*?<\/guid>/g, ""),
  );

for (const isId of [false, true]) {
  Deno.test(`items ${isId ? "whose id is their address" : "without an id"} and whose queries are made up for each fetch are known, and what is new beside them is new`, () =>
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
      assert.equal((await fetch(signed(edited, (index) => `g${index}`)))[0], 1, "not all the same: told");
      assert.equal(received.length, 2);
      assert.equal((await world.store.listEvents({ limit: 50 })).length, 6);
    }));
}

Deno.test("a query that changes while others stand still is an edit of the address, and nothing new", () =>
  withSubscriber(async (fetch, received) => {
    await fetch(signedLinks(upTo(5), () => "a"));
    assert.deepEqual(await fetch(signedLinks(upTo(5), (index) => index === 2 ? "b" : "a")), [0, 1, 4]);
    assert.deepEqual(await fetch(signedLinks(upTo(5), (index) => index === 2 ? "b" : "a")), [0, 0, 5]);
    assert.equal(received.length, 1);
    assert.deepEqual(
      await fetch(signedLinks(upTo(5), (index) => index < 4 ? "c" : "a")),
      [0, 4, 1],
      "as many as do",
    );
  }));

const notices = (first: number, change: Partial<SampleItem> = {}) =>
  [0, 1, 2, 3].reduce(
    (text, place) => text.replace(".example/notice</link>", `.example/notice?nr=${first + place}</link>`),
    rss([0, 1, 2, 3].map((place) =>
      sample(place, { id: "notice", title: `Notice on the AI Act ${place}`, ...change })
    ))
      .replaceAll(/<guid.*?<\/guid>/g, ""),
  );

Deno.test("publications that a number in the query tells apart stay apart, though much of them is the same", () =>
  withSubscriber(async (fetch) => {
    assert.deepEqual(await fetch(notices(1)), [4, 0, 0]);
    const nextDay = new Date(START_MS).toUTCString();
    assert.deepEqual(await fetch(notices(5, { date: nextDay })), [4, 0, 0], "another date");
    assert.deepEqual(
      await fetch(notices(9, { date: nextDay, summary: "Another matter of the AI Act, at length." })),
      [4, 0, 0],
    );
  }));

Deno.test("one path, and too little to tell its publications by: what has another number is another one", () =>
  withSubscriber(async (fetch) => {
    const short = { summary: "On the AI Act." };
    assert.deepEqual(await fetch(notices(1, short)), [4, 0, 0]);
    assert.deepEqual(await fetch(notices(5, short)), [4, 0, 0]);
  }));

Deno.test("MovedUrls takes an address for one that may have been there before when it is another one, of a third version or later", () => {
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
  assert.equal(isMoved("https://board.example/a?utm_source=feed", 3), false, "only its hashes are others");
});
