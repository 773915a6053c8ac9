// Promises about the hosts of sources: how long they are left alone, and what ends that.
import assert from "node:assert/strict";
import { aFailure, aFetchEnd, T0 } from "../given.ts";
import { test } from "../contract.ts";
import { claimIds, register } from "./sources.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

test("claimSources() leaves a host alone for its spacing, after a claim and after a fetch", async (store) => {
  await register(store, ["a", "b"], T0, { host: "board.example" });
  const spacing = { perHost: 9, spacingOf: (host: string) => host === "board.example" ? 10 : 0 };
  assert.deepEqual(await claimIds(store, T0, spacing), ["a"]);
  assert.deepEqual(await claimIds(store, T0 + 9, spacing), []);
  const hosts = [{ host: "board.example", freeAtMs: T0 + 25, pausedUntilMs: 0 }];
  await store.finishFetch(aFetchEnd("a", T0 + 15, { hosts }));
  assert.deepEqual(await claimIds(store, T0 + 24, { ...spacing, ids: ["b"] }), [], "named or not");
  assert.deepEqual(await claimIds(store, T0 + 25, spacing), ["b"]);
});

test("claimSources() gives nothing of a paused host until its pause is over, unless it is named", async (store) => {
  await register(store, ["a", "b"], T0, { host: "board.example" });
  await register(store, ["c"], T0, { host: "court.example" });
  await claimIds(store, T0, { ids: ["a"] });
  const pause = (pausedUntilMs: number) => [{ host: "board.example", freeAtMs: 0, pausedUntilMs }];
  await store.finishFetch(aFailure("a", T0, { nextDueAtMs: T0, hosts: pause(T0 + HOUR) }));
  await store.finishFetch(aFailure("a", T0, { nextDueAtMs: T0, hosts: pause(T0 + 1) }));
  assert.deepEqual(
    (await store.listSources()).map((source) => source.hostPausedUntilMs),
    [T0 + HOUR, T0 + HOUR, null],
    "a shorter pause does not shorten a longer one",
  );
  assert.deepEqual(await claimIds(store, T0 + HOUR - 1), ["c"]);
  assert.deepEqual(await claimIds(store, T0 + HOUR - 1, { ids: ["b"] }), ["b"]);
  assert.deepEqual(await claimIds(store, T0 + HOUR, { perHost: 2 }), ["a"]);
});

test("finishFetch() ends the pause of a host that answers, where that was guessed, and before it was asked", async (store) => {
  await register(store, ["a", "b"], T0, { host: "board.example" });
  await claimIds(store, T0, { ids: ["a"] });
  const pausedUntil = async () => (await store.listSources())[0]?.hostPausedUntilMs;
  const pause = (pausedUntilMs: number, guessed: boolean) =>
    store.finishFetch(
      aFailure("a", T0, { hosts: [{ host: "board.example", freeAtMs: 0, pausedUntilMs, guessed }] }),
    );
  const answer = (sinceMs: number) =>
    store.finishFetch(aFetchEnd("b", T0 + 2, { responded: { hosts: ["board.example"], sinceMs } }));
  await pause(T0 + HOUR, true);
  await answer(T0 - 1);
  assert.equal(await pausedUntil(), T0 + HOUR, "it was asked before the host refused");
  await answer(T0 + 1);
  assert.equal(await pausedUntil(), null);
  for (const guesses of [[false], [false, true], [true, false]]) {
    for (const [at, guessed] of guesses.entries()) await pause(T0 + HOUR + at, guessed);
    await answer(T0 + 1);
    assert.equal(await pausedUntil(), T0 + HOUR + guesses.length - 1, `guessed: ${guesses}`);
    await store.finishFetch(
      aFetchEnd("b", T0 - DAY, { hosts: [{ host: "board.example", freeAtMs: 0, pausedUntilMs: 0 }] }),
    );
    assert.equal(await pausedUntil(), null, "the clock was set back");
  }
});

test("claimSources() forgets what a host wanted when the clock was set back to before that", async (store) => {
  await register(store, ["a"], T0 - DAY, { host: "board.example" });
  const hosts = [{ host: "board.example", freeAtMs: T0 + HOUR, pausedUntilMs: T0 + HOUR }];
  await store.finishFetch(aFailure("a", T0, { nextDueAtMs: T0 - DAY, hosts }));
  assert.deepEqual(await claimIds(store, T0 + 1), []);
  assert.deepEqual(await claimIds(store, T0 - 1), ["a"]);
});
