// Responses with content: 304 if the client already has it, otherwise compressed if the client accepts compression.
import { namesTag } from "./conditional_requests.ts";
import { type Body, takesGzip } from "./response_cache.ts";

interface Content {
  status: number;
  body: Body;
  contentType: string;
  headers: Record<string, string>;
}

/** Whether a request already has the content: it names its tag, or any tag by `*`. */
type Known = "named" | "any" | null;

/** Whether the client already has the content. Only a read with status 200 has a tag to compare. */
export function knownContent(request: Request, { status, body }: Pick<Content, "status" | "body">): Known {
  if (status !== 200 || (request.method !== "GET" && request.method !== "HEAD")) return null;
  const ifNoneMatch = request.headers.get("if-none-match");
  if (namesTag(ifNoneMatch, body.etag)) return "named";
  return ifNoneMatch?.trim() === "*" ? "any" : null;
}

/** Creates the response. `headers` take precedence over those set here. */
export function contentResponse(request: Request, content: Content, known: Known): Response {
  const { status, body, contentType, headers } = content;
  const isRead = status === 200 && (request.method === "GET" || request.method === "HEAD");
  const compressed = known === null && takesGzip(request.headers.get("accept-encoding")) ? body.gzip() : null;
  const all: Record<string, string> = {};
  if (known === null) all["content-type"] = contentType;
  if (compressed !== null) all["content-encoding"] = "gzip";
  // A response to HEAD has no body, but states the body's length (RFC 9110, 8.6).
  if (request.method === "HEAD" && known === null) {
    all["content-length"] = String((compressed ?? new TextEncoder().encode(body.content)).length);
  }
  if (isRead) {
    all["etag"] = body.etag;
    all["vary"] = "Accept-Encoding";
  }
  Object.assign(all, headers);
  return new Response(known !== null ? null : compressed ?? body.content, {
    status: known !== null ? 304 : status,
    headers: all,
  });
}
