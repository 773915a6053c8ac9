// The door of the service: what is answered before there is anything to answer with, and to those who only ask whether
// the process lives.
import { AppError } from "../domain/errors.ts";
import type { NewId } from "../domain/ids.ts";
import type { Soon } from "../domain/soon.ts";
import { addressOf, pathOf } from "./address.ts";
import type { Remote } from "./client_address.ts";
import { failure } from "./responses.ts";

/** Seconds after which a client that came too early may try again. */
const RETRY_SECONDS = 5;
/** The paths that are answered here, and what they take. */
const PROBES = ["/livez", "/readyz"];
const PROBE_METHODS = "GET, HEAD";

/** What stands behind an open door. */
export interface Behind {
  fetch(request: Request, remote?: Remote): Soon<Response>;
  /** Answers what still comes while the service stops. */
  refuse(request: Request): Response;
}

/** Answers requests by itself until it is opened, then hands them on. */
export interface Door extends Behind {
  /**
   * `GET /livez`: 200 while the process answers at all. `GET /readyz`: 200 once the door is open, 503 before. Both take
   * no other method. Every other request is answered 503 before, and by what stands behind it after.
   */
  fetch(request: Request, remote?: Remote): Soon<Response>;
  open(behind: Behind): void;
}

/** Makes a door that is closed. */
export function createDoor(newId: NewId): Door {
  let behind: Behind | null = null;
  const notYet = (): Response => {
    const error = new AppError("unavailable", "The service is starting. Try again in some seconds.");
    return failure(error, { requestId: newId("request"), allowance: null, isPublic: false }, {
      "retry-after": String(RETRY_SECONDS),
    });
  };
  const answerProbe = (path: string, method: string): Response => {
    const requestId = newId("request");
    if (method !== "GET" && method !== "HEAD") {
      const error = new AppError("method_not_allowed", `${path} takes ${PROBE_METHODS}, not ${method}.`);
      return failure(error, { requestId, allowance: null, isPublic: false }, { allow: PROBE_METHODS });
    }
    if (path === "/livez") return status(200, "alive", requestId);
    return behind === null ? status(503, "starting", requestId) : status(200, "ready", requestId);
  };
  return {
    fetch(request, remote) {
      for (const path of PROBES) {
        if (leadsTo(path, request)) return answerProbe(path, request.method);
      }
      return behind?.fetch(request, remote) ?? notYet();
    },
    refuse: (request) => behind?.refuse(request) ?? notYet(),
    open(to) {
      behind = to;
    },
  };
}

/** Whether the request is for the path; of most others that is seen before their address is taken apart. */
function leadsTo(path: string, request: Request): boolean {
  return request.url.includes(path) && pathOf(addressOf(request)) === path;
}

function status(code: number, word: string, requestId: string): Response {
  return new Response(`{"status":"${word}"}\n`, {
    status: code,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "x-request-id": requestId,
    },
  });
}
