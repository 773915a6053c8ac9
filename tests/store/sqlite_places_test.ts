// Events found by their places: the index is asked for a few ids of many, and what is found is always the id's own.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { createIds } from "../../src/domain/ids.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { EventPlaces, selectionOf } from "../../src/store/sqlite/event_places.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { testVault } from "../support/vault.ts";
import { anEvent, publish, T0 } from "./contract/given.ts";
import { statementsOf } from "./statements.ts";

const NAMED = selectionOf({ columns: "id", from: "from events", isOf: (row, id) => row["id"] === id });

/** A database of ids alone, stored in this order, and what finds them. */
function withIds(ids: readonly string[], work: (places: EventPlaces, connection: Connection) => void): void {
  const connection = new Connection(":memory:");
  try {
    connection.script("create table events (seq integer primary key, id text not null unique) strict");
    for (const id of ids) connection.run("insert into events (id) values (?)", id);
    work(new EventPlaces(connection), connection);
  } finally {
    connection.close();
  }
}

/** Ids as they are made, `perMs` of them in each millisecond. */
function idsOf(count: number, perMs: number): string[] {
  let made = 0;
  let number = 1;
  const random = () => (number = Math.imul(number, 1_103_515_245) + 12_345) >>> 16;
  const newId = createIds(
    () => T0 + Math.floor(made / perMs),
    (length) => Uint8Array.from({ length }, random),
  );
  return Array.from({ length: count }, () => {
    const id = newId("event");
    made++;
    return id;
  });
}

/** For how many of the ids the index is asked, each of which must be found. */
function askedFor(ids: readonly string[], places: EventPlaces): number {
  const { get } = Connection.prototype;
  let asked = 0;
  Connection.prototype.get = function (sql, ...values) {
    if (sql === NAMED.byId) asked++;
    return get.call(this, sql, ...values);
  };
  try {
    for (const id of ids) assert.equal(places.find(NAMED, id)?.["id"], id);
  } finally {
    Connection.prototype.get = get;
  }
  return asked;
}

Deno.test("the index of ids is asked for four of 256 neighbours, also of events that share a millisecond", () => {
  for (const perMs of [1, 7, 100]) {
    const ids = idsOf(2_000, perMs);
    withIds(ids, (places) => {
      const asked = askedFor(ids, places);
      // 2 000 events are eight blocks; of 2 000 marks some thirty are those of other ids, too.
      assert.ok(asked >= 32 && asked <= 80, `${perMs} in a millisecond: ${asked} times`);
      const again = askedFor(ids.toReversed(), places);
      assert.ok(again <= 48, `${perMs} in a millisecond, again: ${again} times`);
    });
  }
});

Deno.test("what is stored after its neighbours were learned is found by its place from the second time on", () => {
  const ids = idsOf(250, 1);
  const [early, late] = [ids.slice(0, 100), ids.slice(100)];
  withIds(early, (places, connection) => {
    askedFor(early, places);
    for (const id of late) connection.run("insert into events (id) values (?)", id);
    assert.equal(askedFor(late, places), late.length);
    assert.ok(askedFor(late, places) <= 4);
  });
});

Deno.test("an id is found as it is stored, whatever was learned before: in any order, of equal marks, of another file", () => {
  const twins = ["evt_01J0000000000000000000AAAA", "evt_01J0000000000000000001AAAA"];
  const pool = [...idsOf(40, 3), ...twins, "evt_1", "evt_"];
  fc.assert(fc.property(
    fc.shuffledSubarray(pool),
    fc.shuffledSubarray(pool),
    fc.array(fc.constantFrom(...pool), { minLength: 20, maxLength: 60 }),
    (stored, replaced, asked) => {
      withIds(stored, (places, connection) => {
        for (const here of [stored, replaced]) {
          connection.run("delete from events");
          for (const id of here) connection.run("insert into events (id) values (?)", id);
          for (const id of asked) {
            assert.equal(places.find(NAMED, id)?.["id"], here.includes(id) ? id : undefined);
          }
        }
      });
    },
  ));
});

Deno.test("findEvent() and findPlace() read what they know the place of without the index of ids", async () => {
  const store = openStore(":memory:", testVault);
  const ids = idsOf(20, 1);
  await publish(store, ids.map((id, at) => anEvent(id, { published_at: T0 + at })));
  for (const id of ids) await store.findEvent(id);
  const statements = await statementsOf(async () => {
    for (const [at, id] of ids.entries()) {
      assert.equal(JSON.parse((await store.findEvent(id))?.json ?? "{}").id, id);
      assert.deepEqual(await store.findPlace(id), { id, seq: at + 1, publishedAtMs: T0 + at });
    }
  });
  assert.deepEqual([...statements].filter((sql) => /\bid = \?/.test(sql)), []);
  await store.close();
});
