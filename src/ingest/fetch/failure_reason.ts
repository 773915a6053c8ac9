// Cleans the reasons for failures. They quote documents and responses, and they are stored, logged and printed.
import { harmless } from "../../domain/control_characters.ts";
import { redact } from "../../domain/redact.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { FetchError } from "./fetch_types.ts";
import { withoutQueries } from "../partial_failures.ts";
import type { IngestResult } from "../model.ts";

export const MAX_REASON_LENGTH = 500;
/** Minimum length of a header value that is replaced. Replacing shorter ones would garble the reason. */
const MIN_SECRET_LENGTH = 6;
const REDACTED = "[redacted]";

/** Returns the reason on one line, shortened, and without control characters, secrets or the queries of URLs. */
export function failureReason(
  text: string,
  source: Pick<SourceSettings, "headers" | "authorization">,
): string {
  // Secrets must be removed before the text is cut, because part of a secret would not be found.
  let reason = harmless(text.replaceAll(/\s/g, " "));
  for (const secret of secretsOf(source)) reason = reason.replaceAll(secret, REDACTED);
  reason = redact(withoutQueries(reason));
  return reason.length <= MAX_REASON_LENGTH
    ? reason
    : `${reason.slice(0, MAX_REASON_LENGTH - 1).toWellFormed()}…`;
}

/** Returns the failure of a source with a clean reason. The message of an internal error is only logged. */
export function failureOf(error: unknown, source: SourceSettings): FetchError {
  return error instanceof FetchError
    ? new FetchError(failureReason(error.message, source), error)
    : new FetchError("stopped by an internal error; see the log", { category: "internal" });
}

export function withCleanReasons(source: SourceSettings, result: IngestResult): IngestResult {
  const clean = (text: string) => failureReason(text, source);
  return {
    ...result,
    failure: result.failure === null ? null : failureOf(result.failure, source),
    partialFailures: result.partialFailures.map(({ part, reason }) => ({
      part: clean(part),
      reason: clean(reason),
    })),
    refused: result.refused.map(({ item, reason }) => ({ item: clean(item), reason: clean(reason) })),
  };
}

/** Returns the values of the secret headers and each of their words, longest first. Short ones are left out. */
function secretsOf(
  { headers = {}, authorization = "" }: Pick<SourceSettings, "headers" | "authorization">,
): string[] {
  return [authorization, ...Object.values(headers)]
    .flatMap((value) => [value, ...value.split(" ")])
    .filter((value) => value.length >= MIN_SECRET_LENGTH)
    .sort((a, b) => b.length - a.length);
}
