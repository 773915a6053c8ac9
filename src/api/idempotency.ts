// `Idempotency-Key`: a repeated request gets the first response again and has no further effect.
import { createHash } from "node:crypto";
import { standardError } from "../domain/error_codes.ts";
import type { Clock } from "../domain/ports/ports.ts";
import type { StoredResponse } from "../domain/ports/store/customers.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { invalid } from "../http/invalid_fields.ts";
import type { ResponseBody } from "./response_body.ts";

/** How long a response is stored, in ms. */
export const REMEMBERED_FOR_MS = 86_400_000;
const HEADER = "idempotency-key";
/** Visible ASCII, as in the HTTP working group's draft on the header. */
const KEY_FORM = /^[\x21-\x7e]+$/;
const MAX_KEY_LENGTH = 255;

interface Repeatable {
  customerId: string;
  headers: Headers;
  address: string;
  body: Uint8Array;
  status: number;
}

export type Repetition = Pick<StoredResponse, "key" | "requestHash">;

/** Runs repeatable requests. One object serves all routes, because a key belongs to a customer and not to a route. */
export interface Idempotency {
  /**
   * Responds to a request. Without the header, calls `act`. With the header, calls `act` only for the first request,
   * and for a day returns the response that `act` stored under the key. `act` also validates the body, so that a
   * repeated request gets the stored response even if it would be rejected now. Throws `idempotency_in_flight` while
   * the first request is in progress, `idempotency_key_reused` if the request differs, and `invalid_input` if the
   * header is not a valid key.
   */
  run(
    request: Repeatable,
    act: (repetition: Repetition | null) => Promise<ResponseBody>,
  ): Promise<ResponseBody>;
}

/** Creates an {@link Idempotency}. It keeps the requests in progress in memory, so only one process may serve the API. */
export function createIdempotency(
  { store, clock }: { store: Pick<Store, "findResponse">; clock: Clock },
): Idempotency {
  const inFlight = new Set<string>();
  return {
    async run(request, act) {
      const key = request.headers.get(HEADER);
      if (key === null) return await act(null);
      if (key.length > MAX_KEY_LENGTH || !KEY_FORM.test(key)) {
        throw invalid([{ field: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" }]);
      }
      const flight = `${request.customerId} ${key}`;
      if (inFlight.has(flight)) {
        throw standardError("idempotency_in_flight");
      }
      inFlight.add(flight);
      try {
        const requestHash = hashOf(request);
        const known = await store.findResponse(request.customerId, key, clock.nowMs() - REMEMBERED_FOR_MS);
        if (known === null) return await act({ key, requestHash });
        if (known.requestHash !== requestHash) {
          throw standardError("idempotency_key_reused");
        }
        return { status: request.status, json: known.json, headers: { "idempotency-replayed": "true" } };
      } finally {
        inFlight.delete(flight);
      }
    },
  };
}

/** Hashes the URL, and the body as JSON with sorted names, or as bytes if it is not JSON. */
function hashOf({ address, body }: Repeatable): string {
  const text = new TextDecoder().decode(body);
  const hash = createHash("sha256").update(address).update("\n");
  try {
    return hash.update(JSON.stringify(JSON.parse(text, sorted))).digest("hex");
  } catch {
    return hash.update(body).digest("hex");
  }
}

/** Sorts the names in objects, because a repeated request may contain them in another order. */
function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
