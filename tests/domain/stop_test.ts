// The word to stop: who is told, and what no longer waits.
import assert from "node:assert/strict";
import { firstOf, orAborted, Stopper } from "../../src/domain/stop.ts";

const never = new Promise<never>(() => {});

Deno.test("Stopper tells whoever still listens, once, with its reason", () => {
  const stopper = new Stopper();
  const told: string[] = [];
  const [first, second, third, fourth] = ["first", "second", "third", "fourth"].map((name) => () => {
    told.push(`${name}: ${stopper.reason}`);
    if (name === "third") stopper.removeEventListener("abort", first as () => void);
  }) as [() => void, () => void, () => void, () => void];
  for (const listener of [first, second, third, fourth]) stopper.addEventListener("abort", listener);
  stopper.removeEventListener("abort", second);
  stopper.removeEventListener("abort", second);
  assert.doesNotThrow(() => stopper.throwIfAborted());
  stopper.abort("enough");
  stopper.abort("again");
  stopper.addEventListener("abort", () => told.push("too late"));
  assert.deepEqual(told, ["fourth: enough", "third: enough"]);
  assert.ok(stopper.aborted);
  assert.throws(() => stopper.throwIfAborted(), (thrown) => thrown === "enough");
});

Deno.test("firstOf() comes with the first of several, before or meanwhile, and with none that was left", () => {
  const [early, late] = [new Stopper(), new AbortController()];
  const both = [early, late.signal];
  const [followed, left] = [firstOf(both), firstOf(both)];
  left.leave();
  early.abort("early");
  late.abort("late");
  assert.deepEqual([followed.stop.reason, left.stop.aborted], ["early", false]);
  assert.equal(firstOf([new Stopper(), late.signal]).stop.reason, "late");
});

Deno.test("orAborted() settles as the work does", async () => {
  const { signal } = new AbortController();
  assert.equal(await orAborted(Promise.resolve(1), signal), 1);
  await assert.rejects(orAborted(Promise.reject(new Error("broken")), signal), /broken/);
});

Deno.test("orAborted() rejects with the signal's reason, aborted before or meanwhile", async () => {
  await assert.rejects(orAborted(never, AbortSignal.abort(new Error("before"))), /before/);
  const controller = new AbortController();
  const waiting = orAborted(never, controller.signal);
  controller.abort(new Error("meanwhile"));
  await assert.rejects(waiting, /meanwhile/);
});

Deno.test("orAborted() swallows a failure of the work that comes after the abort", async () => {
  const late = Promise.withResolvers<void>();
  await assert.rejects(orAborted(late.promise, AbortSignal.abort(new Error("stop"))), /stop/);
  late.reject(new Error("too late"));
});
