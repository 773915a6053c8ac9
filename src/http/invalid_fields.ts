// Errors in the fields of a request.
import { findNearest } from "../domain/did_you_mean.ts";
import { AppError, type ErrorCode, type FieldError } from "../domain/error_codes.ts";

/** Maximum number of errors in a response, because a small request must not cause a large response. */
const MAX_ERRORS = 50;
const MAX_FIELD_LENGTH = 100;
const MAX_QUOTED_LENGTH = 100;

/** An invalid field, and the error code to use if all findings have the same one. */
export interface Finding extends FieldError {
  code?: ErrorCode;
}

export function invalid(found: readonly Finding[]): AppError {
  const codes = new Set(found.map(({ code = "invalid_input" }) => code));
  const [only = "invalid_input"] = codes;
  const clipped = found.map(({ field, message }) => ({ field: clipField(field), message }));
  const all = [...new Map(clipped.map((error) => [`${error.field} ${error.message}`, error])).values()];
  const errors = all.slice(0, MAX_ERRORS);
  const more = all.length > MAX_ERRORS ? [`and ${all.length - MAX_ERRORS} more`] : [];
  const named = [...errors.map(({ field, message }) => `${field}: ${message}`), ...more].join("; ");
  return new AppError(codes.size === 1 ? only : "invalid_input", named, errors);
}

/** Shortens a field's name for a response, because a name sent by a client may be as long as a body. */
export function clipField(field: string): string {
  return field.length <= MAX_FIELD_LENGTH ? field : `${field.slice(0, MAX_FIELD_LENGTH)}…`;
}

/** Quotes a value for a response, shortened because a value sent by a client may be as long as a body. */
export function quoteSent(value: string): string {
  return JSON.stringify(
    value.length <= MAX_QUOTED_LENGTH ? value : `${value.slice(0, MAX_QUOTED_LENGTH)}…`,
  );
}

/** Describes a value that is none of the choices. */
export function notAmong(
  value: unknown,
  choices: readonly string[],
  expected = `one of ${choices.join(", ")}`,
): string {
  if (typeof value !== "string") return `must be ${expected}`;
  const nearest = findNearest(value, choices);
  const meant = nearest === null ? "" : `; did you mean ${JSON.stringify(nearest)}?`;
  return `must be ${expected}, not ${quoteSent(value)}${meant}`;
}
