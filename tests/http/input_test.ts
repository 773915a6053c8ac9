// The size of an error about invalid fields is limited.
import assert from "node:assert/strict";
import { invalid } from "../../src/http/invalid_fields.ts";
import { checkBody } from "../../src/http/input.ts";
import { subscriptionRequest } from "../../src/wire/subscription.ts";

const MAX_ERROR_LENGTH = 100_000;

Deno.test("an error is short even if a body of 64 KB has long field names", () => {
  const halves = Array.from({ length: 2_500 }, (_, at) => `"${at}":"\\ud800"`).join(",");
  const bodies = [
    `{"${"a".repeat(30_000)}":{${halves}}}`,
    `{"${"a".repeat(60_000)}":1}`,
    `{"a":${`{"${"b".repeat(1_900)}":`.repeat(30)}"\\ud800"${"}".repeat(31)}`,
  ];
  for (const body of bodies) {
    const { errors } = checkBody(new TextEncoder().encode(body), subscriptionRequest);
    const error = invalid(errors);
    assert.ok(error.fields.length > 0);
    for (const told of [JSON.stringify(errors), error.detail, JSON.stringify(error.fields)]) {
      assert.ok(told.length < 10 * MAX_ERROR_LENGTH, `${told.length} characters`);
    }
    assert.ok(error.detail.length < MAX_ERROR_LENGTH, `${error.detail.length} characters`);
  }
});
