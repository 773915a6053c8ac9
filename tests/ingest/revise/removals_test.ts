// Removals: a publication that is gone from a complete list gets a version that says so.
import assert from "node:assert/strict";
import { boardConfig, rss, type SampleItem } from "../../support/samples.ts";
import { createWorld, type World } from "../../support/world.ts";

const items = (...ids: number[]): SampleItem[] =>
  ids.map((id) => ({ id: `${id}`, date: new Date(Date.UTC(2026, 6, id)).toUTCString() }));

async function withFeed(
  work: (fetch: (items: readonly SampleItem[]) => Promise<number>, world: World) => Promise<void>,
  source = "removals = true",
): Promise<void> {
  const world = await createWorld(boardConfig({ source }));
  let body = rss(items(1, 2, 3, 4));
  world.platform.http.serve("https://board.example/feed", (request) => {
    const etag = `"${body.length}"`;
    return request.headers["if-none-match"] === etag ? { status: 304 } : { headers: { etag }, body };
  });
  try {
    await world.app.tick();
    await work(async (next) => {
      body = rss(next);
      const [report] = await world.app.ingest.ingest(["board"]);
      assert.ok(report?.ok);
      assert.equal(report.new, 0);
      return report.revised;
    }, world);
  } finally {
    await world.close();
  }
}

// deno-lint-ignore no-explicit-any
async function versionsOf(world: World, externalId: string): Promise<any[]> {
  const { key } = await world.addCustomer();
  const { events } = (await world.ask("/v1/events", { key })).json;
  const event = events.find((one: { external_id: string }) => one.external_id === externalId);
  return (await world.ask(`/v1/events/${event.id}/versions`, { key })).json.versions;
}

Deno.test("what is missing in two fetches in a row is withdrawn by a version of its own, and back by another", () =>
  withFeed(async (fetch, world) => {
    assert.equal(await fetch(items(1, 2, 4)), 0);
    assert.equal(await fetch(items(1, 2, 4)), 1, "although the feed says that it has not changed");
    assert.equal(await fetch(items(1, 2, 4)), 0);
    const [first, second, ...none] = await versionsOf(world, "3");
    assert.deepEqual(none, []);
    assert.deepEqual([first.event.status, second.event.status], [undefined, "withdrawn"]);
    assert.deepEqual([second.event.version, second.event.event_type], [2, first.event.event_type]);
    assert.equal(second.event.title_en, first.event.title_en);
    assert.deepEqual(
      second.diff_to_previous.changes.map(({ field, before, after }: Record<string, unknown>) => [
        field,
        before,
        after,
      ]),
      [["status", null, "withdrawn"]],
    );
    assert.equal(await fetch(items(1, 2, 3, 4)), 1);
    const [, , third] = await versionsOf(world, "3");
    assert.equal(third.event.status, undefined);
    assert.deepEqual(third.diff_to_previous.changes.map(({ field }: { field: string }) => field), ["status"]);
    assert.equal(await fetch(items(1, 2, 3, 4)), 0);
  }));

Deno.test("a withdrawal is delivered as a revision", () =>
  withFeed(async (fetch, world) => {
    // deno-lint-ignore no-explicit-any
    const received: any[] = [];
    world.platform.http.serve("https://hook.example/", (request) => {
      received.push(JSON.parse(request.body ?? ""));
      return { status: 204 };
    });
    const { key } = await world.addCustomer();
    const body = JSON.stringify({ webhook_url: "https://hook.example/" });
    assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
    await fetch(items(1, 2, 4));
    await fetch(items(1, 2, 4));
    await world.app.tick();
    assert.deepEqual(received.map(({ type, event }) => [type, event.status]), [[
      "event.revised",
      "withdrawn",
    ]]);
    assert.equal(received[0].diff_to_previous.changes[0].field, "status");
  }));

Deno.test("what comes back in between was not missing twice in a row", () =>
  withFeed(async (fetch) => {
    for (const ids of [[1, 2, 4], [1, 2, 3, 4], [1, 2, 4], [1, 2, 3, 4]]) {
      assert.equal(await fetch(items(...ids)), 0);
    }
  }));

Deno.test("what falls out at the end of a feed is not missing: the feed is a window", () =>
  withFeed(async (fetch) => {
    for (let round = 0; round < 3; round++) assert.equal(await fetch(items(3, 4)), 0);
  }));

Deno.test("a list that loses more than it keeps, or that is broken, withdraws nothing", () =>
  withFeed(async (fetch, world) => {
    const more = items(1, 2, 3, 4, 5, 6, 7, 8, 9);
    world.platform.http.serve("https://board.example/feed", () => ({ body: rss(more) }));
    await world.app.ingest.ingest(["board"]);
    for (let round = 0; round < 3; round++) {
      world.platform.http.serve("https://board.example/feed", () => ({ body: rss(items(1, 9)) }));
      assert.equal((await world.app.ingest.ingest(["board"]))[0]?.revised, 0);
    }
    const broken = rss(items(1, 9)).replace("<item>", "<item><guid>x</guid></item><item>");
    for (let round = 0; round < 3; round++) {
      world.platform.http.serve("https://board.example/feed", () => ({ body: broken }));
      assert.equal((await world.app.ingest.ingest(["board"]))[0]?.revised, 0);
    }
    void fetch;
  }));

Deno.test("nothing is withdrawn where the config does not say that the list is complete", () =>
  withFeed(async (fetch) => {
    for (let round = 0; round < 3; round++) assert.equal(await fetch(items(1, 2, 4)), 0);
  }, ""));

/** A world with a source of two languages; each fetch is given what the two list, and answers 304 for what it knows. */
async function withLanguages(
  work: (
    fetch: (english: readonly SampleItem[], german: readonly SampleItem[]) => Promise<number>,
  ) => Promise<void>,
): Promise<void> {
  const urls =
    'removals = true\nurls = { en = "https://board.example/en.xml", de = "https://board.example/de.xml" }';
  const config = boardConfig({ source: urls }).replace('url = "https://board.example/feed"\n', "");
  const world = await createWorld(config);
  const bodies = new Map<string, string>();
  for (const language of ["en", "de"]) {
    world.platform.http.serve(`https://board.example/${language}.xml`, (request) => {
      const body = bodies.get(language) ?? "";
      const etag = `"${body.length}"`;
      return request.headers["if-none-match"] === etag ? { status: 304 } : { headers: { etag }, body };
    });
  }
  try {
    await world.app.ingest.register();
    await work(async (english, german) => {
      for (const [language, listed] of [["en", english], ["de", german]] as const) {
        bodies.set(language, rss(listed).replaceAll("example/", `example/${language}/`));
      }
      const [report] = await world.app.ingest.ingest(["board"]);
      assert.ok(report?.ok);
      return report.revised;
    });
  } finally {
    await world.close();
  }
}

Deno.test("what goes from one language today and from the other tomorrow is withdrawn", () =>
  withLanguages(async (fetch) => {
    const [whole, less] = [items(1, 2, 3, 4), items(1, 2, 4)];
    for (let round = 0; round < 3; round++) assert.equal(await fetch(whole, whole), 0);
    assert.equal(await fetch(less, whole), 0);
    const revised: number[] = [];
    for (let round = 0; round < 6; round++) revised.push(await fetch(less, less));
    assert.equal(revised.reduce((sum, count) => sum + count), 1, "once");
  }));

Deno.test("what stood in one language alone and falls out at the end of its window is not missing", () =>
  withLanguages(async (fetch) => {
    await fetch(items(3, 5, 7, 8), items(1, 2, 8));
    for (let round = 0; round < 4; round++) assert.equal(await fetch(items(5, 7, 8, 9), items(1, 2, 8)), 0);
  }));

Deno.test("what stood in one language alone and is gone from it is withdrawn, although the other never changes", () =>
  withLanguages(async (fetch) => {
    const german = items(1, 2);
    for (let round = 0; round < 3; round++) await fetch(items(1, 2, 3, 4), german);
    const revised: number[] = [];
    for (let round = 0; round < 6; round++) revised.push(await fetch(items(1, 2, 4), german));
    assert.equal(revised.reduce((sum, count) => sum + count), 1, "once");
  }));
