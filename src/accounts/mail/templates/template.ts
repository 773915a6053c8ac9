// The type of the email texts. It ensures that every language has the same emails.
import type { MailKind, QuotaUse } from "../../../domain/customer/mail.ts";
import type { TierLimits } from "../../../domain/customer/tier.ts";

export type ListedLimit = "apiRequestsPerDay" | "webhookDeliveriesPerMonth" | "activeSubscriptions";

export type ListedLimits = Pick<TierLimits, ListedLimit>;

/** The emails: one for each kind, and three for special cases (see `mailOf`). */
export type MailName = MailKind | "access-suspended" | "key-expiring" | "key-lost";

/** The texts of one language. Words in braces, such as `{host}`, are placeholders. */
export interface MailTexts {
  mails: Record<MailName, readonly [subject: string, ...paragraphs: string[]]>;
  limits: Record<ListedLimit, readonly [one: string, other: string]>;
  /** The values of placeholders in emails about a quota. */
  quotas: Record<QuotaUse["what"], { noun: string; consequence: string }>;
  /** The sentences above lists of subscriptions. */
  held: string;
  returned: string;
  /** A sentence that is appended to another, and therefore begins with a space. */
  lastError: string;
  contact: string;
  disclaimer: string;
}
