// Change spikes: which events are quarantined, and how the usual volume follows.
import assert from "node:assert/strict";
import { planQuarantine, planUsualVolume } from "../../../src/domain/plans/quarantine.ts";

const arrived = [
  { seq: 1, version: 1, externalId: "new" },
  { seq: 2, version: 2, externalId: "new" },
  { seq: 3, version: 2, externalId: "known" },
  { seq: 4, version: 3, externalId: "quarantined" },
];

Deno.test("planQuarantine() quarantines the events of a spike and the revisions of quarantined events", () => {
  const plan = (isNew: boolean, isRevised: boolean) =>
    planQuarantine(arrived, { isNew, isRevised }, new Set(["quarantined"]));
  assert.deepEqual(plan(true, false), [1, 2, 4]);
  assert.deepEqual(plan(false, true), [2, 3, 4]);
  assert.deepEqual(plan(true, true), [1, 2, 3, 4]);
});

Deno.test("planUsualVolume() raises the usual volume at once, lowers it slowly, and ignores spikes", () => {
  const volume = {
    count: 5,
    usual: 100,
    revised: 40,
    usualRevised: 10,
    older: 0,
    newer: 0,
    perDay: 1,
    elapsedMs: 0,
  };
  const none = { isNew: false, isRevised: false };
  assert.deepEqual(planUsualVolume(volume, none), { usual: 90, usualRevised: 40 });
  assert.deepEqual(planUsualVolume(volume, { isNew: true, isRevised: true }), {
    usual: null,
    usualRevised: null,
  });
  assert.deepEqual(planUsualVolume({ ...volume, count: 0, revised: 0 }, none), {
    usual: null,
    usualRevised: null,
  });
});
