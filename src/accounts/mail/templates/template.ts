// Types and building blocks of the mail templates, shared by all languages.
import type { FittedSubscription, MailData, MailKind } from "../../../domain/customer/mail.ts";
import type { Tier, TierLimits } from "../../../domain/customer/tier.ts";

/** A paragraph, or preformatted lines. */
export type Block = string | { code: string };

/** Values for a mail besides its data. */
export interface MailFacts {
  /** The key in a welcome mail; otherwise null. */
  key: string | null;
  publicUrl: string;
  support: string;
  limits: ListedLimits;
}

/** The limits that mails list. */
export type ListedLimits = Pick<
  TierLimits,
  "apiRequestsPerDay" | "webhookDeliveriesPerMonth" | "activeSubscriptions"
>;

/** Values and formatters of one mail. */
export interface TemplateContext extends MailFacts {
  tier: Tier;
  date(ms: number): string;
  number(value: number): string;
  /** A number with its noun in the singular or plural. */
  count(value: number, one: string, other: string): string;
}

/** The template of a kind of mail. */
export type MailTemplate<Kind extends MailKind> = (
  data: MailData[Kind],
  context: TemplateContext,
) => { subject: string; blocks: Block[] };

/** The templates of one language. */
export interface MailTemplates {
  templates: { [Kind in MailKind]: MailTemplate<Kind> };
  contact(support: string): string;
  disclaimer: string;
}

/** A first request. The key is on a separate line that no transfer encoding breaks, so that it can be copied. */
export function firstRequest({ key, publicUrl }: TemplateContext): Block {
  return { code: `curl --oauth2-bearer \\\n${key} \\\n${publicUrl}/v1/events` };
}

/** The header with the key. */
export const KEY_HEADER: Block = { code: "Authorization: Bearer rgf_..." };

/** The limits of a tier in words; `nouns` gives singular and plural of each. */
export function describeLimits(
  context: TemplateContext,
  limits: ListedLimits,
  nouns: Record<keyof ListedLimits, readonly [one: string, other: string]>,
): string {
  return (Object.keys(nouns) as (keyof ListedLimits)[])
    .map((name) => context.count(limits[name], ...nouns[name])).join(", ");
}

/** A sentence and a list of subscriptions; nothing if there are none. */
export function listSubscriptions(sentence: string, subscriptions: readonly FittedSubscription[]): Block[] {
  if (subscriptions.length === 0) return [];
  return [sentence, { code: subscriptions.map(({ id, host }) => `${id} ${host}`).join("\n") }];
}

/** The last error as a sentence that follows another, if it is known. */
export function lastError({ problem }: MailData["delivery-warning"], label: string): string {
  return problem === null ? "" : ` ${label} ${problem}.`;
}
