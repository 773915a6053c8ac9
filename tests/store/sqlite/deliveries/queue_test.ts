// A queue of 100,000 deliveries in a file: claims take little memory and keep the order.
import assert from "node:assert/strict";
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../../src/store/sqlite/connection/sql.ts";
import { addSubscriber, claimAll, finished, JULY, T0 } from "../../contract/given.ts";
import { withStore } from "../files.ts";

const WAITING = 100_000;
const BATCH = 500;
/** Maximum growth of the memory, bytes: far less than the queue's bodies, and far more than one batch. */
const MOST_GROWTH = 64 * 1024 * 1024;

/** Writes the whole queue to the file. Each body has about 1 KB. */
function fill(file: string): void {
  const connection = new Connection(file);
  connection.transaction("relaxed", () => {
    connection.run(
      sql`with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${WAITING})
       insert into events (id, source_id, external_id, version, severity, published_at, json, provenance)
       select 'evt_' || n, 'board', 'x' || n, 1, 0, 0, '{}', '{}' from numbers`,
    );
    connection.run(
      sql`insert into deliveries (id, customer_id, subscription_id, event_id, sequence, status, next_attempt_at,
         decided_at, quota_month, created_at)
       select 'dlv_' || seq, 'cus_1', 'sub_1', id, seq, 'pending', ${T0}, ${T0}, ${JULY}, ${T0} from events order by seq`,
    );
    connection.run(
      sql`insert into delivery_bodies (delivery_seq, body)
       select seq, sequence || ':' || printf('%.1000c', 'x') from deliveries`,
    );
    connection.run(
      sql`insert into delivery_usage (customer_id, month, deliveries) values ('cus_1', ${JULY}, ${WAITING})`,
    );
    connection.run(sql`update subscriptions set next_sequence = ${WAITING + 1} where id = 'sub_1'`);
  });
  connection.close();
}

Deno.test("100,000 waiting deliveries of an endpoint are claimed, held and cancelled in batches, oldest first, in little memory", () =>
  withStore(async (store, _, file) => {
    await addSubscriber(store);
    fill(file);
    const before = Deno.memoryUsage().heapUsed;
    let most = 0;
    let next = 1;
    for (let batch = 0; batch < 20; batch++) {
      const claimed = await claimAll(store, T0, { limit: BATCH, perSubscription: BATCH });
      assert.equal(claimed.length, BATCH);
      for (const { body } of claimed) assert.ok(body.startsWith(`${next++}:`));
      await store.finishAttempts(claimed.map((one) => finished(one, { kind: "delivered" })), T0);
      most = Math.max(most, Deno.memoryUsage().heapUsed - before);
    }
    const left = WAITING - 20 * BATCH;
    assert.equal((await store.health()).pendingDeliveries, left);
    const [gone] = await claimAll(store, T0, { limit: 1 });
    assert.ok(gone);
    await store.finishAttempts([finished(gone, { kind: "gone" })], T0);
    most = Math.max(most, Deno.memoryUsage().heapUsed - before);
    assert.equal((await store.usageOf("cus_1", JULY)).held, BATCH);
    while (await store.closeSubscriptions(T0) > 0);
    const usage = await store.usageOf("cus_1", JULY);
    assert.deepEqual([usage.held, usage.deliveries], [left, 20 * BATCH]);
    await store.deleteSubscription("cus_1", "sub_1", { nowMs: T0, activeLimit: 100 });
    assert.equal((await store.usageOf("cus_1", JULY)).held, left - BATCH);
    while (await store.closeSubscriptions(T0) > 0);
    assert.equal((await store.usageOf("cus_1", JULY)).held, 0);
    most = Math.max(most, Deno.memoryUsage().heapUsed - before);
    assert.ok(most < MOST_GROWTH, `${most} bytes`);
  }));
