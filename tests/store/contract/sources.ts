// Promises about sources: which are known, who leases them, what is kept of a fetch.
import assert from "node:assert/strict";
import type { FetchEnd, Store } from "../../../src/domain/store.ts";
import { first, LEASE, T0 } from "./given.ts";
import type { StorePromise } from "./promise.ts";

const HOUR = 3_600_000;

/** Registers sources whose schedule runs next in an hour. */
async function register(store: Store, ids: readonly string[], nowMs = T0, freeLeases = false): Promise<void> {
  await store.registerSources(ids.map((id) => ({ id, nextRunAtMs: nowMs + HOUR })), { nowMs, freeLeases });
}

async function claimIds(
  store: Store,
  nowMs: number,
  options: { limit?: number; ids?: readonly string[] } = {},
): Promise<string[]> {
  const known = (await store.listSources()).map((source) => source.id);
  const claimed = await store.claimSources({
    nowMs,
    leaseMs: LEASE,
    limit: options.limit ?? 100,
    ids: options.ids ?? known,
    due: options.ids === undefined ? "only" : "any",
  });
  return claimed.map((source) => source.id);
}

function success(sourceId: string, atMs: number, change: Partial<FetchEnd> = {}): FetchEnd {
  return {
    sourceId,
    atMs,
    nextDueAtMs: atMs + HOUR,
    success: { cursor: null, identityRule: "guid" },
    error: null,
    ...change,
  };
}

/** Makes each source due at its own time. */
async function registerDueAt(store: Store, due: Record<string, number>): Promise<void> {
  await register(store, Object.keys(due));
  for (const [id, nextDueAtMs] of Object.entries(due)) {
    await store.finishFetch(success(id, T0, { nextDueAtMs }));
  }
}

/** What the port promises of sources. */
export const sourcePromises: StorePromise[] = [
  {
    name: "registerSources() makes a source that was never seen due at once, with nothing known of it",
    check: async (store) => {
      await register(store, ["board"]);
      assert.deepEqual(await store.listSources(), [{
        id: "board",
        cursor: null,
        identityRule: "guid",
        formerRules: [],
        timezone: null,
        usualNew: 0,
        heldBack: 0,
        firstSuccessAtMs: null,
        lastAttemptAtMs: null,
        lastSuccessAtMs: null,
        consecutiveFailures: 0,
        lastError: null,
        nextDueAtMs: T0,
      }]);
    },
  },
  {
    name:
      "registerSources() leaves no source due later than its next run, and moves none that is due earlier",
    check: async (store) => {
      await registerDueAt(store, { early: T0 + 1, late: T0 + 9 * HOUR });
      await register(store, ["early", "late"], T0);
      const due = (await store.listSources()).map((source) => [source.id, source.nextDueAtMs]);
      assert.deepEqual(due, [["early", T0 + 1], ["late", T0 + HOUR]]);
    },
  },
  {
    name: "registerSources() leaves the other sources as they are, with all that is known of them",
    check: async (store) => {
      await register(store, ["agency", "board"]);
      await store.finishFetch(success("board", T0, { success: { cursor: "etag 1", identityRule: "link" } }));
      await register(store, ["agency", "court"]);
      const board = (await store.listSources()).find((source) => source.id === "board");
      assert.equal(board?.cursor, "etag 1");
      assert.equal(board?.identityRule, "link");
      assert.equal(board?.firstSuccessAtMs, T0);
      assert.deepEqual(await claimIds(store, T0 + 9 * HOUR), ["agency", "court", "board"]);
    },
  },
  {
    name: "registerSources() ends leases only when it is told that their holders are gone",
    check: async (store) => {
      await register(store, ["board", "court"]);
      assert.deepEqual(await claimIds(store, T0), ["board", "court"]);
      await register(store, ["board"]);
      assert.deepEqual(await claimIds(store, T0), []);
      await register(store, ["board"], T0, true);
      assert.deepEqual(await claimIds(store, T0), ["board"]);
    },
  },
  {
    name: "claimSources() gives no source but those that are named, due or not",
    check: async (store) => {
      await register(store, ["agency", "board"]);
      const claim = { nowMs: T0, leaseMs: LEASE, limit: 9, ids: ["board"], due: "only" as const };
      assert.deepEqual((await store.claimSources(claim)).map((source) => source.id), ["board"]);
      assert.deepEqual(await store.claimSources({ ...claim, ids: [] }), []);
    },
  },
  {
    name: "isKnownSource() knows every source that was ever registered, and no other",
    check: async (store) => {
      await register(store, ["agency"]);
      await register(store, ["board"]);
      assert.equal(await store.isKnownSource("agency"), true);
      assert.equal(await store.isKnownSource("board"), true);
      assert.equal(await store.isKnownSource("court"), false);
    },
  },
  {
    name: "listSources() gives every known source by id",
    check: async (store) => {
      await register(store, ["court", "agency", "board"]);
      assert.deepEqual((await store.listSources()).map((source) => source.id), ["agency", "board", "court"]);
    },
  },
  {
    name: "claimSources() never gives a leased source twice, and gives it again when the lease has run out",
    check: async (store) => {
      await register(store, ["board"]);
      const both = await Promise.all([claimIds(store, T0), claimIds(store, T0)]);
      assert.deepEqual(both.flat(), ["board"]);
      assert.deepEqual(await claimIds(store, T0 + LEASE - 1), []);
      assert.deepEqual(await claimIds(store, T0 + LEASE), ["board"]);
      assert.deepEqual(await claimIds(store, T0 + LEASE), []);
    },
  },
  {
    name: "claimSources() gives only what is due, the longest due first, at most the limit",
    check: async (store) => {
      await registerDueAt(store, { a: T0 + 30, b: T0 + 10, c: T0 + 20, d: T0 + 41 });
      assert.deepEqual(await claimIds(store, T0 + 40, { limit: 2 }), ["b", "c"]);
      assert.deepEqual(await claimIds(store, T0 + 40), ["a"]);
      assert.deepEqual(await claimIds(store, T0 + 41), ["d"]);
    },
  },
  {
    name: "claimSources() gives the named sources, due or not, unless they are leased, the longest due first",
    check: async (store) => {
      await registerDueAt(store, { a: T0 + 9 * HOUR, b: T0 + 10, c: T0 + 5 * HOUR, d: T0 });
      assert.deepEqual(await claimIds(store, T0, { ids: ["a", "c", "unknown"], limit: 1 }), ["c"]);
      assert.deepEqual(await claimIds(store, T0, { ids: ["a", "b", "c"] }), ["b", "a"]);
      assert.deepEqual(await claimIds(store, T0, { ids: [] }), []);
      assert.deepEqual(await claimIds(store, T0), ["d"]);
    },
  },
  {
    name: "claimSources() gives the state that the fetch needs",
    check: async (store) => {
      await register(store, ["board"]);
      const cursor = JSON.stringify({ etag: 'W/"ä"', at: "Mon, 20 Jul 2026 11:00:00 GMT" });
      await store.finishFetch(success("board", T0, { success: { cursor, identityRule: "link+title" } }));
      const claimed = await store.claimSources({
        nowMs: T0 + HOUR,
        leaseMs: LEASE,
        limit: 1,
        ids: ["board"],
        due: "only",
      });
      assert.equal(first(claimed).cursor, cursor);
      assert.equal(first(claimed).identityRule, "link+title");
    },
  },
  {
    name:
      "finishFetch() keeps a success: its time, the cursor, the rule and the next run, and ends the lease",
    check: async (store) => {
      await register(store, ["board"]);
      await claimIds(store, T0);
      await store.finishFetch(success("board", T0 + 5, { nextDueAtMs: T0 + 7 }));
      assert.deepEqual(await claimIds(store, T0 + 6), []);
      assert.deepEqual(await claimIds(store, T0 + 7), ["board"]);
      const again = { cursor: "etag 2", identityRule: "link" } as const;
      await store.finishFetch(success("board", T0 + 8, { nextDueAtMs: T0 + 99, success: again }));
      assert.deepEqual(await store.listSources(), [{
        id: "board",
        cursor: "etag 2",
        identityRule: "link",
        formerRules: [],
        timezone: null,
        usualNew: 0,
        heldBack: 0,
        firstSuccessAtMs: T0 + 5,
        lastAttemptAtMs: T0 + 8,
        lastSuccessAtMs: T0 + 8,
        consecutiveFailures: 0,
        lastError: null,
        nextDueAtMs: T0 + 99,
      }]);
    },
  },
  {
    name: "finishFetch() counts failures, keeps what the last success left, and a success ends the count",
    check: async (store) => {
      await register(store, ["board"]);
      await store.finishFetch(success("board", T0, { success: { cursor: "etag", identityRule: "link" } }));
      for (const [at, error] of ["timed out", "answered 503"].entries()) {
        await claimIds(store, T0 + HOUR + at);
        const atMs = T0 + HOUR + at;
        await store.finishFetch({ sourceId: "board", atMs, nextDueAtMs: atMs + 1, success: null, error });
      }
      assert.deepEqual(await store.listSources(), [{
        id: "board",
        cursor: "etag",
        identityRule: "link",
        formerRules: [],
        timezone: null,
        usualNew: 0,
        heldBack: 0,
        firstSuccessAtMs: T0,
        lastAttemptAtMs: T0 + HOUR + 1,
        lastSuccessAtMs: T0,
        consecutiveFailures: 2,
        lastError: "answered 503",
        nextDueAtMs: T0 + HOUR + 2,
      }]);
      assert.deepEqual(await claimIds(store, T0 + HOUR + 2), ["board"], "a failure ends the lease too");

      await store.finishFetch(success("board", T0 + 2 * HOUR));
      const [healed] = await store.listSources();
      assert.equal(healed?.consecutiveFailures, 0);
      assert.equal(healed?.lastError, null);
      assert.equal(healed?.firstSuccessAtMs, T0);
    },
  },
];
