// Tests of src/platform/tls_clients.ts: who is let in, and who has to leave for whom.
import assert from "node:assert/strict";
import { type Client, Clients, type ClientsOptions } from "../../src/platform/tls_clients.ts";

/** A room of clients with a clock and a number of files of its own. */
class Room {
  nowMs = 0;
  files = 1_000_000;
  readonly scarce: number[] = [];
  readonly ended: string[] = [];
  readonly clients: Clients;

  constructor(patience: ClientsOptions["patience"] = { firstMs: 10_000, idleMs: 120_000 }) {
    this.clients = new Clients({
      patience,
      nowMs: () => this.nowMs,
      hasFiles: (count) => this.files - 3 * this.clients.size >= count,
      onScarce: (connections) => void this.scarce.push(connections),
    });
  }

  enter(hostname: string): Client | null {
    const client = this.clients.enter(
      { transport: "tcp", hostname, port: 1 },
      () => void this.ended.push(hostname),
    );
    return client;
  }

  enterMany(count: number, hostname: (number: number) => string): number {
    let entered = 0;
    for (let number = 0; number < count; number++) if (this.enter(hostname(number)) !== null) entered += 1;
    return entered;
  }
}

const manyHosts = (number: number) => `10.1.${number >> 8}.${number & 255}`;

Deno.test("the silent are ended: soon before their first answer, later after it, whatever they say meanwhile", () => {
  const room = new Room();
  const known = room.enter("192.0.2.1");
  assert.ok(known !== null);
  room.enter("192.0.2.2");
  room.nowMs = 5_000;
  room.clients.answered(known);
  room.nowMs = 10_000;
  room.clients.sweep();
  assert.deepEqual(room.ended, ["192.0.2.2"]);
  room.nowMs = 124_999;
  room.clients.sweep();
  assert.equal(room.clients.size, 1);
  room.nowMs = 125_000;
  room.clients.sweep();
  assert.deepEqual([room.clients.size, room.ended], [0, ["192.0.2.2", "192.0.2.1"]]);
});

Deno.test("a full house lets new clients in, in the place of those that wait for longest without an answer", () => {
  const room = new Room();
  assert.equal(room.enterMany(4_100, manyHosts), 4_000);
  const answered = room.enter("10.1.0.0");
  assert.equal(answered, null, "everybody has only just come");
  room.nowMs = 5_000;
  const one = room.enter("192.0.2.1");
  assert.ok(one !== null);
  assert.deepEqual([room.clients.size, room.ended], [4_000, ["10.1.0.0"]]);
  room.clients.answered(one);
  room.nowMs = 10_001;
  for (let number = 0; number < 3_999; number++) assert.ok(room.enter("192.0.2.2") !== null || number >= 500);
  assert.ok(!room.ended.includes("192.0.2.1"), "who was answered stays for longer than who was not");
});

Deno.test("one address, or one IPv6 network, has its share and makes room among its own", () => {
  const hosts = [() => "192.0.2.1", (number: number) => `2001:db8:1:2::${number.toString(16)}`];
  for (const host of hosts) {
    const room = new Room();
    assert.ok(room.enter("192.0.2.9") !== null);
    assert.equal(room.enterMany(600, host), 500);
    room.nowMs = 6_000;
    assert.ok(room.enter(host(1)) !== null);
    assert.equal(room.clients.size, 501);
    assert.deepEqual(room.ended, [host(0)]);
  }
});

Deno.test("clients take no more files than leave some for everything else, and it is tried again later", () => {
  const room = new Room();
  room.files = 1_000; // a limit of 1 024, as most shells have it
  const entered = room.enterMany(1_000, manyHosts);
  assert.ok(entered >= 200 && 1_000 - 3 * entered >= 200, `${entered}`);
  assert.deepEqual(room.scarce, [entered]);
  room.nowMs = 6_000;
  assert.equal(room.enterMany(50, () => "192.0.2.1"), 50, "in the place of others");
  assert.equal(room.clients.size, entered);
  assert.equal(room.scarce.length, 1);
  room.files = 5_000;
  room.nowMs = 61_000;
  assert.equal(room.enterMany(50, () => "192.0.2.2"), 50);
  assert.equal(room.clients.size, entered + 50);
});

Deno.test("who has left is forgotten, and leaves its place once", () => {
  const room = new Room();
  const first = room.enter("192.0.2.1");
  assert.ok(first !== null);
  room.clients.leave(first);
  room.clients.leave(first);
  room.clients.answered(first);
  assert.equal(room.clients.size, 0);
  assert.equal(room.enterMany(501, () => "192.0.2.1"), 500);
  room.clients.endAll();
  assert.deepEqual([room.clients.size, room.ended.length], [0, 500]);
});
