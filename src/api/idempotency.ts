// `Idempotency-Key`: a request that is sent again gets the first answer again instead of acting twice.
import { createHash } from "node:crypto";
import { AppError } from "../domain/errors.ts";
import type { Clock } from "../domain/ports.ts";
import type { RememberedAnswer, Store } from "../domain/store.ts";
import { invalid } from "./input.ts";
import type { Answer, KeyCall } from "./route.ts";

/** How long an answer is kept, ms. */
export const REMEMBERED_FOR_MS = 86_400_000;
const HEADER = "idempotency-key";
/** Visible ASCII, as the HTTP working group's draft on the header asks of keys. */
const KEY_FORM = /^[\x21-\x7e]{1,255}$/;

/** Runs requests that may be sent again. */
export interface Idempotency {
  /**
   * Answers a call: without the header by `act`; with it the first time by `act`, which is given what to keep beside
   * what it stores, and for a day after that by what was kept. Throws `idempotency_in_flight` while the first is under
   * way, `idempotency_key_reused` when the body is another one, `invalid_input` when the header is no key.
   */
  run(
    call: KeyCall,
    act: (remember: (json: string) => RememberedAnswer | undefined) => Promise<Answer>,
  ): Promise<Answer>;
}

/** Over the store's answers; one process answers requests. */
export function createIdempotency(
  { store, clock, status }: { store: Pick<Store, "findAnswer">; clock: Clock; status: number },
): Idempotency {
  const underWay = new Set<string>();
  return {
    async run(call, act) {
      const key = call.headers.get(HEADER);
      if (key === null) return await act(() => undefined);
      if (!KEY_FORM.test(key)) {
        throw invalid([{ field: "Idempotency-Key", message: "must be 1 to 255 visible ASCII characters" }]);
      }
      const place = `${call.customer.id} ${key}`;
      if (underWay.has(place)) {
        throw new AppError(
          "idempotency_in_flight",
          "Wait for the answer to the first request, or send it again later.",
        );
      }
      underWay.add(place);
      try {
        const requestHash = createHash("sha256").update(JSON.stringify(call.body)).digest("hex");
        const known = await store.findAnswer(call.customer.id, key, clock.nowMs() - REMEMBERED_FOR_MS);
        if (known === null) return await act((json) => ({ key, requestHash, json }));
        if (known.requestHash !== requestHash) {
          throw new AppError(
            "idempotency_key_reused",
            "Use a new key for another body; this one answers the first.",
          );
        }
        return { status, json: known.json, headers: { "idempotency-replayed": "true" } };
      } finally {
        underWay.delete(place);
      }
    },
  };
}
