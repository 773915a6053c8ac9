// Every error code of the API has a status and a title.
import assert from "node:assert/strict";
import { AppError, type ErrorCode, ERRORS } from "../../src/domain/error_codes.ts";

const CODES = Object.keys(ERRORS) as ErrorCode[];

Deno.test("the error catalogue has an error status and a distinct title for each code", () => {
  for (const code of CODES) {
    const { status, title } = ERRORS[code];
    assert.ok(status >= 400 && status <= 599, code);
    assert.match(title, /^[A-Z][^.!]+$/, code);
    assert.match(code, /^[a-z]+(_[a-z]+)*$/);
  }
  assert.equal(new Set(CODES.map((code) => ERRORS[code].title)).size, CODES.length);
});

Deno.test("AppError carries its code, its status, its detail and the invalid fields", () => {
  const fields = [{ field: "limit", message: "must be at most 200" }];
  const error = new AppError("invalid_input", "Change the parameters.", fields);
  assert.ok(error instanceof Error);
  assert.equal(error.name, "AppError");
  assert.equal(error.status, 400);
  assert.equal(error.detail, "Change the parameters.");
  assert.equal(error.message, "invalid_input: Change the parameters.");
  assert.deepEqual(error.fields, fields);
  assert.deepEqual(new AppError("not_found", "No such event.").fields, []);
});
