// What is wrong with the fields of a request, and the error that names them all.
import { AppError, type ErrorCode, type FieldError } from "../domain/errors.ts";

/** The most wrong fields that one answer names: a small request must not make a big answer. */
const MAX_ERRORS = 50;

/** A wrong field; with the code that tells of it, where a request has nothing else wrong. */
export interface Finding extends FieldError {
  code?: ErrorCode;
}

/** An error that names these fields. */
export function invalid(found: readonly Finding[]): AppError {
  const codes = new Set(found.map(({ code = "invalid_input" }) => code));
  const [only = "invalid_input"] = codes;
  const all = [
    ...new Map(found.map(({ field, message }) => [`${field} ${message}`, { field, message }])).values(),
  ];
  const errors = all.slice(0, MAX_ERRORS);
  const more = all.length > MAX_ERRORS ? [`and ${all.length - MAX_ERRORS} more`] : [];
  const named = [...errors.map(({ field, message }) => `${field}: ${message}`), ...more].join("; ");
  return new AppError(codes.size === 1 ? only : "invalid_input", named, errors);
}
