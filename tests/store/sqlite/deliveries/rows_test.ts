// The rows of a delivery in SQLite: states, attempts and the monthly quota.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { Sql, sql } from "../../../../src/store/sqlite/connection/sql.ts";
import {
  addSubscriber,
  claimAll,
  finishAllDue,
  finished,
  first,
  LEASE,
  publishMatched,
  T0,
} from "../../contract/given.ts";
import { withStore } from "../files.ts";

interface Rows {
  /** Deliveries as "EVENT STATUS REASON MONTH at FINISHED" without missing parts, in the order of their creation. */
  deliveries(): string[];
  /** The number of deliveries that count against the quota, by month. */
  usage(): Record<string, unknown>;
  attempts(): unknown[];
  /** Changes rows through a separate connection. */
  run(sql: string): void;
}

/** Opens a store with one subscriber, and reads its rows through a separate connection. */
async function withRows(work: (store: Store, rows: Rows) => Promise<void>): Promise<void> {
  await withStore(async (store, outside) => {
    const rows: Rows = {
      deliveries: () =>
        outside.all(
          new Sql(
            `select event_id || ' ' || status || coalesce(' ' || hold_reason, '') || coalesce(' ' || quota_month, '')
           || coalesce(' at ' || (finished_at - ${T0}), '') as text from deliveries order by seq`,
          ),
        ).map((row) => String(row["text"])),
      usage: () =>
        Object.fromEntries(
          outside.all(sql`select month, deliveries from delivery_usage order by month`)
            .map((row) => [row["month"], row["deliveries"]]),
        ),
      attempts: () =>
        outside.all(sql`select * from attempts order by delivery_id, number`).map((row) =>
          Object.values(row)
        ),
      run: (sql) => outside.script(sql),
    };
    await addSubscriber(store);
    await work(store, rows);
  });
}

Deno.test("a finished delivery keeps its end time, and uses quota only if it arrived", () =>
  withRows(async (store, rows) => {
    await publishMatched(store, 1, 3);
    const [one, two] = await claimAll(store);
    assert.ok(one !== undefined && two !== undefined);
    await store.finishAttempts([finished(one, { kind: "delivered" })], T0 + 3);
    await store.finishAttempts([finished(two, { kind: "failed" })], T0 + 4);
    await store.finishAttempts([finished(one, { kind: "delivered" })], T0 + 5);
    await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0 + 6, activeLimit: 100 });
    const ended = ["evt_01 delivered 2026-07 at 3", "evt_02 failed at 4", "evt_03 cancelled at 6"];
    assert.deepEqual(rows.deliveries(), ended);
    assert.deepEqual(rows.usage(), { "2026-07": 1 });
  }));

Deno.test("a delivery that arrives after it failed counts in the month of its arrival", () =>
  withRows(async (store, rows) => {
    await publishMatched(store, 1, 1);
    const slow = first(await claimAll(store));
    await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
    const inAugust = Date.UTC(2026, 7, 1);
    await store.finishAttempts([finished(slow, { kind: "delivered" })], inAugust);
    assert.deepEqual(rows.deliveries(), [`evt_01 delivered 2026-08 at ${inAugust - T0}`]);
    assert.deepEqual(rows.usage(), { "2026-07": 0, "2026-08": 1 });
  }));

Deno.test("every attempt is stored once, even if it is late or reported twice", () =>
  withRows(async (store, rows) => {
    await publishMatched(store, 1, 1);
    const late = first(await claimAll(store));
    const failure = { startedAtMs: T0 + 1, durationMs: 15_000, statusCode: null, problem: "timed out" };
    await finishAllDue(store, { kind: "retry", atMs: T0 + LEASE + 9 }, T0 + LEASE);
    const report = finished(late, { kind: "retry", atMs: T0 }, failure);
    await store.finishAttempts([report], T0 + LEASE);
    await store.finishAttempts([{ ...report, result: { ...report.result, problem: "another" } }], T0 + LEASE);
    assert.deepEqual(rows.attempts(), [
      [late.id, 1, T0 + 1, 15_000, null, "timed out", null],
      [late.id, 2, T0, 12, 204, null, null],
    ]);
    assert.deepEqual(await claimAll(store, T0 + LEASE + 8), []);
  }));

Deno.test("a claim or report that fails leaves nothing behind, and the next one works", () =>
  withRows(async (store, rows) => {
    await publishMatched(store, 1, 2);
    // The statement changes its first row and fails at the second.
    rows.run("create unique index one_leased on deliveries (next_attempt_at) where attempts > 0");
    await assert.rejects(async () => await claimAll(store), /UNIQUE/);
    rows.run("drop index one_leased");
    const claimed = await claimAll(store);
    assert.deepEqual(claimed.map(({ attempt }) => attempt), [1, 1]);

    const reports = claimed.map((one) => finished(one, { kind: "delivered" }));
    rows.run("create unique index one_arrived on deliveries (status) where status = 'delivered'");
    await assert.rejects(store.finishAttempts(reports, T0 + 1), /UNIQUE/);
    assert.deepEqual(rows.attempts(), []);
    assert.deepEqual(rows.deliveries(), ["evt_01 pending 2026-07", "evt_02 pending 2026-07"]);
    rows.run("drop index one_arrived");
    await store.finishAttempts(reports, T0 + 1);
    assert.equal(rows.attempts().length, 2);
    assert.deepEqual(rows.deliveries(), ["evt_01 delivered 2026-07 at 1", "evt_02 delivered 2026-07 at 1"]);
  }));
