// The words of the command line for acts that are refused.
import type { Refusal, RefusalCode, RefusalFacts } from "../domain/operator/refusal.ts";

const WORDS: Readonly<Record<RefusalCode, (facts: RefusalFacts) => string>> = {
  customer_unknown: ({ customer }) =>
    `there is no customer ${customer}; \`regfeed customer list\` shows all customers`,
  customer_declared: ({ customer }) => `${customer} is declared in the config: change it there`,
  customer_still_declared: ({ customer }) => `${customer} is declared in the config: remove it there first`,
  customer_erased: ({ customer }) =>
    `${customer} was erased permanently: add a new customer with \`regfeed customer add\``,
  customer_stays_unpaid: ({ customer }) =>
    `${customer} stays disabled until its next payment; \`regfeed customer show\` has the details`,
  customer_without_access: ({ customer }) =>
    `${customer} is disabled, so nobody can sign in for it; \`regfeed customer show\` has the details`,
  email_declared: ({ email, holder }) =>
    `${email} is the email address of ${holder}, a customer in the config: use another email address, or change ` +
    "the config",
  email_known: ({ email, customers, isNew, mayRotate }) => {
    const rotates = mayRotate === "true" ? "`regfeed key rotate` creates a new key, " : "";
    const advice = isNew === "true"
      ? `${rotates}--another adds another customer with this email address`
      : "--another uses it for this customer as well";
    return `${email} already belongs to a customer: ${customers}; ${advice}`;
  },
  label_taken: ({ customer, label }) =>
    `${customer} already has a key with the label ${
      JSON.stringify(label)
    }: use another label, or replace the ` +
    "key with `regfeed key rotate`",
  source_unknown: ({ source, nearest }) =>
    `no source has the id ${source}; ${nearest === undefined ? "" : `did you mean ${nearest}? `}` +
    "`regfeed source list` shows all sources",
  source_disabled: ({ source }) =>
    `the source ${source} is disabled; set enabled = true, or try \`regfeed source test ${source}\``,
  held_events_changed: ({ source }) => `the held events of ${source} have changed: list them again`,
  delivery_unknown: ({ delivery }) =>
    `there is no delivery ${delivery}; \`regfeed delivery list\` lists all deliveries. Test deliveries are not stored, and ` +
    "old deliveries are deleted after the configured time",
  delivery_unfinished: (facts) => notSent(facts, describeUnfinished(facts)),
  delivery_finished: (facts) => notSent(facts, "it is finished; `regfeed delivery replay` sends it again"),
  delivery_held: (facts) => notSent(facts, describeUnfinished(facts)),
  delivery_cancelled: (facts) => notSent(facts, "its subscription was deleted"),
  delivery_removed: (facts) =>
    notSent(
      facts,
      "its body was deleted after the configured retention time; `regfeed event show` shows the event",
    ),
  subscription_disabled: (facts) =>
    notSent(
      facts,
      `its subscription ${facts["subscription"]} is disabled; \`regfeed customer show ${
        facts["customer"]
      }\` shows by ` +
        "whom, and the owner can enable it with PATCH /v1/subscriptions/{id}",
    ),
  customer_disabled: (facts) =>
    notSent(
      facts,
      `its customer ${facts["customer"]} is disabled or has not paid; \`regfeed customer show ${
        facts["customer"]
      }\` ` +
        "has the details",
    ),
  mail_not_sendable: ({ mail }) =>
    `there is no email ${mail} that can be sent now; \`regfeed mail list --status failed\` lists the failed ones`,
  mail_not_cancellable: ({ mail }) =>
    `there is no waiting or failed email ${mail}; \`regfeed mail list\` lists all emails`,
  payments_off: () => "payments are disabled: the config has no [payment] table",
  payment_unknown: ({ event }) =>
    `there is no payment event ${event}; \`regfeed payment list\` lists all payment events`,
  payment_erased: ({ event }) => `${event} belongs to an erased customer and cannot be applied`,
};

export function describeRefusal({ code, facts }: Refusal): string {
  return WORDS[code](facts);
}

function notSent({ delivery, how }: RefusalFacts, why: string): string {
  return `${delivery} is not sent ${how}: ${why}`;
}

/** Describes why a pending or held delivery is not replayed, and what the delivery is waiting for. */
function describeUnfinished({ status, subscription, disabledBy: by }: RefusalFacts): string {
  if (by === "" || by === "tier") {
    return `it is ${status} and will be sent automatically; \`regfeed delivery show\` shows when and why`;
  }
  const first = by === "key-lost" ? "rotates the lost secret and " : "";
  return `it is held because its subscription ${subscription} is disabled (${by}); it is sent when the owner ` +
    `${first}enables it with PATCH /v1/subscriptions/{id} and {"enabled": true}`;
}
