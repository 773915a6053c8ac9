// The demo's webhook receiver: checks every signature with the official library and remembers what came.
import { Webhook } from "standardwebhooks";
import type { DeliveryPayload } from "../../wire/delivery.ts";

/** A delivery that arrived with a good signature. */
export interface Arrival {
  /** The path that it was posted to. */
  path: string;
  payload: DeliveryPayload;
}

/** A receiver of webhooks. */
export interface Receiver {
  /** Answers a POST: 204 when its signature is good, else 401. */
  handle(request: Request): Promise<Response>;
  /** Tells the secret that signs what is posted to a path. */
  expect(path: string, secret: string): void;
  /** What arrived and verified, in order, each delivery once. */
  readonly arrivals: readonly Arrival[];
  /** How many requests did not verify. */
  readonly refused: number;
}

/** Makes a receiver. */
export function createReceiver(): Receiver {
  const secrets = new Map<string, string>();
  const seen = new Set<string>();
  const arrivals: Arrival[] = [];
  let refused = 0;
  return {
    arrivals,
    get refused() {
      return refused;
    },
    expect: (path, secret) => void secrets.set(path, secret),
    async handle(request) {
      const path = new URL(request.url).pathname;
      const body = await request.text();
      let payload: DeliveryPayload;
      try {
        const webhook = new Webhook(secrets.get(path) ?? "");
        payload = webhook.verify(body, Object.fromEntries(request.headers)) as DeliveryPayload;
      } catch {
        refused++;
        return new Response(null, { status: 401 });
      }
      // At least once means that one may come again: a receiver tells them apart by the delivery's id.
      if (!seen.has(payload.delivery_id)) {
        seen.add(payload.delivery_id);
        arrivals.push({ path, payload });
      }
      return new Response(null, { status: 204 });
    },
  };
}
