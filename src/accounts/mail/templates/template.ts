// The form of the mail texts, which are the same mails in every language.
import type { MailKind, QuotaUse } from "../../../domain/customer/mail.ts";
import type { TierLimits } from "../../../domain/customer/tier.ts";

/** The limits that mails list, in this order. */
export type ListedLimit = "apiRequestsPerDay" | "webhookDeliveriesPerMonth" | "activeSubscriptions";

export type ListedLimits = Pick<TierLimits, ListedLimit>;

/** The mails: one for each kind, and others for two of its cases (see `mailOf`). */
export type MailName = MailKind | "access-suspended" | "key-lost";

/** The texts of one language. Words in braces stand for values: `{host}`. */
export interface MailTexts {
  mails: Record<MailName, readonly [subject: string, ...paragraphs: string[]]>;
  /** The noun of each limit, singular and plural. */
  limits: Record<ListedLimit, readonly [one: string, other: string]>;
  /** Completes the mails about a quota. */
  quotas: Record<QuotaUse["what"], { noun: string; consequence: string }>;
  /** The sentences above lists of subscriptions. */
  held: string;
  returned: string;
  /** A sentence that follows another. */
  lastError: string;
  contact: string;
  disclaimer: string;
}
