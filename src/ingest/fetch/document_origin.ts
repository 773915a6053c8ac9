// Where a document came from, as the provenance of its events tells it.
import type { DocumentOrigin } from "../../domain/event/provenance.ts";
import type { FetchedDocument } from "./fetch_types.ts";

/** The origin of a document, without anything of its address that may be a secret. */
export function originOf(document: FetchedDocument): DocumentOrigin {
  return {
    document: document.url === null ? document.name : publicAddress(document.url),
    document_sha256: document.sha256,
    http_status: document.httpStatus,
    fetched_at: document.fetchedAtMs,
  };
}

/**
 * Origin and path. User, query and fragment go: they are where sites put tokens, and a query without "=" is one as
 * easily as a name is.
 */
function publicAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
