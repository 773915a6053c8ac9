// Tests of src/app.ts: what it says of the store. Everything else that it wires has tests of its own room.
import assert from "node:assert/strict";
import { createTroubleLog } from "../src/app.ts";
import type { SeenTrouble } from "../src/domain/store_trouble.ts";
import { fakePlatform } from "./support/platform.ts";

Deno.test("createTroubleLog() tells of every trouble once, also of one that is over when it looks", async () => {
  const cases: [name: string, seen: SeenTrouble[], said: string[]][] = [
    ["none", [{ now: null, met: null }], []],
    ["a short one", [{ now: null, met: "full" }, { now: null, met: null }], ["full", "works again"]],
    [
      "a long one",
      [{ now: "full", met: "full" }, { now: "full", met: "full" }, { now: null, met: null }],
      ["full", "works again"],
    ],
    [
      "one after another",
      [{ now: "full", met: "full" }, { now: "locked", met: "locked" }, { now: null, met: null }],
      ["full", "locked", "works again"],
    ],
    [
      "another at its end",
      [{ now: "full", met: "full" }, { now: null, met: "locked" }],
      ["full", "locked", "works again"],
    ],
    ["one twice", [{ now: null, met: "io" }, { now: null, met: "io" }], [
      "io",
      "works again",
      "io",
      "works again",
    ]],
    ["one that stays", [{ now: "corrupt", met: "corrupt" }, { now: "corrupt", met: "full" }], ["corrupt"]],
  ];
  for (const [name, seen, said] of cases) {
    const { log, lines } = fakePlatform(0, 1);
    const tell = createTroubleLog({ takeTrouble: () => Promise.resolve(seen.shift()!) }, log("store"));
    while (seen.length > 0) await tell();
    const heard = lines.map(({ message, fields }) => fields["trouble"] ?? message.replace("the store ", ""));
    assert.deepEqual(heard, said, name);
  }
});
