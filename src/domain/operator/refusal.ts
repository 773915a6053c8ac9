// Why an act of the operator is refused. The command line and the pages each have their own words for it.

const REFUSALS = [
  "customer_unknown",
  "customer_declared",
  "customer_still_declared",
  "customer_erased",
  "customer_stays_unpaid",
  "customer_without_access",
  "email_declared",
  "email_known",
  "label_taken",
  "source_unknown",
  "source_disabled",
  "held_events_changed",
  "delivery_unknown",
  "delivery_unfinished",
  "delivery_finished",
  "delivery_held",
  "delivery_cancelled",
  "delivery_removed",
  "subscription_disabled",
  "customer_disabled",
  "mail_not_sendable",
  "mail_not_cancellable",
  "payments_off",
  "payment_unknown",
  "payment_erased",
] as const;

export type RefusalCode = typeof REFUSALS[number];

/** What a refusal is about: ids, names and counts. */
export type RefusalFacts = Readonly<Record<string, string>>;

/** Thrown when an act is refused. Nothing has changed. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  constructor(readonly code: RefusalCode, readonly facts: RefusalFacts = {}) {
    super(`${code} ${JSON.stringify(facts)}`);
  }
}
