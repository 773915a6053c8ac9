// Errors as RFC 9457 problem details.
import { AppError, ERRORS, standardError } from "../domain/error_codes.ts";
import { StorageError } from "../domain/ports/store/storage_fault.ts";

export function problemJson(error: AppError, requestId: string): string {
  const problem = {
    type: `urn:regfeed:problem:${error.code}`,
    title: ERRORS[error.code].title,
    status: error.status,
    detail: error.detail,
    code: error.code,
    request_id: requestId,
    ...error.extension,
    ...(error.fields.length > 0 ? { errors: error.fields } : {}),
  };
  // The detail may quote the request, and strict parsers reject an unpaired surrogate (RFC 8259, 8.2).
  return JSON.stringify(problem, (_, value) => typeof value === "string" ? value.toWellFormed() : value);
}

/** Returns the error to send to a client. Errors other than AppError reveal no details. */
export function toAppError(thrown: unknown): AppError {
  if (thrown instanceof AppError) return thrown;
  if (thrown instanceof StorageError) {
    return new AppError(
      "unavailable",
      "The service cannot use its database at the moment. Nothing was changed; try again later.",
    );
  }
  return standardError("internal");
}
