// The origin of a document, for the provenance of its events.
import type { DocumentOrigin } from "../../domain/event/provenance.ts";
import type { FetchedDocument } from "./fetch_types.ts";

/** Returns the origin of a document without the parts of its URL that may be secret. */
export function originOf(document: FetchedDocument): DocumentOrigin {
  return {
    document: document.url === null ? document.name : publicAddress(document.url),
    document_sha256: document.sha256,
    http_status: document.httpStatus,
    fetched_at: document.fetchedAtMs,
  };
}

/** Returns the origin and path of a URL. The user name, query and fragment may contain tokens. */
function publicAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
