// Payments: the relevant facts of a provider's event, and the verdict on all events of a payer.
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

/** See {@link PAYMENT_STATUSES}. */
export type PaymentStatus = typeof PAYMENT_STATUSES[number];

/** What one event states about one paid subscription. */
export type PaymentFact =
  /** A checkout was completed; `email` is null where it gave none that can be written to, `unusable` though it gave one. */
  | { kind: "checkout"; paid: boolean; email: string | null; language: MailLanguage; unusable?: true }
  /** The subscription's state; `deleted` says that it has ended for good. */
  | {
    kind: "subscription";
    status: PaymentStatus;
    deleted: boolean;
    /** The ids of what it consists of. */
    prices: string[];
    /** The newest bill. */
    invoice: string | null;
  }
  | { kind: "invoice"; paid: boolean; prices: string[]; invoice: string | null };

/** An event of the payment provider. Every time is in Unix ms. */
export interface PaymentEvent {
  /** The provider's: `evt_…`. */
  id: string;
  /** The provider's: `invoice.paid`. */
  type: string;
  createdAtMs: number;
  receivedAtMs: number;
  /** The provider's id of who pays; null where none is named. */
  payer: string | null;
  /** The provider's id of what is paid for; null where none is named. */
  subscription: string | null;
  /** Null where it says nothing that matters here. */
  fact: PaymentFact | null;
  /** Why nothing follows from it; null where something does. */
  note: string | null;
}

/** A notice to a payer, and its occasion. */
export type PaymentNotice = Extract<MailContent, { kind: "payment-failed" | "access-ended" }> & {
  occasion: string;
  /** Occasions under which the same notice may have been sent before. */
  formerOccasions?: readonly string[];
};

/** The verdict on all events of a payer, in any order. */
export interface PaymentVerdict {
  /** Whether a checkout was paid: before that there is no customer. */
  provision: boolean;
  /** Empty where no checkout gave an address that can be written to. */
  email: string;
  language: MailLanguage;
  /** The tier that is paid for; null when no price is known: then the customer's tier stays. */
  tier: Tier | null;
  access: "granted" | "ended";
  /** When the access ends unless it is paid until then, Unix ms; null without such a moment. */
  accessUntilMs: number | null;
  /** The price of the newest state, where the config does not name it. */
  unknownPrice: string | null;
  /** The price of a checkout is not known yet; its event is expected shortly. */
  isPriceAwaited: boolean;
  /** The notice to the customer; one per occasion. */
  notice: PaymentNotice | null;
}

/**
 * What became of an event: something may have followed, it waits for a paid checkout, nothing follows from it, or it
 * was known already.
 */
export type PaymentOutcome = "applied" | "waiting" | "ignored" | "repeated";

/** An event as it is kept, with whom it concerns. */
export interface KeptPayment {
  event: PaymentEvent;
  /** Null before a checkout was paid. */
  customerId: string | null;
}

/** The state of a customer's payments. */
export interface PayerState {
  payer: string;
  /** The email address of its last checkout: empty for none; null when unknown. */
  email: string | null;
  tier: Tier | null;
  access: "granted" | "ended";
  accessUntilMs: number | null;
  unknownPrice: string | null;
}
