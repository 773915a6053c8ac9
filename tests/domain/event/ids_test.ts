// The form of identifiers, and that they ascend.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { createIds, ID_PREFIXES, type IdNoun, isId } from "../../../src/domain/event/ids.ts";

const T0 = Date.UTC(2026, 6, 20, 12);
const NOUNS = Object.keys(ID_PREFIXES) as IdNoun[];

/** Random bytes that are all the same. */
const bytesOf = (byte: number) => (count: number) => new Uint8Array(count).fill(byte);

Deno.test("createIds() combines each noun's prefix with a ULID of the clock's time", () => {
  const newId = createIds(() => 1_469_918_176_385, bytesOf(0));
  // The time part is the example of the ULID specification.
  assert.equal(newId("event"), "evt_01ARYZ6S410000000000000000");
  for (const noun of NOUNS) {
    const id = newId(noun);
    assert.ok(id.startsWith(ID_PREFIXES[noun]));
    assert.equal(id.length, ID_PREFIXES[noun].length + 26);
    assert.ok(isId(noun, id), id);
  }
});

Deno.test("createIds() returns ascending ids for any clock and any random bytes", () => {
  const steps = fc.array(fc.record({ nowMs: fc.integer({ min: 0, max: 2 ** 48 - 2 }), byte: fc.nat(255) }));
  fc.assert(fc.property(steps, fc.boolean(), (steps, standsStill) => {
    let step = { nowMs: T0, byte: 255 };
    const newId = createIds(() => standsStill ? T0 : step.nowMs, (count) => bytesOf(step.byte)(count));
    let last = "";
    for (step of steps) {
      const id = newId("event");
      assert.ok(id > last, `${id} follows ${last}`);
      last = id;
    }
  }));
});

Deno.test("createIds() continues when the clock is set back, and follows the clock once it has caught up", () => {
  let nowMs = T0;
  let drawn = 0;
  const newId = createIds(
    () => nowMs,
    (count) => Uint8Array.from({ length: count }, () => drawn++ < 16 ? 7 : 1),
  );
  const first = newId("event");
  nowMs = T0 - 3_600_000;
  const second = newId("event");
  assert.equal(second.slice(0, -1), first.slice(0, -1));
  assert.ok(second > first);
  nowMs = T0 + 1;
  const third = newId("event");
  assert.ok(third > second);
  assert.equal(third.slice(-16), "1111111111111111");
});

Deno.test("isId() recognises the identifiers of each noun", () => {
  const ulid = "01ARYZ6S410000000000000000";
  const rows: [IdNoun, string, boolean][] = [
    ["event", `evt_${ulid}`, true],
    ["event", "evt_7ZZZZZZZZZZZZZZZZZZZZZZZZZ", true],
    ["event", "evt_8ZZZZZZZZZZZZZZZZZZZZZZZZZ", false],
    ["event", `sub_${ulid}`, false],
    ["subscription", `sub_${ulid}`, true],
    ["delivery", `dlv_${ulid}`, true],
    ["customer", `cus_${ulid}`, true],
    ["request", `req_${ulid}`, true],
    ["event", ulid, false],
    ["event", "evt_", false],
    ["event", "", false],
    ["event", `evt_${ulid.toLowerCase()}`, false],
    ["event", `evt_${ulid}0`, false],
    ...[..."ILOU-/:[\n\0ä０Ā"].map((sign): [IdNoun, string, boolean] => [
      "event",
      `evt_${ulid.slice(1)}${sign}`,
      false,
    ]),
    ["event", `evt_Z${ulid.slice(1)}`, false],
    ["event", `evt_:${ulid.slice(1)}`, false],
    ["event", `evt_${ulid.slice(1)}`, false],
    ["event", `evt_${ulid}\n`, false],
    ["event", ` evt_${ulid}`, false],
    ["event", `evt_${ulid.slice(0, -1)}I`, false],
    ["event", `evt_${ulid.slice(0, -1)}U`, false],
  ];
  for (const [noun, text, expected] of rows) {
    assert.equal(isId(noun, text), expected, `${noun} ${JSON.stringify(text)}`);
  }
});
