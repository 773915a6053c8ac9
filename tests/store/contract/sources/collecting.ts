// The events of a fetch: change spikes, later languages and removals.
import assert from "node:assert/strict";
import { toSearch } from "../../../../src/domain/event/event_filter.ts";
import {
  type ChangeSpike,
  type ChangeVolume,
  NO_SPIKE,
} from "../../../../src/domain/source/change_volume.ts";
import type {
  RecordDecision,
  RemovalDecision,
  StoredPublication,
} from "../../../../src/domain/ports/store/publications.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addSubscriber,
  aFailure,
  aFetchEnd,
  anEvent,
  aSource,
  aSubscription,
  BY,
  catchUpAll,
  claimAll,
  EVERYTHING,
  matchAll,
  PROVENANCE,
  publish,
  recordIt,
  subscribe,
  T0,
  TERMS,
} from "../given.ts";
import { test } from "../contract.ts";

const DAY = 86_400_000;
const SPIKE: ChangeSpike = { isNew: true, isRevised: false };

/** Records new events that are not matched before their fetch ends. */
async function fetched(store: Store, ids: readonly string[], change: Parameters<typeof anEvent>[1] = {}) {
  for (const id of ids) {
    const event = anEvent(id, change);
    const decide = (): RecordDecision => ({
      kind: "record",
      event,
      provenance: PROVENANCE,
      notify: "after_fetch",
    });
    await store.recordPublications(event.source_id, [{ key: event.external_id, contentHash: id }], decide);
  }
}

/** Matches the waiting events, and returns their ids in order. */
async function matched(store: Store): Promise<string[]> {
  const ids: string[] = [];
  // `seen` is called only if there is a subscription, so the tests add one.
  await matchAll(store, { seen: ({ event }) => ids.push(event.id) });
  return ids;
}

async function withSubscriber(store: Store): Promise<void> {
  await addSubscriber(store);
  await store.registerSources([aSource("board"), aSource("court")], T0);
  for (const id of ["board", "court"]) await store.finishFetch(aFetchEnd(id, T0));
}

const GERMAN = { title: "Leitlinien", summary: "Zur Kennzeichnung." };

/** Adds a language to the publication of `evt_1`. */
async function translate(store: Store, language: string, words = GERMAN): Promise<void> {
  await store.recordPublications("board", [{
    key: "publication of evt_1",
    contentHash: `${language} hash`,
    textHash: `${language} text`,
    language,
  }], () => ({
    kind: "translated",
    words,
    url: `https://board.example/${language}`,
    provenance: PROVENANCE,
    atMs: T0 + DAY,
  }));
}

test("finishFetch() releases the waiting events of its source only, even after a failure", async (store) => {
  await withSubscriber(store);
  await fetched(store, ["evt_1", "evt_2"]);
  await fetched(store, ["evt_3"], { source_id: "court" });
  assert.deepEqual(await matched(store), []);
  assert.equal(await store.finishFetch(aFetchEnd("board", T0)), 0);
  assert.deepEqual(await matched(store), ["evt_1", "evt_2"]);
  await store.finishFetch(aFailure("court", T0));
  assert.deepEqual(await matched(store), ["evt_3"]);
});

test("finishFetch() holds a change spike until releaseEvents() delivers or discards it", async (store) => {
  await withSubscriber(store);
  for (const end of ["deliver", "discard"] as const) {
    const ids = [`evt_${end}_1`, `evt_${end}_2`];
    await fetched(store, ids);
    assert.equal(await store.finishFetch(aFetchEnd("board", T0), () => SPIKE), 2);
    assert.deepEqual(await matched(store), []);
    const held = (await store.listSources()).map(({ id, heldBack }) => [id, heldBack]);
    assert.deepEqual(held, [["board", 2], ["court", 0]]);
    const listed = (await store.listHeldEvents("board")).map((json) => JSON.parse(json).id);
    assert.deepEqual(listed, ids.toReversed());
    assert.deepEqual(await store.listHeldEvents("court"), []);
    await store.finishFetch(aFetchEnd("board", T0));
    assert.deepEqual(await matched(store), [], "the next fetch does not release it");
    assert.equal(await store.releaseEvents("court", end, BY), 0);
    assert.equal(await store.releaseEvents("board", end, BY), 2);
    assert.deepEqual(await matched(store), end === "deliver" ? ids : []);
    assert.equal((await store.listEvents({ limit: 9, search: toSearch(ids[0] ?? "") })).length, 1, "kept");
  }
  const entries = (await store.listAudit({ limit: 9 })).filter(({ act }) => act.startsWith("source."));
  assert.deepEqual(entries.map(({ actor, act, change }) => [actor, act, change]), [
    ["cli:test", "source.discard", { source: "board", events: 2 }],
    ["cli:test", "source.release", { source: "board", events: 2 }],
  ]);
});

test("released events reach the subscriptions whose backfill covers them, once each, whenever it ran", async (store) => {
  await withSubscriber(store);
  await fetched(store, ["evt_1", "evt_2"], { published_at: T0 });
  await store.finishFetch(aFetchEnd("board", T0), () => SPIKE);
  const add = (id: string, sinceMs: number) =>
    store.addSubscription(aSubscription(id), 9, { backfill: { sinceMs, perDay: 9 } });
  await add("sub_over", T0);
  await add("sub_newer", T0 + 1);
  await subscribe(store, "sub_none");
  await catchUpAll(store);
  await add("sub_later", T0);
  await store.releaseEvents("board", "deliver", BY);
  await add("sub_last", T0);
  await store.catchUp({ ...TERMS, deliveriesFor: EVERYTHING });
  await matchAll(store);
  await catchUpAll(store);
  const got = (await claimAll(store)).map(({ subscriptionId, body }) => `${subscriptionId} ${body}`).sort();
  assert.deepEqual(
    got,
    ["sub_1", "sub_last", "sub_later", "sub_over"].flatMap((id) => [`${id} 1: evt_1`, `${id} 2: evt_2`])
      .sort(),
  );
});

test("a revision waits behind the previous version", async (store) => {
  await withSubscriber(store);
  const one = { external_id: "one" };
  const two = { ...one, version: 2, supersedes: "evt_1" };
  await fetched(store, ["evt_1"], one);
  await publish(store, [anEvent("evt_2", two)]);
  assert.deepEqual(await matched(store), []);
  await store.finishFetch(aFetchEnd("board", T0), () => SPIKE);
  await publish(store, [anEvent("evt_3", { ...one, version: 3, supersedes: "evt_2" })]);
  assert.deepEqual(await matched(store), []);
  await store.releaseEvents("board", "deliver", BY);
  assert.deepEqual(await matched(store), ["evt_1", "evt_2", "evt_3"]);
});

test("finishFetch() holds the revisions of a spike, or its new events with their revisions, and no others", async (store) => {
  await withSubscriber(store);
  const revised = (id: string, of: string) => ({
    id,
    change: { external_id: of, version: 2, supersedes: of },
  });
  const bring = async (prefix: string) => {
    await publish(store, [anEvent(`evt_${prefix}_old`, { external_id: `${prefix} old` })], false);
    await fetched(store, [`evt_${prefix}_1`], { external_id: `${prefix} new` });
    for (const { id, change } of [revised("2", "old"), revised("3", "new")]) {
      await fetched(store, [`evt_${prefix}_${id}`], {
        ...change,
        external_id: `${prefix} ${change.external_id}`,
      });
    }
  };
  await bring("a");
  const ofRevisions = { isNew: false, isRevised: true };
  assert.equal(await store.finishFetch(aFetchEnd("board", T0), () => ofRevisions), 2);
  assert.deepEqual(await matched(store), ["evt_a_1"]);
  await bring("b");
  const counted: number[][] = [];
  const held = await store.finishFetch(
    aFetchEnd("board", T0),
    ({ count, revised: changed, usualRevised }) => {
      counted.push([count, changed, usualRevised]);
      return SPIKE;
    },
  );
  assert.deepEqual([held, counted], [2, [[1, 2, 0]]]);
  assert.deepEqual(await matched(store), ["evt_b_2"], "revisions of known publications are delivered");
  assert.equal(await store.releaseEvents("board", "deliver", BY), 4);
  assert.deepEqual(await matched(store), ["evt_a_2", "evt_a_3", "evt_b_1", "evt_b_3"]);
});

test("finishFetch() passes the volume of the fetch, the usual volume and the elapsed time to the spike detection", async (store) => {
  await withSubscriber(store);
  const asked: ChangeVolume[] = [];
  const finish = (isSpike = false, atMs = T0) =>
    store.finishFetch(aFetchEnd("board", atMs), (arrivals) => {
      asked.push(arrivals);
      return isSpike ? SPIKE : NO_SPIKE;
    });
  await publish(store, [anEvent("evt_0", { published_at: T0 })], false);
  await finish();
  await fetched(store, ["evt_1", "evt_2"], { published_at: T0 + 9 });
  await fetched(store, ["evt_3"], { published_at: T0 - 3 * DAY });
  await finish();
  await fetched(store, ["evt_4", "evt_5", "evt_6", "evt_7"]);
  await finish(true);
  await fetched(store, ["evt_8"], { published_at: T0 + DAY, published_at_estimated: true });
  await finish(false, T0 + 2 * DAY);
  assert.deepEqual(asked, [
    { count: 3, older: 1, newer: 2, revised: 0, usualRevised: 0, usual: 0, perDay: 1 / 30, elapsedMs: 0 },
    { count: 4, older: 0, newer: 0, revised: 0, usualRevised: 0, usual: 3, perDay: 4 / 30, elapsedMs: 0 },
    {
      count: 1,
      older: 0,
      newer: 0,
      revised: 0,
      usualRevised: 0,
      usual: 3,
      perDay: 8 / 30,
      elapsedMs: 2 * DAY,
    },
  ]);
});

test("listSources() counts the events of each source, all versions included", async (store) => {
  await withSubscriber(store);
  await fetched(store, ["evt_1", "evt_2"]);
  await fetched(store, ["evt_3"], { external_id: "evt_1", version: 2, supersedes: "evt_1" });
  await fetched(store, ["evt_4"], { source_id: "court" });
  const counts = (await store.listSources()).map(({ id, eventCount }) => [id, eventCount]);
  assert.deepEqual(counts, [["board", 3], ["court", 1]]);
});

test("finishFetch() does not count the first fetch as a spike or as usual volume", async (store) => {
  await store.registerSources([aSource("board")], T0);
  await fetched(store, ["evt_1", "evt_2"]);
  const isSpike = () => assert.fail("asked");
  assert.equal(await store.finishFetch(aFetchEnd("board", T0), isSpike), 0);
  assert.deepEqual((await store.listSources()).map(({ usualNew }) => usualNew), [0]);
});

test("registerSources() releases events of a fetch that will never be finished", async (store) => {
  await withSubscriber(store);
  await fetched(store, ["evt_1"]);
  await fetched(store, ["evt_2"], { source_id: "court" });
  await store.registerSources([aSource("board")], T0);
  assert.deepEqual(await matched(store), ["evt_2"]);
});

test("a later language is part of its event, is found by its words and code, and has a date", async (store) => {
  await publish(store, [anEvent("evt_1"), anEvent("evt_2")]);
  const state = await store.recordsState(T0);
  await translate(store, "de");
  await translate(store, "fr", { title: "Lignes directrices", summary: "" });
  assert.notEqual(await store.recordsState(T0), state);
  const found = await store.findEvent("evt_1");
  const event = JSON.parse(found?.json ?? "");
  assert.deepEqual(event.language_versions, ["en", "de", "fr"]);
  assert.deepEqual(event.translations.de, GERMAN);
  assert.equal(event.title_en, "Guidelines evt_1");
  assert.deepEqual(
    JSON.parse(found?.later ?? "").map((later: { language: string; url: string; added_at: number }) => [
      later.language,
      later.url,
      later.added_at,
    ]),
    [["de", "https://board.example/de", T0 + DAY], ["fr", "https://board.example/fr", T0 + DAY]],
  );
  for (
    const query of [{ eventLanguages: ["de"] }, { search: toSearch("kennzeichnung") }, {
      search: toSearch("lignes"),
    }]
  ) {
    const listed = await store.listEvents({ limit: 9, ...query });
    assert.deepEqual(listed.map(({ id, json }) => [id, JSON.parse(json)]), [["evt_1", event]]);
  }
  assert.equal((await store.listEvents({ limit: 9, search: toSearch("guidelines") })).length, 2);
  assert.deepEqual((await store.listVersions("evt_1")).map((json) => JSON.parse(json)), [event]);
});

test("a later English text becomes the English title, also in later deliveries", async (store) => {
  await withSubscriber(store);
  const german = { language: "de", language_versions: ["de"], translations: { de: GERMAN } };
  await publish(store, [anEvent("evt_1", { ...german, title_en: GERMAN.title })]);
  await translate(store, "en", { title: "Guidelines", summary: "On labels." });
  const titles: string[] = [];
  await matchAll(store, { seen: ({ event }) => titles.push(event.title_en, event.summary_en) });
  assert.deepEqual(titles, ["Guidelines", "On labels."]);
});

test("recordPublications() detects texts that were added to a version or repeat another language", async (store) => {
  const key = "publication of evt_1";
  const inEnglish = { key, contentHash: "h", textHash: "en text", language: "en" };
  const inGerman = { key, contentHash: "de h", textHash: "de text", language: "de" };
  await store.recordPublications("board", [inEnglish], recordIt(anEvent("evt_1")));
  const version = anEvent("evt_2", { external_id: key, version: 2, supersedes: "evt_1" });
  await store.recordPublications(
    "board",
    [{ ...inEnglish, contentHash: "h2", textHash: "en text 2" }, inGerman],
    (one) => one.language === "de" ? { kind: "joined" } : recordIt(version)(),
  );
  const inFrench = { key, contentHash: "fr h", textHash: "en text", language: "fr" };
  await store.recordPublications("board", [inFrench], () => ({ kind: "unchanged", untranslated: true }));
  await store.recordPublications("board", [inGerman], (_, stored) => {
    const languages = [...stored?.languages ?? []];
    assert.deepEqual(languages, [["de", "de text"], ["en", "en text 2"], ["fr", "en text"]]);
    assert.deepEqual([stored?.contentHash, stored?.textHash, stored?.version], ["h2", "en text 2", 2]);
    assert.equal(stored?.event.id, "evt_2");
    return { kind: "unchanged" };
  });
  assert.equal((await store.listVersions("evt_1")).length, 2);
  assert.deepEqual(JSON.parse((await store.findEvent("evt_2"))?.later ?? ""), []);
});

test("recordPublications() recognises a publication by its text, or else by a former key", async (store) => {
  await store.recordPublications(
    "board",
    [{ key: "k", contentHash: "h", textHash: "t" }],
    recordIt(anEvent("evt_1", { external_id: "k" })),
  );
  const look = async (publication: Parameters<Store["recordPublications"]>[1][number]) => {
    let found: StoredPublication | null = null;
    await store.recordPublications("board", [publication], (_, stored) => {
      found = stored;
      return { kind: "irrelevant" };
    });
    return (found as StoredPublication | null)?.foundBy;
  };
  assert.equal(await look({ key: "n", contentHash: "h2", textHash: "t" }), "text");
  assert.equal(await look({ key: "n", contentHash: "h2", formerKeys: ["x", "k"] }), "alias");
  assert.equal(await look({ key: "n", contentHash: "h2" }), undefined);
});

test("recordPublications() remembers eight aliases of a publication, and its first key permanently", async (store) => {
  await store.recordPublications(
    "board",
    [{ key: "first", contentHash: "h" }],
    recordIt(anEvent("evt_1", { external_id: "first" })),
  );
  for (let at = 1; at <= 20; at++) {
    await store.recordPublications(
      "board",
      [{ key: `name ${at}`, contentHash: "h" }],
      (_, stored) => (assert.ok(stored), { kind: "unchanged" }),
    );
  }
  await store.recordPublications("board", [{ key: "first", contentHash: "h" }], (_, stored) => {
    const names = ["first", ...Array.from({ length: 8 }, (_, at) => `name ${at + 13}`)];
    assert.deepEqual(stored?.keys, names);
    assert.equal(stored?.renamings, 20);
    return { kind: "unchanged" };
  });
});

test("recordRemovals() counts the consecutive complete fetches in which a publication was missing", async (store) => {
  await publish(store, [anEvent("evt_1"), anEvent("evt_2"), anEvent("evt_3", { published_at: T0 - DAY })]);
  const fetchWith = async (ids: string[], sinceMs = T0 - DAY) => {
    const seen = new Set(ids.map((id) => `publication of ${id}`));
    const missed: [string, number][] = [];
    await store.recordRemovals("board", { seen, sinceMs }, (missing) => {
      missed.push(...missing.map((one): [string, number] => [one.stored.event.id, one.missed]));
      return missing.map(() => ({ kind: "missed" }));
    });
    return missed;
  };
  assert.deepEqual(await fetchWith(["evt_1"], T0), [["evt_2", 1]], "older events are not considered");
  assert.deepEqual(await fetchWith(["evt_1"]), [["evt_2", 2], ["evt_3", 1]]);
  assert.deepEqual(await fetchWith(["evt_1", "evt_2", "evt_3"]), []);
  assert.deepEqual(await fetchWith(["evt_1", "evt_3"]), [["evt_2", 1]]);
});

test("recordRemovals() records a withdrawal once, until the publication returns", async (store) => {
  await publish(store, [anEvent("evt_1", { external_id: "one" })]);
  const next = (version: number, status: "withdrawn" | null = null) =>
    recordIt(anEvent(`evt_${version}`, { external_id: "one", version, status }))();
  const remove = (version: number) =>
    store.recordRemovals(
      "board",
      { seen: new Set(), sinceMs: 0 },
      (missing) => missing.map(() => next(version, "withdrawn") as RemovalDecision),
    );
  assert.equal((await remove(2)).length, 1);
  assert.equal((await remove(3)).length, 0);
  const key = { key: "one", contentHash: "Guidelines evt_1" };
  await store.recordPublications("board", [key], (_, stored) => {
    assert.equal(stored?.withdrawn, true);
    return next(3);
  });
  assert.equal((await remove(4)).length, 1);
});
