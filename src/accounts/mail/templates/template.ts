// What the words of the mails are made with, whatever their language.
import type { FittedSubscription, MailData, MailKind } from "../../../domain/mail.ts";
import type { Tier, TierLimits } from "../../../domain/tier.ts";

/** A paragraph, or lines to be copied as they are. */
export type Block = string | { code: string };

/** What a letter tells beside what its occasion says. */
export interface LetterFacts {
  /** The key of a welcome; null in every other letter. */
  key: string | null;
  publicUrl: string;
  support: string;
  limits: ListedLimits;
}

/** The limits that a mail lists: those by which tiers are told apart. */
export type ListedLimits = Pick<
  TierLimits,
  "apiRequestsPerDay" | "webhookDeliveriesPerMonth" | "activeSubscriptions"
>;

/** What the words are made with. */
export interface LetterTools extends LetterFacts {
  tier: Tier;
  date(ms: number): string;
  number(value: number): string;
  /** A number with its noun: the first form where the language has the singular. */
  count(value: number, one: string, other: string): string;
}

/** Writes the letters of a kind. */
export type Writer<Kind extends MailKind> = (
  data: MailData[Kind],
  tools: LetterTools,
) => { subject: string; blocks: Block[] };

/** The words of one language. */
export interface Texts {
  letters: { [Kind in MailKind]: Writer<Kind> };
  contact(support: string): string;
  disclaimer: string;
}

/**
 * The first call that a customer can make. The key has a line for itself and nothing in the command needs an encoding,
 * so that it can be copied out of the mail's own bytes too.
 */
export function callBlock({ key, publicUrl }: LetterTools): Block {
  return { code: `curl --oauth2-bearer \\\n${key} \\\n${publicUrl}/v1/events` };
}

/** How programs send the key. */
export const HEADER_BLOCK: Block = { code: "Authorization: Bearer rgf_..." };

/** The limits of a tier in words: the nouns of each, one and many. */
export function limitsIn(
  tools: LetterTools,
  limits: ListedLimits,
  nouns: Record<keyof ListedLimits, readonly [one: string, other: string]>,
): string {
  return (Object.keys(nouns) as (keyof ListedLimits)[])
    .map((name) => tools.count(limits[name], ...nouns[name])).join(", ");
}

/** Subscriptions under a sentence; nothing where there are none. */
export function fitLines(sentence: string, subscriptions: readonly FittedSubscription[]): Block[] {
  if (subscriptions.length === 0) return [];
  return [sentence, { code: subscriptions.map(({ id, host }) => `${id} ${host}`).join("\n") }];
}

/** What went wrong, where that is known. */
export function problemAfter({ problem }: MailData["delivery-warning"], before: string): string {
  return problem === null ? "" : `${before}${problem}`;
}
