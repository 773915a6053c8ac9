// `/livez` and `/readyz`, for supervisors and load balancers. Both return 200, because a server that listens is ready.
import type { NewId } from "../domain/event/ids.ts";
import { addressOf, pathOf } from "../http/request_url.ts";
import { methodError } from "./refusals.ts";
import { failure } from "./responses.ts";

const STATUSES: ReadonlyMap<string, string> = new Map([["/livez", "alive"], ["/readyz", "ready"]]);
const METHODS = "GET, HEAD";

/** Returns the response to a probe, or null for any other request. No limit or quota applies to probes. */
export function probeResponse(request: Request, newId: NewId): Response | null {
  // Both paths contain a z, so most other requests can be excluded without parsing their URL.
  if (!request.url.includes("z")) return null;
  const path = pathOf(addressOf(request));
  const status = STATUSES.get(path);
  if (status === undefined) return null;
  const requestId = newId("request");
  if (request.method !== "GET" && request.method !== "HEAD") {
    const error = methodError(path, METHODS, request.method);
    return failure(error, { requestId, allowance: null, isPublic: false }, { allow: METHODS });
  }
  return new Response(`{"status":"${status}"}\n`, {
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
    },
  });
}
