// Emails to customers: kinds, contents and states. src/accounts writes the texts and sends the emails.
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
  "sign-in",
] as const;

export type MailKind = typeof MAIL_KINDS[number];

/** A subscription whose deliveries fail. Contains no URL, because the path of a URL may contain a token. */
interface FailingSubscription {
  subscriptionId: string;
  host: string;
  /** When the endpoint first failed after its last success, Unix ms. */
  failingSinceMs: number;
  /** When the subscription was or will be disabled, Unix ms. */
  disabledAtMs: number;
  /** The last problem, without URLs, or null if it is unknown. */
  problem: string | null;
}

export interface QuotaUse {
  what: "deliveries" | "requests";
  used: number;
  limit: number;
  resetsAtMs: number;
}

interface HeldFull {
  limit: number;
  /** When the service stopped creating deliveries, Unix ms. */
  sinceMs: number;
  resetsAtMs: number;
}

export interface FittedSubscription {
  id: string;
  host: string;
}

/** A customer's new limits, with the subscriptions that were held or enabled again. */
export interface TierFit {
  limits: TierLimits;
  held: FittedSubscription[];
  returned: FittedSubscription[];
}

/** The data of an email, by kind. Never contains a key, a secret, or a URL with either. */
interface MailData {
  /** Empty, because the key is created when the email is sent. */
  welcome: Record<string, never>;
  /** The new key is not included, because the operator has it. */
  "key-rotated": {
    label: string;
    lastFour: string;
    /** Until when the old key is valid, Unix ms, or null if it is disabled. */
    oldUntilMs: number | null;
  };
  /** `accessUntilMs`: when the access ends if no payment arrives, Unix ms, or null if it has ended. */
  "payment-failed": { accessUntilMs: number | null };
  /** `endedAtMs`: when the paid subscription and the access ended permanently, Unix ms. */
  "access-ended": { endedAtMs: number };
  "tier-changed": TierFit & { before: Tier; after: Tier };
  /** The limit on active subscriptions has changed, but the tier has not. */
  "subscriptions-held": TierFit;
  "delivery-warning": FailingSubscription;
  /** `isKeyLost`: the cause is not a failed delivery, but the loss of the key that seals the secrets. */
  "delivery-disabled": FailingSubscription & { isKeyLost?: true };
  "quota-80": QuotaUse;
  "quota-100": QuotaUse;
  "held-full": HeldFull;
  /** The one-time link is not included, because it is created when the email is sent. `returnTo` is a local path. */
  "sign-in": { requestedAtMs: number; returnTo: string | null };
}

/** An email address and a display name, which may be empty. */
export interface Mailbox {
  name: string;
  address: string;
}

export interface SmtpServer {
  host: string;
  port: number;
  /** Whether TLS starts with the connection. If false, STARTTLS is used. */
  isTls: boolean;
  credentials: { user: string; password: string } | null;
}

const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;
const LOCAL_PART = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u;
const LABEL = /^[\p{L}\p{N}]+(?:-+[\p{L}\p{N}]+)*$/u;

/** Whether a string is a valid email address. Quotes, comments, spaces and line breaks are not allowed. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  return text.length <= MAX_ADDRESS && at <= MAX_LOCAL_PART &&
    LOCAL_PART.test(text.slice(0, Math.max(0, at))) &&
    text.slice(at + 1).split(".").every((label) => LABEL.test(label));
}

/** Replaces everything that may be an email address with "…". */
export function withoutMailAddresses(text: string): string {
  return text.replace(/[^\s"'<>]+/g, (word) => /.@./s.test(word) ? "…" : word);
}

/** `queued`: not sent yet. `failed`: the last attempt failed. `cancelled`: by the service or the operator. */
export const MAIL_STATUSES = ["queued", "sent", "failed", "cancelled"] as const;

export type MailStatus = typeof MAIL_STATUSES[number];

export type MailContent = { [Kind in MailKind]: { kind: Kind; data: MailData[Kind] } }[MailKind];

/** A due email, leased to the caller. */
export type ClaimedMail = MailContent & {
  id: string;
  /** The number of this attempt, from 1. The store has already counted it. */
  attempt: number;
  /** The number of attempts since the email was last queued, including this one. It determines the next delay. */
  tries: number;
  customer: Customer;
  /** The last four characters of the customer's newest valid key, or null if there is none. */
  lastFour: string | null;
};

/** The problem of a welcome email that is delayed or cancelled because its customer is disabled. */
export const CUSTOMER_DISABLED = "the customer is disabled";

/** Duration of the lease of a claimed email, ms, which is longer than any attempt. */
export const MAIL_LEASE_MS = 300_000;

/** Longer than any wait for the next attempt, ms. A longer wait was computed before the clock was set back. */
export const MOST_MAIL_WAIT_MS = 30 * 3_600_000;

/**
 * The result of a request to send an email now. `queued`: the email is due. `soon`: an attempt is in progress or due
 * within {@link MAIL_LEASE_MS}. `over`: the email was sent, no longer has any content, or does not exist.
 */
export type MailRetry = "queued" | "soon" | "over";

/** The outcome of an attempt to send an email. `problem` contains no key and no email address. */
export type MailOutcome =
  | { kind: "sent" }
  | { kind: "retry"; atMs: number; problem: string }
  | { kind: "failed" | "cancelled"; problem: string };

/** A stored email, without its content. Times are Unix ms. */
export interface KeptMail {
  id: string;
  kind: MailKind;
  customerId: string;
  status: MailStatus;
  attempts: number;
  createdAtMs: number;
  /** Null once the email is finished. */
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
    /** The deduplication key, such as "quota-80:cus_…:2026-07:500". At most one email is ever queued per key. */
    onceKey: string;
    /** The current time, Unix ms. */
    atMs: number;
    /** When the email is due, Unix ms; the default is now. */
    dueAtMs?: number;
  };
}[MailKind];
