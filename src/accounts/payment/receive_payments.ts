// Receives the payment provider's webhooks: verifies, parses, and applies each event in one transaction.
import type { TierTable } from "../../domain/ports/store/customers.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import type { AccessChange, PaymentReview } from "../../domain/ports/store/payments.ts";
import type { Act } from "../../domain/customer/audit.ts";
import { AppError, standardError } from "../../domain/error_codes.ts";
import type { NewId } from "../../domain/event/ids.ts";
import type { PaymentEvent, PaymentOutcome } from "../../domain/customer/payment.ts";
import type { Clock, Log } from "../../domain/ports/ports.ts";
import { NO_TRACER, type Tracer } from "../../domain/ports/tracer.ts";
import { evaluatePayer, type PaymentRules } from "./payer_access.ts";
import { checkStripeSignature } from "./stripe_signature.ts";
import { parseStripeEvent } from "./stripe_event.ts";

interface PaymentOptions extends PaymentRules {
  store: Pick<
    Store,
    "recordPayment" | "replayPayment" | "reviewPayers" | "findPayment" | "findAccount"
  >;
  clock: Pick<Clock, "nowMs">;
  newId: NewId;
  log: Log;
  tracer?: Tracer;
  tiers: TierTable;
  /** The endpoint's signing secret, including its prefix. */
  webhookSecret: string;
  /** Whether to accept events of real payments instead of test events. */
  livemode: boolean;
}

export interface Payments {
  /** Handles a webhook from the provider. Throws `invalid_signature`, or `invalid_input` if the event is invalid. */
  receive(signature: string | null, body: Uint8Array): Promise<PaymentOutcome>;
  /** Applies a stored event again. Returns null if the id is unknown. */
  replay(id: string, by: Act): Promise<PaymentOutcome | null>;
  /** Ends the access of customers whose grace period is over. */
  endGraces(): Promise<void>;
  /** Evaluates every payer with the current prices and grace period, which may have changed since the last event. */
  reviewAll(): Promise<void>;
}

export function createPayments(options: PaymentOptions): Payments {
  const { store, clock, newId, log, tiers, tracer = NO_TRACER } = options;
  /** Runs `work` and, once its transaction is committed, logs whose access has ended or been restored. */
  const reviewing = async <T>(work: (review: PaymentReview) => Promise<T>): Promise<T> => {
    const nowMs = clock.nowMs();
    const changes: [customer: string, access: AccessChange][] = [];
    const noteAccess = (customer: string, access: AccessChange) => changes.push([customer, access]);
    const judge = (events: readonly PaymentEvent[]) => evaluatePayer(events, options, nowMs);
    const result = await work({ nowMs, tiers, newId, judge, noteAccess });
    for (const [customer, access] of changes) {
      if (access === "ended") log.warn("access ended: not paid", { customer });
      else if (access === "restored") log.info("access restored: payment received", { customer });
      else log.info("access restored: within the grace period", { customer });
    }
    return result;
  };
  return {
    async receive(signature, body) {
      const { webhookSecret: secret, livemode } = options;
      const verdict = checkStripeSignature({ header: signature, body, secret, nowMs: clock.nowMs() });
      if (verdict.kind === "bad") {
        log.warn("payment event rejected: invalid signature", { cause: verdict.cause });
        throw standardError("invalid_signature", [
          { field: "Stripe-Signature", message: "is not a valid signature of this request" },
        ]);
      }
      const reading = parseStripeEvent(parse(body), clock.nowMs());
      if (reading.kind === "unreadable") {
        log.warn("payment event rejected: not a valid event", { cause: reading.problem });
        throw invalidInput("body", `has a valid signature, but ${reading.problem}`);
      }
      const { id, type } = reading.kind === "event" ? reading.event : reading;
      if (reading.livemode !== livemode) {
        log.warn("payment event rejected: wrong mode", { event: id, livemode: reading.livemode });
        throw invalidInput("livemode", wrongMode(reading.livemode));
      }
      if (reading.kind === "unknown_type") {
        log.debug("payment event ignored", { event: id, type });
        return "ignored";
      }
      const outcome = await tracer.act("take payment event", { event: id, type }, async (span) => {
        const result = await reviewing((review) => store.recordPayment(reading.event, review));
        span.set({ outcome: result });
        return result;
      });
      const { fact, note } = reading.event;
      log.info("payment event", { event: id, type, outcome, ...(note === null ? {} : { note }) });
      if (fact?.kind === "checkout" && fact.unusable) {
        log.warn("the checkout has no valid email address", { event: id });
      }
      if (outcome === "applied") await warnOfPrice(options, reading.event);
      return outcome;
    },

    replay: (id, by) => reviewing((review) => store.replayPayment(id, review, by)),

    async endGraces() {
      await reviewing((review) => store.reviewPayers("grace", review));
    },

    async reviewAll() {
      await reviewing((review) => store.reviewPayers("all", review));
    },
  };
}

function invalidInput(field: string, message: string): AppError {
  return new AppError("invalid_input", `${field}: ${message}`, [{ field, message }]);
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return null;
  }
}

function wrongMode(livemode: boolean): string {
  return livemode
    ? "is true, but the config accepts only test events (payment.livemode = false)"
    : "is false, but the config accepts only events of real payments (payment.livemode = true)";
}

async function warnOfPrice({ store, log }: PaymentOptions, { id }: PaymentEvent): Promise<void> {
  const customer = (await store.findPayment(id))?.customerId ?? null;
  const account = customer === null ? null : await store.findAccount(customer);
  const price = account?.payment?.unknownPrice ?? null;
  if (price === null) return;
  log.warn("price without a tier: the customer keeps its tier; add the price to payment.prices", {
    event: id,
    price,
    customer,
  });
}
