// Taking the payment provider's calls: signature, reading, and what follows, all of one event in one transaction.
import type { AccessTurn, AccountStore, PaymentReview, TierTable } from "../../domain/account_store.ts";
import type { Act } from "../../domain/audit.ts";
import { AppError } from "../../domain/errors.ts";
import type { NewId } from "../../domain/ids.ts";
import type { PaymentEvent, PaymentOutcome } from "../../domain/payment.ts";
import type { Clock, Log } from "../../domain/ports.ts";
import { NO_TRACER, type Tracer } from "../../domain/tracer.ts";
import { judgePayer, type PaymentRules } from "./payer_access.ts";
import { checkPaymentSignature } from "./stripe_signature.ts";
import { readStripeEvent } from "./stripe_event.ts";

/** What taking payments needs. */
export interface PaymentOptions extends PaymentRules {
  store: Pick<
    AccountStore,
    "recordPayment" | "replayPayment" | "reviewPayers" | "findPayment" | "findAccount"
  >;
  clock: Pick<Clock, "nowMs">;
  newId: NewId;
  log: Log;
  tracer?: Tracer;
  tiers: TierTable;
  /** The endpoint's whole signing secret. */
  webhookSecret: string;
  /** Whether real payments are taken; else only those of the test mode. */
  livemode: boolean;
}

/** Payments. */
export interface Payments {
  /**
   * Takes a call of the provider. Throws `invalid_signature`, and `invalid_input` for what is no event or one of the
   * other mode.
   */
  receive(signature: string | null, body: Uint8Array): Promise<PaymentOutcome>;
  /** Applies a stored event again; null when there is none of that id. */
  replay(id: string, by: Act): Promise<PaymentOutcome | null>;
  /** Ends the access of those whose grace is over. */
  endGraces(): Promise<void>;
  /** Judges every payer by the prices and the grace of now, which may have changed since the last event. */
  reviewAll(): Promise<void>;
}

/** Payments over the store. */
export function createPayments(options: PaymentOptions): Payments {
  const { store, clock, newId, log, tiers, tracer = NO_TRACER } = options;
  /** Judges with `work`, and when all of it is kept, says whose access that has ended or given back. */
  const reviewing = async <T>(work: (review: PaymentReview) => Promise<T>): Promise<T> => {
    const nowMs = clock.nowMs();
    const changes: [customer: string, access: AccessTurn][] = [];
    const noteAccess = (customer: string, access: AccessTurn) => changes.push([customer, access]);
    const judge = (events: readonly PaymentEvent[]) => judgePayer(events, options, nowMs);
    const result = await work({ nowMs, tiers, newId, judge, noteAccess });
    for (const [customer, access] of changes) {
      if (access === "ended") log.warn("access ended: it is not paid for", { customer });
      else if (access === "restored") log.info("access restored: it is paid for", { customer });
      else log.info("access restored: the grace of what is due is not over", { customer });
    }
    return result;
  };
  return {
    async receive(signature, body) {
      const { webhookSecret: secret, livemode } = options;
      const verdict = checkPaymentSignature({ header: signature, body, secret, nowMs: clock.nowMs() });
      if (verdict.kind === "bad") {
        log.warn("payment event refused: bad signature", { cause: verdict.cause });
        throw new AppError(
          "invalid_signature",
          "The Stripe-Signature header does not fit this body; the service's log names the likely cause.",
          [{ field: "Stripe-Signature", message: "does not fit this body" }],
        );
      }
      const reading = readStripeEvent(parse(body), clock.nowMs());
      if (reading.kind === "unreadable") {
        log.warn("payment event refused: not readable", { cause: reading.problem });
        throw unfit("body", `is signed, but ${reading.problem}`);
      }
      const { id, type } = reading.kind === "event" ? reading.event : reading;
      if (reading.livemode !== livemode) {
        log.warn("payment event refused: wrong mode", { event: id, livemode: reading.livemode });
        throw unfit("livemode", wrongMode(reading.livemode));
      }
      if (reading.kind === "unknown_type") {
        log.debug("payment event of no interest", { event: id, type });
        return "ignored";
      }
      const outcome = await tracer.act("take payment event", { event: id, type }, async (span) => {
        const came = await reviewing((review) => store.recordPayment(reading.event, review));
        span.set({ outcome: came });
        return came;
      });
      log.info("payment event", { event: id, type, outcome, ...noteOf(reading.event) });
      const { fact } = reading.event;
      if (fact?.kind === "checkout" && fact.unusable) {
        log.warn("the checkout names an address that no mail can go to: it is not kept", { event: id });
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

function unfit(field: string, message: string): AppError {
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
    ? "says that this is a real payment, and the config takes only the test mode's (payment.livemode = false)"
    : "says that this is of the test mode, and the config takes only real payments (payment.livemode = true)";
}

function noteOf({ note }: PaymentEvent): { note?: string } {
  return note === null ? {} : { note };
}

async function warnOfPrice({ store, log }: PaymentOptions, { id }: PaymentEvent): Promise<void> {
  const { customerId } = await store.findPayment(id) ?? {};
  const account = customerId === undefined || customerId === null
    ? null
    : await store.findAccount(customerId);
  const price = account?.payment?.unknownPrice ?? null;
  if (price === null) return;
  log.warn("price without a tier: the customer keeps what it has; name the price in payment.prices", {
    event: id,
    price,
    customer: customerId ?? null,
  });
}
