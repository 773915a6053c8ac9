// Mails to customers: kinds, contents and states. Wording and sending are in src/accounts.
import type { Customer } from "./customer.ts";
import type { Tier, TierLimits } from "./tier.ts";

/** The kinds of mails. */
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

/** See {@link MAIL_KINDS}. */
export type MailKind = typeof MAIL_KINDS[number];

/** A subscription whose deliveries fail. No address: its path may hold a token. */
export interface FailingSubscription {
  subscriptionId: string;
  /** Where it delivers to: the host's name alone. */
  host: string;
  /** Since when nothing has arrived, Unix ms. */
  failingSinceMs: number;
  /** When it is, or was, disabled, Unix ms. */
  disabledAtMs: number;
  /** The last problem, without URLs; null when unknown. */
  problem: string | null;
}

/** How much of a limit is used. */
export interface QuotaUse {
  what: "deliveries" | "requests";
  used: number;
  limit: number;
  /** When it begins anew, Unix ms. */
  resetsAtMs: number;
}

/** The limit of held deliveries is reached. */
export interface HeldFull {
  limit: number;
  /** Since when no further ones are stored, Unix ms. */
  sinceMs: number;
  /** When the month's deliveries begin anew, Unix ms. */
  resetsAtMs: number;
}

/** A subscription that was held or returned by the plan limits. */
export interface FittedSubscription {
  id: string;
  /** Where it delivers to: the host's name alone. */
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
  /** The key is made when the mail is handed over. */
  welcome: Record<string, never>;
  /** The new key's last four characters; the key itself was given to the operator. */
  "key-rotated": { lastFour: string };
  /** When the access ends unless it is paid, Unix ms; null when it has ended. */
  "payment-failed": { accessUntilMs: number | null };
  /** The paid subscription and the access have ended permanently; Unix ms. */
  "access-ended": { endedAtMs: number };
  "tier-changed": TierFit & { before: Tier; after: Tier };
  /** The tier is the same, its limit of subscriptions is not. */
  "subscriptions-held": TierFit;
  "delivery-warning": FailingSubscription;
  /** With `isKeyLost` nothing has failed: the service has lost what it signs with. */
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

/** A mail server. */
export interface SmtpServer {
  host: string;
  port: number;
  /** TLS from the beginning; else STARTTLS. */
  isTls: boolean;
  credentials: { user: string; password: string } | null;
}

const MAX_ADDRESS = 254;
const MAX_LOCAL_PART = 64;
const LOCAL_PART = /^[\p{L}\p{N}!#$%&'*+/=?^_`{|}~.-]+$/u;
const LABEL = /^[\p{L}\p{N}]+(?:-+[\p{L}\p{N}]+)*$/u;

/** Whether a text is an address that mail may go to: no quotes, no comments, no spaces, nothing that ends a header. */
export function isMailAddress(text: string): boolean {
  const at = text.lastIndexOf("@");
  return text.length <= MAX_ADDRESS && at <= MAX_LOCAL_PART &&
    LOCAL_PART.test(text.slice(0, Math.max(0, at))) &&
    text.slice(at + 1).split(".").every((label) => LABEL.test(label));
}

/** The text with "…" for each word that may be a mail address. */
export function withoutMailAddresses(text: string): string {
  return text.replace(/[^\s"'<>]+/g, (word) => /.@./s.test(word) ? "…" : word);
}

/**
 * The life of a mail: `queued` until it is handed over (`sent`) or its attempts are used up (`failed`); `cancelled`
 * when there is nobody left to tell, or nothing.
 */
export const MAIL_STATUSES = ["queued", "sent", "failed", "cancelled"] as const;

/** See {@link MAIL_STATUSES}. */
export type MailStatus = typeof MAIL_STATUSES[number];

/** A kind of mail with what it is made from. */
export type MailContent = { [Kind in MailKind]: { kind: Kind; data: MailData[Kind] } }[MailKind];

/** A due mail, leased to the caller. */
export type ClaimedMail = MailContent & {
  id: string;
  /** The number of this attempt, from 1 and never given twice; it is counted in the store already. */
  attempt: number;
  /** The same since the mail was last queued: by it the next one is put off. */
  tries: number;
  customer: Customer;
  /** The last four characters of the customer's newest good key; null without one. */
  lastFour: string | null;
};

/** The problem of a welcome that is put off, or cancelled at last, because its customer is kept out. */
export const CUSTOMER_DISABLED = "the customer is disabled";

/** How long a claimed mail is leased, ms: longer than a whole attempt. */
export const MAIL_LEASE_MS = 300_000;

/** Longer than any mail waits for its next attempt, ms: what is due later was put off by a clock that was set back. */
export const MOST_MAIL_WAIT_MS = 30 * 3_600_000;

/**
 * What came of the wish to send a mail now: it is due. `soon`: an attempt is under way or due within {@link
 * MAIL_LEASE_MS} anyway. `over`: it was sent, or there is none of that id.
 */
export type MailRetry = "queued" | "soon" | "over";

/** The outcome of an attempt to send a mail. `problem` contains no key and no email address. */
export type MailOutcome =
  | { kind: "sent" }
  | { kind: "retry"; atMs: number; problem: string }
  | { kind: "failed" | "cancelled"; problem: string };

/** A mail as it is kept. Every time is in Unix ms. */
export interface KeptMail {
  id: string;
  kind: MailKind;
  customerId: string;
  status: MailStatus;
  attempts: number;
  createdAtMs: number;
  /** When it is due; null once it is finished. */
  nextAttemptAtMs: number | null;
  finishedAtMs: number | null;
  problem: string | null;
}

/** A mail to be queued. */
export type NewMail = {
  [Kind in MailKind]: {
    /** `mail_` and a ULID. */
    id: string;
    kind: Kind;
    customerId: string;
    data: MailData[Kind];
    /** Names the occasion: of each, one mail is written ("quota-80:cus_…:2026-07"). */
    onceKey: string;
    /** Now, Unix ms. */
    atMs: number;
    /** When it is due, Unix ms; without it now. */
    dueAtMs?: number;
  };
}[MailKind];
