// An AbortSignal ends work that does not handle the signal itself.
import assert from "node:assert/strict";
import { orAborted } from "../../src/domain/abort_work.ts";

const never = new Promise<never>(() => {});

Deno.test("orAborted() settles like the work", async () => {
  const { signal } = new AbortController();
  assert.equal(await orAborted(Promise.resolve(1), signal), 1);
  await assert.rejects(orAborted(Promise.reject(new Error("broken")), signal), /broken/);
});

Deno.test("orAborted() rejects with the signal's reason if it aborts before or during the work", async () => {
  await assert.rejects(orAborted(never, AbortSignal.abort(new Error("before"))), /before/);
  const controller = new AbortController();
  const waiting = orAborted(never, controller.signal);
  controller.abort(new Error("meanwhile"));
  await assert.rejects(waiting, /meanwhile/);
});

Deno.test("orAborted() ignores a failure of the work after the abort", async () => {
  const late = Promise.withResolvers<void>();
  await assert.rejects(orAborted(late.promise, AbortSignal.abort(new Error("stop"))), /stop/);
  late.reject(new Error("too late"));
});
