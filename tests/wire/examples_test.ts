// The diff in the API description's examples is the one that the code computes.
import assert from "node:assert/strict";
import { diffEvents } from "../../src/domain/event/diff.ts";
import { EXAMPLE_DELIVERY, EXAMPLE_DIFF, EXAMPLE_EVENT, EXAMPLE_REVISION } from "../../src/wire/examples.ts";

Deno.test("the literal diff of the examples equals the computed one, in both languages", () => {
  assert.deepEqual(EXAMPLE_DIFF, diffEvents(EXAMPLE_EVENT, EXAMPLE_REVISION));
  assert.deepEqual(EXAMPLE_DELIVERY.diff_to_previous, diffEvents(EXAMPLE_EVENT, EXAMPLE_REVISION, "de"));
});
