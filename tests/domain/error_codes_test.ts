// The error catalogue: what a client can be told.
import assert from "node:assert/strict";
import { AppError, type ErrorCode, ERRORS } from "../../src/domain/error_codes.ts";

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** The statuses that the API's contract names for each case. */
const STATUSES: Partial<Record<ErrorCode, number>> = {
  invalid_input: 400,
  unauthenticated: 401,
  subscription_limit_reached: 403,
  not_found: 404,
  method_not_allowed: 405,
  duplicate_subscription: 409,
  precondition_failed: 412,
  body_too_large: 413,
  unsupported_media_type: 415,
  quota_exceeded: 429,
  too_many_requests: 429,
  internal: 500,
  unavailable: 503,
};

Deno.test("the error catalogue gives every code a status of an error and a title of its own", () => {
  for (const code of CODES) {
    const { status, title } = ERRORS[code];
    assert.ok(status >= 400 && status <= 599, code);
    assert.match(title, /^[A-Z][^.!]+$/, code);
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
  }
  assert.equal(new Set(CODES.map((code) => ERRORS[code].title)).size, CODES.length);
  for (const [code, status] of Object.entries(STATUSES)) {
    assert.equal(ERRORS[code as ErrorCode].status, status, code);
  }
});

Deno.test("AppError carries its code, its status, its detail and the wrong fields", () => {
  const fields = [{ field: "limit", message: "must be at most 200" }];
  const error = new AppError("invalid_input", "Mend the parameters.", fields);
  assert.ok(error instanceof Error);
  assert.equal(error.name, "AppError");
  assert.equal(error.status, 400);
  assert.equal(error.detail, "Mend the parameters.");
  assert.equal(error.message, "invalid_input: Mend the parameters.");
  assert.deepEqual(error.fields, fields);
  assert.deepEqual(new AppError("not_found", "No such event.").fields, []);
});
