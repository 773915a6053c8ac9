// Mails to customers: what is told, of what kind, and when it was asked for. Wording and sending are src/accounts'.

/** What customers are written about. */
export const MAIL_KINDS = [
  "welcome",
  "key-rotated",
  "payment-failed",
  "delivery-warning",
  "delivery-disabled",
  "quota-80",
  "quota-100",
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
  /** When it is, or was, switched off, Unix ms. */
  disabledAtMs: number;
  /** What went wrong last, in words that hold no address; null when nothing is known. */
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

/** What a mail is made from, by kind: never a key, a secret or an address that holds one. */
export interface MailData {
  /** The key is made when the mail is handed over. */
  welcome: Record<string, never>;
  /** The new key's last four characters; the key itself was given to the operator. */
  "key-rotated": { lastFour: string };
  /** When the access ends unless it is paid, Unix ms; null when it has ended. */
  "payment-failed": { accessUntilMs: number | null };
  "delivery-warning": FailingSubscription;
  "delivery-disabled": FailingSubscription;
  "quota-80": QuotaUse;
  "quota-100": QuotaUse;
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
  };
}[MailKind];
