// Tests of src/store/sqlite/deliveries/delivery_log.ts: how long a list takes.
import assert from "node:assert/strict";
import { join } from "node:path";
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { testVault } from "../../../support/vault.ts";
import { TEMPORARY } from "../../../support/temporary.ts";
import { addCustomer, anEvent, JULY, publish, subscribe, T0 } from "../../contract/given.ts";

const DELIVERIES = 30_000;
const HOUR = 3_600_000;

Deno.test("a list of deliveries since a time reads none of before", async () => {
  const folder = await Deno.makeTempDir({ ...TEMPORARY, prefix: "regfeed-log-" });
  const file = join(folder, "regfeed.db");
  const store = openStore(file, testVault);
  const outside = new Connection(file);
  try {
    await addCustomer(store);
    await subscribe(store, "sub_1");
    await publish(store, [anEvent("evt_1")], false);
    outside.run("pragma foreign_keys = off");
    outside.run(
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ?)
       insert into deliveries (id, customer_id, subscription_id, event_id, sequence, status, next_attempt_at, decided_at,
         quota_month, created_at, is_replay, attempts, tries, finished_at, arrived_at)
       select 'dlv_' || n, 'cus_1', 'sub_1', 'evt_' || n, n, 'delivered', ?, ?, ?, ? + n * ?, 0, 1, 1, ?, ?
       from numbers`,
      DELIVERIES,
      T0,
      T0,
      JULY,
      T0,
      HOUR,
      T0,
      T0,
    );
    const list = async (query: { sinceMs?: number; statuses?: ["delivered"] }, limit = 1) =>
      (await store.listDeliveries("cus_1", { ...query, limit })).map(({ id }) => id);
    const timeOf = async (query: { sinceMs?: number; statuses?: ["delivered"] }) => {
      const startedMs = performance.now();
      for (let call = 0; call < 50; call++) await list(query);
      return performance.now() - startedMs;
    };
    const since = (n: number) => ({ sinceMs: T0 + n * HOUR });
    assert.deepEqual(await list(since(DELIVERIES - 1), 9), [`dlv_${DELIVERIES}`, `dlv_${DELIVERIES - 1}`]);
    assert.equal((await list(since(7), DELIVERIES)).length, DELIVERIES - 6);
    assert.deepEqual(await list(since(DELIVERIES + 1)), []);
    const usualMs = await timeOf({});
    const laterMs = await timeOf(since(2 * DELIVERIES));
    assert.ok(laterMs < 40 * usualMs, `${laterMs} ms where the newest take ${usualMs} ms`);
  } finally {
    outside.close();
    await store.close();
    await Deno.remove(folder, { recursive: true });
  }
});
