// Payments: the facts of a provider's event, and the verdict on all events of a payer.
import type { MailContent } from "./mail.ts";
import type { MailLanguage } from "./mail_language.ts";
import type { Tier } from "./tier.ts";

/** The states of a paid subscription, as Stripe names them. */
export const PAYMENT_STATUSES = [
  "incomplete",
  "incomplete_expired",
  "trialing",
  "active",
  "past_due",
  "canceled",
  "unpaid",
  "paused",
] as const;

export type PaymentStatus = typeof PAYMENT_STATUSES[number];

/** What one event says about one paid subscription. */
export type PaymentFact =
  /** A completed checkout. `email` is null if it has no valid email address; `unusable`: it has an invalid one. */
  | { kind: "checkout"; paid: boolean; email: string | null; language: MailLanguage; unusable?: true }
  /** The state of the paid subscription. `deleted` means that it has ended permanently. */
  | {
    kind: "subscription";
    status: PaymentStatus;
    deleted: boolean;
    prices: string[];
    invoice: string | null;
  }
  | { kind: "invoice"; paid: boolean; prices: string[]; invoice: string | null };

/** An event of the payment provider. Times are Unix ms. */
export interface PaymentEvent {
  /** The provider's id, such as `evt_…`. */
  id: string;
  /** The provider's type, such as `invoice.paid`. */
  type: string;
  createdAtMs: number;
  receivedAtMs: number;
  payer: string | null;
  /** The provider's id of the paid subscription, or null if the event has none. */
  subscription: string | null;
  /** Null if the event is not relevant. */
  fact: PaymentFact | null;
  /** Why the event has no effect; otherwise null. */
  note: string | null;
}

/** A notice to a payer. Only one is sent per occasion. */
export type PaymentNotice = Extract<MailContent, { kind: "payment-failed" | "access-ended" }> & {
  occasion: string;
  /** Earlier names of the occasion, under which the notice may already have been sent. */
  formerOccasions?: readonly string[];
};

/** The verdict on all events of a payer, which does not depend on their order. */
export interface PaymentVerdict {
  /** Whether a checkout was paid. Only then is a customer created. */
  provision: boolean;
  /** Empty if no checkout has a valid email address. */
  email: string;
  language: MailLanguage;
  /** The paid tier, or null if no price is known, in which case the customer's tier stays. */
  tier: Tier | null;
  access: "granted" | "ended";
  /** When the access ends if no payment arrives, Unix ms, or null if it has ended or is not about to end. */
  accessUntilMs: number | null;
  /** The newest price, if the config does not name it; otherwise null. */
  unknownPrice: string | null;
  /** Whether the price of a checkout is unknown because the event that states the price has not arrived yet. */
  isPriceAwaited: boolean;
  notice: PaymentNotice | null;
}

/** `waiting`: the event waits for a paid checkout. `ignored`: it has no effect. `repeated`: it was stored before. */
export type PaymentOutcome = "applied" | "waiting" | "ignored" | "repeated";

export interface KeptPayment {
  event: PaymentEvent;
  /** Null until a checkout is paid. */
  customerId: string | null;
}

export interface PayerState {
  payer: string;
  /** The latest valid email address of a checkout; empty if there was none, null if it is unknown. */
  email: string | null;
  tier: Tier | null;
  access: "granted" | "ended";
  accessUntilMs: number | null;
  unknownPrice: string | null;
}
