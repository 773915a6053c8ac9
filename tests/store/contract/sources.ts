// Promises about sources: which are active, who leases them, what is kept of a fetch.
import assert from "node:assert/strict";
import type { FetchEnd, Store } from "../../../src/domain/store.ts";
import { first, LEASE, T0 } from "./given.ts";
import type { StorePromise } from "./promise.ts";

const HOUR = 3_600_000;

/** Activates sources whose schedule runs next in an hour. */
async function activate(store: Store, ids: readonly string[], nowMs = T0): Promise<void> {
  await store.activateSources(ids.map((id) => ({ id, nextRunAtMs: nowMs + HOUR })), nowMs);
}

async function claimIds(
  store: Store,
  nowMs: number,
  options: { limit?: number; ids?: readonly string[] } = {},
): Promise<string[]> {
  const claimed = await store.claimSources({ nowMs, leaseMs: LEASE, limit: 100, ...options });
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
async function activateDueAt(store: Store, due: Record<string, number>): Promise<void> {
  await activate(store, Object.keys(due));
  for (const [id, nextDueAtMs] of Object.entries(due)) {
    await store.finishFetch(success(id, T0, { nextDueAtMs }));
  }
}

/** What the port promises of sources. */
export const sourcePromises: StorePromise[] = [
  {
    name: "activateSources() makes a source that was never seen due at once, with nothing known of it",
    check: async (store) => {
      await activate(store, ["board"]);
      assert.deepEqual(await store.listSources(), [{
        id: "board",
        cursor: null,
        identityRule: "guid",
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
      "activateSources() leaves no source due later than its next run, and moves none that is due earlier",
    check: async (store) => {
      await activateDueAt(store, { early: T0 + 1, late: T0 + 9 * HOUR });
      await activate(store, ["early", "late"], T0);
      const due = (await store.listSources()).map((source) => [source.id, source.nextDueAtMs]);
      assert.deepEqual(due, [["early", T0 + 1], ["late", T0 + HOUR]]);
    },
  },
  {
    name: "activateSources() makes exactly the given sources active and keeps what is known of the others",
    check: async (store) => {
      await activate(store, ["agency", "board"]);
      await store.finishFetch(success("board", T0, { success: { cursor: "etag 1", identityRule: "link" } }));
      await activate(store, ["agency", "court"]);
      assert.deepEqual((await store.listSources()).map((source) => source.id), ["agency", "court"]);
      assert.deepEqual(await claimIds(store, T0 + 9 * HOUR), ["agency", "court"]);
      assert.deepEqual(await claimIds(store, T0 + 9 * HOUR, { ids: ["board"] }), []);

      await activate(store, ["board"]);
      const [board] = await store.listSources();
      assert.equal(board?.cursor, "etag 1");
      assert.equal(board?.identityRule, "link");
      assert.equal(board?.firstSuccessAtMs, T0);
    },
  },
  {
    name: "isKnownSource() knows every source that is or was active, and no other",
    check: async (store) => {
      await activate(store, ["agency"]);
      await activate(store, ["board"]);
      assert.equal(await store.isKnownSource("agency"), true);
      assert.equal(await store.isKnownSource("board"), true);
      assert.equal(await store.isKnownSource("court"), false);
    },
  },
  {
    name: "listSources() gives the active sources by id",
    check: async (store) => {
      await activate(store, ["court", "agency", "board"]);
      assert.deepEqual((await store.listSources()).map((source) => source.id), ["agency", "board", "court"]);
    },
  },
  {
    name: "claimSources() never gives a leased source twice, and gives it again when the lease has run out",
    check: async (store) => {
      await activate(store, ["board"]);
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
      await activateDueAt(store, { a: T0 + 30, b: T0 + 10, c: T0 + 20, d: T0 + 41 });
      assert.deepEqual(await claimIds(store, T0 + 40, { limit: 2 }), ["b", "c"]);
      assert.deepEqual(await claimIds(store, T0 + 40), ["a"]);
      assert.deepEqual(await claimIds(store, T0 + 41), ["d"]);
    },
  },
  {
    name: "claimSources() gives the named sources, due or not, unless they are leased, the longest due first",
    check: async (store) => {
      await activateDueAt(store, { a: T0 + 9 * HOUR, b: T0 + 10, c: T0 + 5 * HOUR, d: T0 });
      assert.deepEqual(await claimIds(store, T0, { ids: ["a", "c", "unknown"], limit: 1 }), ["c"]);
      assert.deepEqual(await claimIds(store, T0, { ids: ["a", "b", "c"] }), ["b", "a"]);
      assert.deepEqual(await claimIds(store, T0, { ids: [] }), []);
      assert.deepEqual(await claimIds(store, T0), ["d"]);
    },
  },
  {
    name: "claimSources() gives the state that the fetch needs",
    check: async (store) => {
      await activate(store, ["board"]);
      const cursor = JSON.stringify({ etag: 'W/"ä"', at: "Mon, 20 Jul 2026 11:00:00 GMT" });
      await store.finishFetch(success("board", T0, { success: { cursor, identityRule: "link+title" } }));
      const claimed = await store.claimSources({ nowMs: T0 + HOUR, leaseMs: LEASE, limit: 1 });
      assert.equal(first(claimed).cursor, cursor);
      assert.equal(first(claimed).identityRule, "link+title");
    },
  },
  {
    name:
      "finishFetch() keeps a success: its time, the cursor, the rule and the next run, and ends the lease",
    check: async (store) => {
      await activate(store, ["board"]);
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
      await activate(store, ["board"]);
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
