// Promises about leases: what comes too late is not kept.
import assert from "node:assert/strict";
import { LeaseLostError } from "../../../../src/domain/source/lease.ts";
import {
  aClaim,
  aFailure,
  aFetchEnd,
  anEvent,
  aPublication,
  aSource,
  LEASE,
  recordIt,
  T0,
} from "../given.ts";
import { test } from "../contract.ts";

test("nothing of a fetch is kept whose source somebody else has leased after it, not even when they are done", async (store) => {
  await store.registerSources([aSource("board")], T0);
  const claim = (nowMs: number, holder: string) => store.claimSources(aClaim(["board"], { nowMs, holder }));
  await claim(T0, "prc_1");
  await claim(T0 + LEASE, "prc_2");
  const keepNothing = async () => {
    const record = () =>
      store.recordPublications("board", [aPublication("guid", "x")], recordIt(anEvent("evt_1")), "prc_1");
    const remove = () =>
      store.recordRemovals("board", { seen: new Set(), sinceMs: 0, holder: "prc_1" }, () => []);
    const finish = () => store.finishFetch(aFailure("board", T0 + LEASE + 1));
    for (const late of [record, remove, finish]) {
      await assert.rejects(async () => await late(), LeaseLostError);
    }
    assert.equal(await store.findEvent("evt_1"), null);
  };
  await keepNothing();
  assert.deepEqual(await claim(T0 + LEASE + 2, "prc_1"), [], "the lease stays");
  await store.finishFetch(aFetchEnd("board", T0 + LEASE + 3, { holder: "prc_2" }));
  await keepNothing();
  assert.equal((await store.listSources())[0]?.outcome, "ok");
});
