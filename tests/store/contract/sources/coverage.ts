// Coverage: the history of fetches, its days, failing sources, and incidents.
import assert from "node:assert/strict";
import type { IncidentFacts } from "../../../../src/domain/plans/incidents.ts";
import type { FetchEnd } from "../../../../src/domain/ports/store/sources.ts";
import { NO_COUNTS } from "../../../../src/domain/source/fetch_record.ts";
import type { Problem } from "../../../../src/domain/source/incident.ts";
import { addSubscriber, aFailure, aFetchEnd, claimAll, finished, publishMatched, T0 } from "../given.ts";
import { test } from "../contract.ts";
import { register } from "./sources.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const TODAY = Math.floor(T0 / DAY);
const HASH = "5a".repeat(32);

const record = (startedAtMs: number, change: Partial<FetchEnd["record"]> = {}): Pick<FetchEnd, "record"> => ({
  record: { startedAtMs, cause: null, counts: NO_COUNTS, documentHash: null, ...change },
});
const gap = { part: "de", reason: "responded with 404", sinceMs: T0 };
const NO_FETCHES = { ok: 0, partial: 0, failing: 0, blocked: 0, empty: 0 };

test("finishFetch() records every fetch, and listFetches() lists them, newest first", async (store) => {
  await register(store, ["board", "court"]);
  const counts = { new: 3, revised: 1, unchanged: 20, translated: 2, skipped: 7, refused: 4 };
  await store.finishFetch(aFetchEnd("board", T0 + 5, record(T0, { counts, documentHash: HASH })));
  await store.finishFetch(
    aFetchEnd("board", T0 + HOUR, { ...record(T0 + HOUR - 1), partialFailures: [gap] }),
  );
  await store.finishFetch(
    aFailure("board", T0 + 2 * HOUR, {
      ...record(T0 + 2 * HOUR - 9, { cause: "refused" }),
      outcome: "blocked",
    }),
  );
  await store.finishFetch(aFailure("court", T0));
  const rest = { cause: null, counts: NO_COUNTS, documentHash: null };
  const [blocked, partial, ok] = [
    {
      ...rest,
      startedAtMs: T0 + 2 * HOUR - 9,
      endedAtMs: T0 + 2 * HOUR,
      outcome: "blocked",
      cause: "refused",
    },
    { ...rest, startedAtMs: T0 + HOUR - 1, endedAtMs: T0 + HOUR, outcome: "partial" },
    { ...rest, startedAtMs: T0, endedAtMs: T0 + 5, outcome: "ok", counts, documentHash: HASH },
  ];
  assert.deepEqual(await store.listFetches("board", { limit: 9 }), [blocked, partial, ok]);
  assert.deepEqual(await store.listFetches("board", { limit: 1 }), [blocked]);
  assert.deepEqual(await store.listFetches("board", { limit: 1, beforeMs: T0 + HOUR - 1 }), [ok]);
  assert.deepEqual(await store.listFetches("unknown", { limit: 9 }), []);
});

test("listFetchDays() counts the fetches of each UTC day, with the longest time without a success", async (store) => {
  await register(store, ["board", "court", "new"]);
  const end = (atMs: number, change: Partial<FetchEnd> = {}) =>
    store.finishFetch(aFetchEnd("board", atMs, { ...record(atMs), nextDueAtMs: atMs + HOUR, ...change }));
  const midnight = (TODAY + 1) * DAY;
  await end(T0);
  await end(T0 + HOUR);
  await end(T0 + 4 * HOUR, { partialFailures: [gap] });
  await end(midnight - 1, { outcome: "failing", ...record(midnight - 1, { cause: "timeout" }) });
  await end(midnight, { outcome: "empty", ...record(midnight, { cause: "too_few_items" }) });
  await end(midnight + 4 * HOUR);
  await end(midnight + 5 * HOUR);
  await store.finishFetch(aFailure("court", T0, { outcome: "blocked", nextDueAtMs: T0 + 9 }));
  const first = {
    day: TODAY,
    fetches: { ...NO_FETCHES, ok: 2, partial: 1, failing: 1 },
    longestGapMs: 3 * HOUR,
    nextDueAtMs: midnight - 1 + HOUR,
  };
  const second = {
    day: TODAY + 1,
    fetches: { ...NO_FETCHES, ok: 2, empty: 1 },
    longestGapMs: 12 * HOUR,
    nextDueAtMs: midnight + 6 * HOUR,
  };
  const court = { day: TODAY, fetches: { ...NO_FETCHES, blocked: 1 }, longestGapMs: 0, nextDueAtMs: T0 + 9 };
  assert.deepEqual(
    await store.listFetchDays(TODAY, TODAY + 1),
    new Map([["board", [first, second]], ["court", [court]], ["new", []]]),
  );
  assert.deepEqual((await store.listFetchDays(TODAY + 1, TODAY + 9)).get("board"), [second]);
});

test("finishFetch() stores no negative gap after the clock was set back", async (store) => {
  await register(store, ["board"]);
  await store.finishFetch(aFetchEnd("board", T0));
  await store.finishFetch(aFetchEnd("board", T0 - HOUR));
  const [day] = (await store.listFetchDays(TODAY, TODAY)).get("board") ?? [];
  assert.deepEqual([day?.fetches.ok, day?.longestGapMs], [2, 0]);
});

test("removeFetches() removes old fetches in batches, and keeps their days", async (store) => {
  await register(store, ["board", "court"]);
  for (const id of ["board", "court"]) {
    for (let at = 0; at < 4; at++) await store.finishFetch(aFetchEnd(id, T0 + at * HOUR));
  }
  const remove = () => store.removeFetches(T0 + HOUR, 3);
  assert.deepEqual([await remove(), await remove(), await remove()], [3, 1, 0]);
  for (const id of ["board", "court"]) {
    const left = await store.listFetches(id, { limit: 9 });
    assert.deepEqual(left.map(({ startedAtMs }) => startedAtMs), [T0 + 3 * HOUR, T0 + 2 * HOUR]);
    assert.equal((await store.listFetchDays(TODAY, TODAY)).get(id)?.[0]?.fetches.ok, 4);
  }
});

test("listFailingSources() returns since when and why each source fails", async (store) => {
  await register(store, ["board", "court", "agency", "new"]);
  const fail = (id: string, atMs: number, change: Partial<FetchEnd> = {}) =>
    store.finishFetch(aFailure(id, atMs, { ...record(atMs - 1, { cause: "timeout" }), ...change }));
  await store.finishFetch(aFetchEnd("board", T0, record(T0 - 1)));
  await fail("board", T0 + HOUR);
  await fail("board", T0 + 2 * HOUR, { ...record(T0 + 2 * HOUR, { cause: "refused" }), outcome: "blocked" });
  await fail("court", T0);
  await fail("court", T0 + 1);
  await fail("agency", T0);
  await store.finishFetch(aFetchEnd("agency", T0 + HOUR));
  assert.deepEqual(await store.listFailingSources(), [
    { sourceId: "board", sinceMs: T0 + HOUR, cause: "refused" },
    { sourceId: "court", sinceMs: T0, cause: "timeout" },
  ]);
});

test("reviewIncidents() begins, changes and ends incidents, and listIncidents() lists them", async (store) => {
  await register(store, ["board", "court"]);
  let ids = 0;
  const review = (nowMs: number, problems: Problem[], recoveries: IncidentFacts["recoveries"] = new Map()) =>
    store.reviewIncidents({ problems, recoveries, nowMs }, () => `inc_${++ids}`);
  const list = (sinceMs = 0, limit = 9) => store.listIncidents({ sinceMs, limit });
  const failing: Problem = { kind: "failing", sourceId: "board", cause: "timeout", sinceMs: T0 };
  const late: Problem = { kind: "deliveries_late", sourceId: null, cause: null, sinceMs: T0 + HOUR };
  await review(T0 + HOUR, [failing]);
  const first = { ...failing, id: "inc_1", endedAtMs: null, updatedAtMs: T0 + HOUR };
  assert.deepEqual(await list(), [first]);
  await review(T0 + HOUR + 30 * MINUTE, [failing, late]);
  assert.deepEqual(await list(), [first], "nothing has changed");

  const blocked: Problem = { ...failing, kind: "blocked", cause: "refused" };
  await review(T0 + 2 * HOUR, [blocked, late]);
  const changed = { ...first, ...blocked, updatedAtMs: T0 + 2 * HOUR };
  const second = { ...late, id: "inc_2", endedAtMs: null, updatedAtMs: T0 + 2 * HOUR };
  assert.deepEqual(await list(), [second, changed]);

  await review(T0 + 2 * HOUR + MINUTE, [late], new Map([["board", [T0 + 2 * HOUR + 1, null]]]));
  const over = { ...changed, endedAtMs: T0 + 2 * HOUR + 1, updatedAtMs: T0 + 2 * HOUR + MINUTE };
  assert.deepEqual(await list(), [second, over]);
  assert.deepEqual(await list(T0 + 2 * HOUR + 1), [second], "those that ended later");
  assert.deepEqual(await list(0, 1), [second]);

  await review(T0 + DAY, []);
  assert.deepEqual(
    (await list(T0 + 3 * HOUR)).map(({ id, kind, sinceMs, endedAtMs }) => [id, kind, sinceMs, endedAtMs]),
    [["inc_3", "stopped", T0 + 2 * HOUR + MINUTE, T0 + DAY], [
      "inc_2",
      "deliveries_late",
      T0 + HOUR,
      T0 + DAY,
    ]],
    "the service did not run",
  );
});

test("feedId() returns the id of the first call", async (store) => {
  assert.equal(await store.feedId("a"), "a");
  assert.equal(await store.feedId("b"), "a");
});

test("oldestOverdue() finds the earliest due delivery to an endpoint that works", async (store) => {
  assert.equal(await store.oldestOverdue(T0 + DAY), null);
  await addSubscriber(store);
  await publishMatched(store, 1, 1, { nowMs: T0 });
  assert.equal(await store.oldestOverdue(T0 - 1), null);
  assert.equal(await store.oldestOverdue(T0), T0);
  const [delivery] = await claimAll(store, T0);
  assert.equal(await store.oldestOverdue(T0), null, "an attempt is in progress");
  assert.ok(delivery !== undefined);
  await store.finishAttempts([finished(delivery, { kind: "retry", atMs: T0 + HOUR })], T0 + 1);
  assert.equal(await store.oldestOverdue(T0 + DAY), null, "the endpoint fails");
});
