// Mails to customers: kinds, contents and states. Wording and sending are in src/accounts.
import type { Customer } from "./customer.ts";
import type { Tier, TierLimits } from "./tier.ts";

export const MAIL_KINDS = [
  "welcome",
  "key-rotated",
  "payment-failed",
  "access-ended",
  "tier-changed",
  "subscriptions-held",
  "delivery-warning",
  "delivery-disabled",
  "quota-80",
  "quota-100",
  "held-full",
] as const;

export type MailKind = typeof MAIL_KINDS[number];

/** A subscription whose deliveries fail. It has no URL: the path may contain a token. */
export interface FailingSubscription {
  subscriptionId: string;
  host: string;
  /** Since when no delivery has succeeded, Unix ms. */
  failingSinceMs: number;
  /** When it will be, or was, disabled, Unix ms. */
  disabledAtMs: number;
  /** The last problem, without URLs; null if unknown. */
  problem: string | null;
}

export interface QuotaUse {
  what: "deliveries" | "requests";
  used: number;
  limit: number;
  /** When the quota resets, Unix ms. */
  resetsAtMs: number;
}

/** The limit of held deliveries is reached. */
export interface HeldFull {
  limit: number;
  /** Since when no further deliveries are stored, Unix ms. */
  sinceMs: number;
  /** When the month's quota resets, Unix ms. */
  resetsAtMs: number;
}

/** A subscription that the plan limits have held or returned. */
export interface FittedSubscription {
  id: string;
  host: string;
}

/** A customer's limits from now on, with the subscriptions that are held or returned. */
export interface TierFit {
  limits: TierLimits;
  held: FittedSubscription[];
  returned: FittedSubscription[];
}

/** The data of a mail, by kind: never a key, a secret or a URL that contains one. */
export interface MailData {
  /** The key is created when the mail is sent. */
  welcome: Record<string, never>;
  /** The operator has the key itself. */
  "key-rotated": { lastFour: string };
  /** When the access ends without a payment, Unix ms; null when it has ended. */
  "payment-failed": { accessUntilMs: number | null };
  /** The paid subscription and the access have ended permanently; Unix ms. */
  "access-ended": { endedAtMs: number };
  "tier-changed": TierFit & { before: Tier; after: Tier };
  /** The limit of subscriptions has changed, the tier has not. */
  "subscriptions-held": TierFit;
  "delivery-warning": FailingSubscription;
  /** `isKeyLost`: no delivery has failed, but the service has lost the key of its secrets. */
  "delivery-disabled": FailingSubscription & { isKeyLost?: true };
  "quota-80": QuotaUse;
  "quota-100": QuotaUse;
  "held-full": HeldFull;
}

/** An email address with a name, which may be empty. */
export interface Mailbox {
  name: string;
  address: string;
}

export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the start; otherwise STARTTLS. */
  isTls: boolean;
  credentials: { user: string; password: string } | null;
}

const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;
const LOCAL_PART = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u;
const LABEL = /^[\p{L}\p{N}]+(?:-+[\p{L}\p{N}]+)*$/u;

/** Whether a text is a valid address: without quotes, comments, spaces, and anything that ends a header. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  return text.length <= MAX_ADDRESS && at <= MAX_LOCAL_PART &&
    LOCAL_PART.test(text.slice(0, Math.max(0, at))) &&
    text.slice(at + 1).split(".").every((label) => LABEL.test(label));
}

/** The text with "…" instead of everything that may be a mail address. */
export function withoutMailAddresses(text: string): string {
  return text.replace(/[^\s"'<>]+/g, (word) => /.@./s.test(word) ? "…" : word);
}

/** `queued` until `sent`, or `failed` after the last attempt; `cancelled` mails became unnecessary. */
export const MAIL_STATUSES = ["queued", "sent", "failed", "cancelled"] as const;

export type MailStatus = typeof MAIL_STATUSES[number];

export type MailContent = { [Kind in MailKind]: { kind: Kind; data: MailData[Kind] } }[MailKind];

/** A due mail, leased to the caller. */
export type ClaimedMail = MailContent & {
  id: string;
  /** The number of this attempt, from 1; the store has counted it. */
  attempt: number;
  /** The attempts since the mail was last queued; they decide on the next delay. */
  tries: number;
  customer: Customer;
  /** The last four characters of the customer's newest valid key; null if there is none. */
  lastFour: string | null;
};

/** The problem of a welcome mail that is delayed or cancelled because its customer is disabled. */
export const CUSTOMER_DISABLED = "the customer is disabled";

/** The lease of a claimed mail, ms: longer than an attempt. */
export const MAIL_LEASE_MS = 300_000;

/** Longer than any mail waits for its next attempt, ms: a later one was scheduled before the clock was set back. */
export const MOST_MAIL_WAIT_MS = 30 * 3_600_000;

/**
 * The result of a request to send a mail now. `queued`: it is due. `soon`: an attempt is in progress or due within {@link
 * MAIL_LEASE_MS}. `over`: it was sent, or does not exist.
 */
export type MailRetry = "queued" | "soon" | "over";

/** The outcome of an attempt to send a mail. `problem` contains no key and no email address. */
export type MailOutcome =
  | { kind: "sent" }
  | { kind: "retry"; atMs: number; problem: string }
  | { kind: "failed" | "cancelled"; problem: string };

/** A stored mail. Times are Unix ms. */
export interface KeptMail {
  id: string;
  kind: MailKind;
  customerId: string;
  status: MailStatus;
  attempts: number;
  createdAtMs: number;
  /** Null once it is finished. */
  nextAttemptAtMs: number | null;
  finishedAtMs: number | null;
  problem: string | null;
}

export type NewMail = {
  [Kind in MailKind]: {
    /** `mail_` and a ULID. */
    id: string;
    kind: Kind;
    customerId: string;
    data: MailData[Kind];
    /** The deduplication key, such as "quota-80:cus_…:2026-07": one mail is queued per key. */
    onceKey: string;
    /** Now, Unix ms. */
    atMs: number;
    /** Unix ms; without it now. */
    dueAtMs?: number;
  };
}[MailKind];
