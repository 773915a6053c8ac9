// Tests of src/ingest/passed_over.ts.
import assert from "node:assert/strict";
import { createPassedOver } from "../../src/ingest/passed_over.ts";

Deno.test("createPassedOver() remembers what was added", () => {
  const passedOver = createPassedOver();
  assert.equal(passedOver.has("a"), false);
  passedOver.add("a");
  assert.equal(passedOver.has("a"), true);
  assert.equal(passedOver.has("b"), false);
});

Deno.test("createPassedOver() keeps what is asked for again and forgets the rest when there is too much", () => {
  const passedOver = createPassedOver(10);
  passedOver.add("asked");
  passedOver.add("left");
  for (let number = 0; number < 30; number++) {
    passedOver.add(String(number));
    assert.equal(passedOver.has("asked"), true, `after ${number}`);
  }
  assert.equal(passedOver.has("left"), false);
});
