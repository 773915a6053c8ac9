// Payments: the facts of a provider's event, and the verdict on all events of a payer.
import type { MailContent } from "./mail.ts";
import type { MailLanguage } from "./mail_language.ts";
import type { Tier } from "./tier.ts";

/** The states of a paid subscription, with Stripe's names. */
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

/** The statement of one event about one paid subscription. */
export type PaymentFact =
  /** A completed checkout; `email` is null without a valid address, `unusable`: it has an invalid one. */
  | { kind: "checkout"; paid: boolean; email: string | null; language: MailLanguage; unusable?: true }
  /** The subscription's state; `deleted`: it has ended permanently. */
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
  /** The provider's id: `evt_…`. */
  id: string;
  /** The provider's type: `invoice.paid`. */
  type: string;
  createdAtMs: number;
  receivedAtMs: number;
  payer: string | null;
  /** The provider's id of the paid subscription; null if the event has none. */
  subscription: string | null;
  /** Null for an event that is not relevant. */
  fact: PaymentFact | null;
  /** Why it has no effect; null if it has one. */
  note: string | null;
}

/** A notice to a payer. One is sent per occasion. */
export type PaymentNotice = Extract<MailContent, { kind: "payment-failed" | "access-ended" }> & {
  occasion: string;
  /** Occasions under which the same notice may have been sent before. */
  formerOccasions?: readonly string[];
};

/** The verdict on all events of a payer, in any order. */
export interface PaymentVerdict {
  /** Whether a checkout was paid; a customer is created only then. */
  provision: boolean;
  /** Empty if no checkout has a valid address. */
  email: string;
  language: MailLanguage;
  /** The paid tier; null if no price is known: the customer's tier then stays. */
  tier: Tier | null;
  access: "granted" | "ended";
  /** When the access ends without a payment, Unix ms; null if it does not. */
  accessUntilMs: number | null;
  /** The price of the newest state if the config does not name it. */
  unknownPrice: string | null;
  /** The price of a checkout is not known yet; its event is expected shortly. */
  isPriceAwaited: boolean;
  notice: PaymentNotice | null;
}

/** `waiting`: for a paid checkout. `ignored`: the event has no effect. `repeated`: it was stored before. */
export type PaymentOutcome = "applied" | "waiting" | "ignored" | "repeated";

export interface KeptPayment {
  event: PaymentEvent;
  /** Null until a checkout is paid. */
  customerId: string | null;
}

export interface PayerState {
  payer: string;
  /** The email address of its last checkout: empty for none, null if unknown. */
  email: string | null;
  tier: Tier | null;
  access: "granted" | "ended";
  accessUntilMs: number | null;
  unknownPrice: string | null;
}
