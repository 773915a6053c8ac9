// A backfill survives `kill -9`: it sends each event once, in the order in which the events were stored.
import assert from "node:assert/strict";
import { join } from "node:path";
import { openVaultFile } from "../../../src/platform/vault.ts";
import { Connection } from "../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../src/store/sqlite/connection/sql.ts";
import { openStore } from "../../../src/store/sqlite/store.ts";
import { anEvent } from "../../store/contract/given.ts";
import { addCustomer, callApi, serve, withFolder, writeConfig } from "../../support/process.ts";
import { pause } from "../../support/pause.ts";
import { LOCAL_CONFIG, LOOPBACK } from "../../support/loopback.ts";

const EVENTS = 1_200;
const KILLS = 5;
/** Maximum uptime of a server, ms: shorter than the backfill. */
const LONGEST_LIFE_MS = 250;
/** Maximum wait, ms: longer than a lease, after which attempts that a kill interrupted are repeated. */
const PATIENCE_MS = 90_000;

const CONFIG = `${LOCAL_CONFIG}timeout = "1s"
`;

async function fillStore(file: string): Promise<void> {
  const store = openStore(file, (options) => openVaultFile(`${file}.key`, options));
  await store.close();
  const connection = new Connection(file);
  connection.transaction("relaxed", () => {
    for (let number = 1; number <= EVENTS; number++) {
      const event = anEvent(`evt_${String(number).padStart(26, "0")}`, { external_id: `p${number}` });
      connection.run(
        sql`insert into events (id, source_id, external_id, version, severity, published_at, json, provenance)
         values (${event.id}, ${event.source_id}, ${event.external_id}, 1, 2, ${event.published_at}, ${
          JSON.stringify(event)
        }, '{}')`,
      );
    }
  });
  connection.close();
}

function lookInto(file: string): { made: number; delivered: number; place: number | null; order: string[] } {
  const connection = new Connection(file);
  try {
    const row = connection.get(
      sql`select count(*) as made, coalesce(sum(status = 'delivered'), 0) as delivered,
         (select backfill_seq from subscriptions) as place from deliveries`,
    );
    const order = connection.all(sql`select event_id from deliveries order by sequence`);
    return {
      made: Number(row?.["made"]),
      delivered: Number(row?.["delivered"]),
      place: (row?.["place"] ?? null) as number | null,
      order: order.map((one) => String(one["event_id"])),
    };
  } finally {
    connection.close();
  }
}

Deno.test("a backfill is complete after five kills", () =>
  withFolder(async (folder) => {
    const arrived = new Set<string>();
    const receiver = Deno.serve(LOOPBACK, async (request) => {
      const body = await request.json().catch(() => null);
      if (body !== null) arrived.add(body.event.id);
      return new Response(null, { status: 204 });
    });
    try {
      await writeConfig(folder, CONFIG);
      const { key } = await addCustomer(folder, "a@board.example");
      const file = join(folder, "data/regfeed.db");
      await fillStore(file);
      let server = await serve(folder);
      const response = await callApi(server, key, "/v1/subscriptions", {
        webhook_url: `http://127.0.0.1:${receiver.addr.port}/`,
        backfill_since: 0,
      });
      assert.equal(response.status, 201, await response.text());
      let midst = 0;
      for (let kill = 0; kill < KILLS; kill++) {
        const end = Date.now() + PATIENCE_MS;
        // The first kill follows the start of the backfill.
        if (kill === 0) { while (lookInto(file).made === 0 && Date.now() < end) await pause(2); }
        else await pause(Math.random() * LONGEST_LIFE_MS);
        await server.end("SIGKILL");
        const { made, place, order } = lookInto(file);
        if (place !== null && made > 0) midst++;
        assert.equal(new Set(order).size, made, "no event is repeated");
        server = await serve(folder);
      }
      const end = Date.now() + PATIENCE_MS;
      while (lookInto(file).delivered < EVENTS && Date.now() < end) await pause(200);
      assert.equal((await server.end("SIGTERM")).code, 0);
      const { place, order } = lookInto(file);
      const all = Array.from({ length: EVENTS }, (_, at) => `evt_${String(at + 1).padStart(26, "0")}`);
      assert.deepEqual(order, all, "each event once, in the order in which they were stored");
      assert.equal(place, null);
      assert.deepEqual(all.filter((id) => !arrived.has(id)), []);
      assert.ok(midst > 0, "no kill interrupted the backfill: the test is ineffective");
    } finally {
      await receiver.shutdown();
    }
  }));
