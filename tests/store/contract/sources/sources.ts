// Sources: registration, leases, and the results of fetches.
import assert from "node:assert/strict";
import { untouchedSource } from "../../../../src/domain/source/source.ts";
import type { RegisteredSource, SourceClaim } from "../../../../src/domain/ports/store/sources.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  aClaim,
  aFailure,
  aFetchEnd,
  anEvent,
  aPublication,
  aSource,
  LEASE,
  recordIt,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";
import { LeaseLostError } from "../../../../src/domain/source/lease.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Registers sources whose next scheduled run is in an hour. New sources are due at once. */
export async function register(
  store: Store,
  ids: readonly string[],
  nowMs = T0,
  change: Partial<RegisteredSource> = {},
): Promise<void> {
  await store.registerSources(ids.map((id) => aSource(id, { nextRunAtMs: nowMs + HOUR, ...change })), nowMs);
}

export async function claimIds(
  store: Store,
  nowMs: number,
  change: Partial<SourceClaim> = {},
): Promise<string[]> {
  const known = (await store.listSources()).map((source) => source.id);
  const due = change.ids === undefined ? "only" : "any";
  const claimed = await store.claimSources(aClaim(known, { nowMs, due, ...change }));
  return claimed.map((source) => source.id);
}

async function registerDueAt(store: Store, due: Record<string, number>): Promise<void> {
  await register(store, Object.keys(due));
  for (const [id, nextDueAtMs] of Object.entries(due)) {
    await store.finishFetch(aFetchEnd(id, T0, { nextDueAtMs }));
  }
}

test("registerSources() makes a new source due at once, without any history", async (store) => {
  await register(store, ["board"]);
  assert.deepEqual(await store.listSources(), [untouchedSource("board", T0)]);
});

test("registerSources() makes a source with a changed schedule due at its next run, unless the source is due earlier", async (store) => {
  await registerDueAt(store, { early: T0 + 1, late: T0 + 9 * HOUR });
  const due = async () => (await store.listSources()).map((source) => [source.id, source.nextDueAtMs]);
  await register(store, ["early", "late"]);
  assert.deepEqual(await due(), [["early", T0 + 1], ["late", T0 + 9 * HOUR]]);
  await register(store, ["early", "late"], T0, { schedule: "*/5 * * * *" });
  assert.deepEqual(await due(), [["early", T0 + 1], ["late", T0 + HOUR]]);
});

test("registerSources() corrects times that are in the future after a clock rollback", async (store) => {
  const ahead = T0 + 400 * DAY;
  await register(store, ["daily", "hourly", "weekly"]);
  await store.finishFetch(aFetchEnd("hourly", ahead, { nextDueAtMs: ahead + HOUR }));
  await store.finishFetch(aFetchEnd("daily", T0, { nextDueAtMs: ahead }));
  await register(store, ["daily", "hourly"]);
  await register(store, ["weekly"], T0, { nextRunAtMs: T0 + 7 * DAY });
  const due = (await store.listSources()).map((source) => source.nextDueAtMs - T0);
  assert.deepEqual(due, [DAY, HOUR, 0], "at the latest after a day, or at the next run");
});

test("registerSources() does not change other sources and their history", async (store) => {
  await register(store, ["agency", "board"]);
  await store.finishFetch(aFetchEnd("board", T0, { kept: { cursor: "etag 1", identityRule: "link" } }));
  await register(store, ["agency", "court"]);
  const board = (await store.listSources()).find((source) => source.id === "board");
  assert.equal(board?.cursor, "etag 1");
  assert.equal(board?.identityRule, "link");
  assert.equal(board?.firstSuccessAtMs, T0);
  assert.deepEqual(await claimIds(store, T0 + 9 * HOUR), ["agency", "court", "board"]);
});

test("registerSources() keeps leases, because a starting process does not know which others are running", async (store) => {
  await register(store, ["board"]);
  assert.deepEqual(await claimIds(store, T0), ["board"]);
  await register(store, ["board"]);
  assert.deepEqual(await claimIds(store, T0), []);
});

test("isKnownSource() is true for every source that was ever registered, and for no other", async (store) => {
  await register(store, ["agency"]);
  await register(store, ["board"]);
  assert.equal(await store.isKnownSource("agency"), true);
  assert.equal(await store.isKnownSource("board"), true);
  assert.equal(await store.isKnownSource("court"), false);
});

test("claimSources() returns a leased source again only after the lease has expired", async (store) => {
  await register(store, ["board"]);
  const both = await Promise.all([claimIds(store, T0), claimIds(store, T0)]);
  assert.deepEqual(both.flat(), ["board"]);
  assert.deepEqual(await claimIds(store, T0 + LEASE - 1), []);
  assert.deepEqual(await claimIds(store, T0 + LEASE), ["board"]);
  assert.deepEqual(await claimIds(store, T0 + LEASE), []);
});

test("claimSources() returns only due sources, longest due first, up to the limit", async (store) => {
  await registerDueAt(store, { a: T0 + 30, b: T0 + 10, c: T0 + 20, d: T0 + 41 });
  assert.deepEqual(await claimIds(store, T0 + 40, { limit: 2 }), ["b", "c"]);
  assert.deepEqual(await claimIds(store, T0 + 40), ["a"]);
  assert.deepEqual(await claimIds(store, T0 + 41), ["d"]);
});

test("claimSources() returns the named sources, due or not, unless leased, longest due first", async (store) => {
  await registerDueAt(store, { a: T0 + 9 * HOUR, b: T0 + 10, c: T0 + 5 * HOUR, d: T0 });
  assert.deepEqual(await claimIds(store, T0, { ids: ["a", "c", "unknown"], limit: 1 }), ["c"]);
  assert.deepEqual(await claimIds(store, T0, { ids: ["a", "b", "c"] }), ["b", "a"]);
  assert.deepEqual(await claimIds(store, T0, { ids: [] }), []);
  assert.deepEqual(await claimIds(store, T0), ["d"]);
});

test("claimSources() ignores a lease that ends later than any valid lease can", async (store) => {
  await register(store, ["board"]);
  assert.deepEqual(await claimIds(store, T0 + DAY), ["board"]);
  assert.deepEqual(await claimIds(store, T0), ["board"], "the clock was set back");
});

test("claimSources() limits the sources of a host, whichever process has leased the others", async (store) => {
  await register(store, ["a", "b", "c"], T0, { host: "board.example" });
  await register(store, ["d"], T0, { host: "court.example" });
  await register(store, ["e", "f"]);
  assert.deepEqual(await claimIds(store, T0, { perHost: 2, holder: "prc_2" }), ["a", "b", "d", "e", "f"]);
  assert.deepEqual(await claimIds(store, T0, { perHost: 2 }), []);
  await store.finishFetch(aFetchEnd("a", T0 + 1, { holder: "prc_2" }));
  assert.deepEqual(await claimIds(store, T0 + 1, { perHost: 2 }), ["c"]);
});

test("extendLease() extends only the holder's own lease", async (store) => {
  await register(store, ["board"]);
  await claimIds(store, T0);
  const extend = (holder: string) =>
    store.extendLease({ sourceId: "board", holder, untilMs: T0 + LEASE + 10 });
  assert.equal(await extend("prc_2"), false);
  assert.equal(await extend("prc_1"), true);
  assert.deepEqual(await claimIds(store, T0 + LEASE + 9), []);
  assert.deepEqual(await claimIds(store, T0 + LEASE + 10, { holder: "prc_2" }), ["board"]);
  assert.equal(await extend("prc_1"), false, "another process has leased it");
});

test("finishFetch() stores the outcome even if the lease has expired in the meantime", async (store) => {
  await register(store, ["board"]);
  await claimIds(store, T0);
  await store.finishFetch(aFailure("board", T0 + LEASE + 1, { nextDueAtMs: T0, outcome: "blocked" }));
  const [state] = await store.listSources();
  assert.deepEqual([state?.outcome, state?.lastError], ["blocked", "timed out"]);
});

test("finishFetch() stores the identity rule of an empty fetch, and counts the fetch as a failure", async (store) => {
  await register(store, ["board"]);
  const kept = { cursor: null, identityRule: "link" } as const;
  await store.finishFetch(aFailure("board", T0, { outcome: "empty", kept }));
  const [state] = await store.listSources();
  assert.deepEqual(
    [state?.outcome, state?.identityRule, state?.consecutiveFailures, state?.firstSuccessAtMs],
    ["empty", "link", 1, null],
  );
});

test("finishFetch() stores the time, cursor, identity rule and next run of a success, and ends the lease", async (store) => {
  await register(store, ["board"]);
  await claimIds(store, T0);
  await store.finishFetch(aFetchEnd("board", T0 + 5, { nextDueAtMs: T0 + 7 }));
  assert.deepEqual(await claimIds(store, T0 + 6), []);
  assert.deepEqual(await claimIds(store, T0 + 7), ["board"]);
  const kept = { cursor: "etag 2", identityRule: "link" } as const;
  const cadence = { lastAtMs: T0 + 5, days: [20_654], seen: "0badcafe" };
  const moves = [
    { from: "https://a.example", url: "https://b.example", sinceMs: T0, adoptedAtMs: T0 + 8 },
    { from: "https://a.example/de", url: "https://b.example/de", sinceMs: T0, adoptedAtMs: null },
  ];
  const partialFailures = [{ part: "de: https://a.example/de", reason: "responded with 404", sinceMs: T0 }];
  const rest = { outcomeSinceMs: T0 + 5, cadence, moves, partialFailures, narrowUntilMs: T0 + 3 };
  await store.finishFetch(aFetchEnd("board", T0 + 8, { ...rest, kept, nextDueAtMs: T0 + 99 }));
  assert.deepEqual(await store.listSources(), [{
    ...untouchedSource("board", T0 + 99),
    ...kept,
    ...rest,
    firstSuccessAtMs: T0 + 5,
    lastAttemptAtMs: T0 + 8,
    lastSuccessAtMs: T0 + 8,
    outcome: "ok",
  }]);
});

test("finishFetch() keeps a schedule that was changed in the meantime, but waits until the source may be fetched", async (store) => {
  const changed = { schedule: "*/5 * * * *", nextRunAtMs: T0 + 300_000 };
  const rows: [name: string, notBeforeMs: number, dueAtMs: number][] = [
    ["ok", T0 + 9, T0 + 300_000],
    ["back-off", T0 + 2 * HOUR, T0 + 2 * HOUR],
  ];
  for (const [id, notBeforeMs, dueAtMs] of rows) {
    await register(store, [id]);
    await claimIds(store, T0, { ids: [id] });
    await register(store, [id], T0, changed);
    await store.finishFetch(aFetchEnd(id, T0 + 9, { nextDueAtMs: T0 + HOUR, notBeforeMs }));
    const dueAt = async () => (await store.listSources()).find((source) => source.id === id)?.nextDueAtMs;
    assert.equal(await dueAt(), dueAtMs, id);
    const later = { schedule: changed.schedule, nextDueAtMs: T0 + 3 * HOUR };
    await store.finishFetch(aFetchEnd(id, T0 + 10, later));
    assert.equal(await dueAt(), T0 + 3 * HOUR);
  }
});

test("finishFetch() counts no failure that was not the source's fault", async (store) => {
  await register(store, ["board"]);
  await store.finishFetch(aFailure("board", T0));
  await store.finishFetch(aFailure("board", T0 + 1, { isItsFault: false, error: "no room" }));
  const [state] = await store.listSources();
  assert.deepEqual([state?.consecutiveFailures, state?.lastError, state?.outcome], [1, "no room", "failing"]);
});

test("finishFetch() counts failures until a success, and keeps the state of the last success", async (store) => {
  await register(store, ["board"]);
  await store.finishFetch(aFetchEnd("board", T0, { kept: { cursor: "etag", identityRule: "link" } }));
  for (const [at, error] of ["timed out", "responded with 503"].entries()) {
    await claimIds(store, T0 + HOUR + at);
    const atMs = T0 + HOUR + at;
    await store.finishFetch(aFailure("board", atMs, { nextDueAtMs: atMs + 1, error }));
  }
  const [failing] = await store.listSources();
  assert.deepEqual(failing, {
    ...untouchedSource("board", T0 + HOUR + 2),
    cursor: "etag",
    identityRule: "link",
    firstSuccessAtMs: T0,
    lastAttemptAtMs: T0 + HOUR + 1,
    lastSuccessAtMs: T0,
    consecutiveFailures: 2,
    lastError: "responded with 503",
    outcome: "failing",
    outcomeSinceMs: T0 + HOUR + 1,
  });
  assert.deepEqual(await claimIds(store, T0 + HOUR + 2), ["board"], "a failure ends the lease too");

  await store.finishFetch(aFetchEnd("board", T0 + 2 * HOUR));
  const [ok] = await store.listSources();
  assert.deepEqual([ok?.consecutiveFailures, ok?.lastError, ok?.firstSuccessAtMs], [0, null, T0]);
});

test("claimSources() respects the spacing of a host after a claim and after a fetch", async (store) => {
  await register(store, ["a", "b"], T0, { host: "board.example" });
  const spacing = { perHost: 9, spacingOf: (host: string) => host === "board.example" ? 10 : 0 };
  assert.deepEqual(await claimIds(store, T0, spacing), ["a"]);
  assert.deepEqual(await claimIds(store, T0 + 9, spacing), []);
  const hosts = [{ host: "board.example", freeAtMs: T0 + 25, pausedUntilMs: 0 }];
  await store.finishFetch(aFetchEnd("a", T0 + 15, { hosts }));
  assert.deepEqual(await claimIds(store, T0 + 24, { ...spacing, ids: ["b"] }), [], "named or not");
  assert.deepEqual(await claimIds(store, T0 + 25, spacing), ["b"]);
});

test("claimSources() returns no source of a paused host unless it is named", async (store) => {
  await register(store, ["a", "b"], T0, { host: "board.example" });
  await register(store, ["c"], T0, { host: "court.example" });
  await claimIds(store, T0, { ids: ["a"] });
  const pause = (pausedUntilMs: number) => [{ host: "board.example", freeAtMs: 0, pausedUntilMs }];
  await store.finishFetch(aFailure("a", T0, { nextDueAtMs: T0, hosts: pause(T0 + HOUR) }));
  await store.finishFetch(aFailure("a", T0, { nextDueAtMs: T0, hosts: pause(T0 + 1) }));
  assert.deepEqual(
    (await store.listSources()).map((source) => source.hostPausedUntilMs),
    [T0 + HOUR, T0 + HOUR, null],
    "a shorter pause does not shorten a longer one",
  );
  assert.deepEqual(await claimIds(store, T0 + HOUR - 1), ["c"]);
  assert.deepEqual(await claimIds(store, T0 + HOUR - 1, { ids: ["b"] }), ["b"]);
  assert.deepEqual(await claimIds(store, T0 + HOUR, { perHost: 2 }), ["a"]);
});

test("finishFetch() ends an assumed pause of a host that responds, if the pause began before the request", async (store) => {
  await register(store, ["a", "b"], T0, { host: "board.example" });
  await claimIds(store, T0, { ids: ["a"] });
  const pausedUntil = async () => (await store.listSources())[0]?.hostPausedUntilMs;
  const pause = (pausedUntilMs: number, guessed: boolean) =>
    store.finishFetch(
      aFailure("a", T0, { hosts: [{ host: "board.example", freeAtMs: 0, pausedUntilMs, guessed }] }),
    );
  const answer = (sinceMs: number) =>
    store.finishFetch(aFetchEnd("b", T0 + 2, { responded: { hosts: ["board.example"], sinceMs } }));
  await pause(T0 + HOUR, true);
  await answer(T0 - 1);
  assert.equal(await pausedUntil(), T0 + HOUR, "the request preceded the refusal");
  await answer(T0 + 1);
  assert.equal(await pausedUntil(), null);
  for (const guesses of [[false], [false, true], [true, false]]) {
    for (const [at, guessed] of guesses.entries()) await pause(T0 + HOUR + at, guessed);
    await answer(T0 + 1);
    assert.equal(await pausedUntil(), T0 + HOUR + guesses.length - 1, `guessed: ${guesses}`);
    await store.finishFetch(
      aFetchEnd("b", T0 - DAY, { hosts: [{ host: "board.example", freeAtMs: 0, pausedUntilMs: 0 }] }),
    );
    assert.equal(await pausedUntil(), null, "the clock was set back");
  }
});

test("claimSources() ignores the pause of a host after a clock rollback", async (store) => {
  await register(store, ["a"], T0 - DAY, { host: "board.example" });
  const hosts = [{ host: "board.example", freeAtMs: T0 + HOUR, pausedUntilMs: T0 + HOUR }];
  await store.finishFetch(aFailure("a", T0, { nextDueAtMs: T0 - DAY, hosts }));
  assert.deepEqual(await claimIds(store, T0 + 1), []);
  assert.deepEqual(await claimIds(store, T0 - 1), ["a"]);
});

test("a fetch whose source has been leased by another holder stores nothing", async (store) => {
  await store.registerSources([aSource("board")], T0);
  const claim = (nowMs: number, holder: string) => store.claimSources(aClaim(["board"], { nowMs, holder }));
  await claim(T0, "prc_1");
  await claim(T0 + LEASE, "prc_2");
  const keepNothing = async () => {
    const record = () =>
      store.recordPublications("board", [aPublication("guid", "x")], recordIt(anEvent("evt_1")), "prc_1");
    const remove = () =>
      store.recordRemovals("board", { seen: new Set(), sinceMs: 0, holder: "prc_1" }, () => []);
    const finish = () => store.finishFetch(aFailure("board", T0 + LEASE + 1));
    for (const late of [record, remove, finish]) {
      await assert.rejects(async () => await late(), LeaseLostError);
    }
    assert.equal(await store.findEvent("evt_1"), null);
  };
  await keepNothing();
  assert.deepEqual(await claim(T0 + LEASE + 2, "prc_1"), [], "the lease stays");
  await store.finishFetch(aFetchEnd("board", T0 + LEASE + 3, { holder: "prc_2" }));
  await keepNothing();
  assert.equal((await store.listSources())[0]?.outcome, "ok");
});

test("requestFetch() makes a source due now, and is audited", async (store) => {
  await registerDueAt(store, { board: T0 + 9 * HOUR });
  assert.deepEqual(await claimIds(store, T0 + 1), []);
  const by = { actor: "console:ana", address: "192.0.2.7", atMs: T0 + 1 };
  assert.equal(await store.requestFetch("unknown", by), false);
  assert.equal(await store.requestFetch("board", by), true);
  assert.deepEqual(await claimIds(store, T0 + 1), ["board"]);
  assert.deepEqual(await store.listAudit({ limit: 9 }), [
    { seq: 1, ...by, act: "source.fetch", customerId: null, change: { source: "board" } },
  ]);
});
