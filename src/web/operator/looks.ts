// How states look on the operator's pages: a shape, a tone and a word.
import type { MailStatus } from "../../domain/customer/mail.ts";
import { type KeyState } from "../../domain/customer/api_key.ts";
import type { DeliveryStatus } from "../../domain/delivery/delivery.ts";
import type { RecordedOutcome } from "../../domain/source/fetch_record.ts";
import type { Level } from "../../domain/operator/finding.ts";
import type { ListedSource } from "../../domain/source/listed_source.ts";
import { badge, type Tone } from "../components/badge.ts";
import type { Shape } from "../components/icon.ts";
import type { Html } from "../html.ts";
import type { Texts } from "../texts/texts.ts";

type Look = readonly [tone: Tone, shape: Shape];

const GOOD: Look = ["good", "check"];
const WAITING: Look = ["neutral", "clock"];
const WARNING: Look = ["warn", "triangle"];
const BAD: Look = ["bad", "octagon"];
const OFF: Look = ["neutral", "pause"];

const SOURCES: Readonly<Record<ListedSource["state"], Look>> = {
  new: WAITING,
  ok: GOOD,
  partial: WARNING,
  silent: WARNING,
  empty: BAD,
  failing: BAD,
  blocked: BAD,
  off: OFF,
  gone: OFF,
};

const DELIVERIES: Readonly<Record<DeliveryStatus, Look>> = {
  pending: WAITING,
  delivered: GOOD,
  failed: BAD,
  held: ["warn", "pause"],
  cancelled: OFF,
};

const MAILS: Readonly<Record<MailStatus, Look>> = {
  queued: WAITING,
  sent: GOOD,
  failed: BAD,
  cancelled: OFF,
};

const KEYS: Readonly<Record<KeyState, Look>> = { valid: GOOD, expiring: ["warn", "clock"], disabled: OFF };

const OUTCOMES: Readonly<Record<RecordedOutcome, Look>> = {
  ok: GOOD,
  partial: WARNING,
  empty: BAD,
  failing: BAD,
  blocked: BAD,
};

const LEVELS: Readonly<Record<Level, Look>> = { good: GOOD, warning: WARNING, problem: BAD };

function look([tone, shape]: Look, text: string): Html {
  return badge({ tone, shape, text });
}

interface Badges {
  source(state: ListedSource["state"]): Html;
  delivery(status: DeliveryStatus): Html;
  mail(status: MailStatus): Html;
  key(state: KeyState): Html;
  outcome(outcome: RecordedOutcome): Html;
  level(level: Level): Html;
  customer(state: "enabled" | "disabled" | "unpaid" | "erased"): Html;
  payment(state: "applied" | "waiting" | "ignored" | "erased"): Html;
}

/** The badges in the language of a page. */
export function badgesOf({ operator: { states } }: Texts): Badges {
  return {
    source: (state) => look(SOURCES[state], states.source[state]),
    delivery: (status) => look(DELIVERIES[status], states.delivery[status]),
    mail: (status) => look(MAILS[status], states.mail[status]),
    key: (state) => look(KEYS[state], states.key[state]),
    outcome: (outcome) => look(OUTCOMES[outcome], states.outcome[outcome]),
    level: (level) => look(LEVELS[level], states.level[level]),
    customer: (state) =>
      look(state === "enabled" ? GOOD : state === "unpaid" ? WARNING : OFF, states.customer[state]),
    payment: (state) =>
      look(state === "applied" ? GOOD : state === "waiting" ? WAITING : OFF, states.payment[state]),
  };
}
