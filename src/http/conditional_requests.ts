// Conditional requests: `If-None-Match` and `If-Match` (RFC 9110, section 13.1).
import { standardError } from "../domain/error_codes.ts";

/** Whether `If-None-Match` lists the tag. Tags are compared weakly (RFC 9110, 13.1.2). `*` lists no tag. */
export function namesTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = etag.replace(/^W\//, "");
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaque);
}

/**
 * Refuses a write with `If-Match` (RFC 9110, 13.1.1), because mutable resources have only weak tags, which never match.
 * `*` is allowed; handlers check that the resource exists. Throws `precondition_failed`.
 */
export function refuseIfMatch(ifMatch: string | null): void {
  if (ifMatch === null || ifMatch.trim() === "*") return;
  throw standardError("precondition_failed");
}
