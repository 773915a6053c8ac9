// The bodies of webhooks: made once, stored, and sent as they were stored.
import { diffEvents } from "../domain/diff.ts";
import { DISCLAIMER } from "../domain/disclaimer.ts";
import type { RegEvent, Wording } from "../domain/event.ts";
import type { UnmatchedEvent } from "../domain/store.ts";
import type { MatchedSubscription } from "../domain/subscription.ts";
import type { DeliveryPayload } from "../wire/delivery.ts";

/** To whom a body goes. */
export interface Recipient {
  deliveryId: string;
  subscription: Pick<MatchedSubscription, "id" | "language">;
  /** Grows by one with each delivery of the subscription. */
  sequence: number;
}

type Head = Pick<DeliveryPayload, "type" | "timestamp" | "delivery_id" | "subscription_id" | "sequence">;

/**
 * Makes the bodies of one event, as JSON text, for any number of recipients; `nowMs` is their `timestamp`. What the
 * recipients of one language share is written once.
 */
export function preparePayload(
  { event, previous }: UnmatchedEvent,
  nowMs: number,
): (recipient: Recipient) => string {
  const tails = new Map<string, string>();
  return ({ deliveryId, subscription, sequence }) => {
    const head: Head = {
      type: previous === null ? "event.published" : "event.revised",
      timestamp: nowMs,
      delivery_id: deliveryId,
      subscription_id: subscription.id,
      sequence,
    };
    let tail = tails.get(subscription.language);
    if (tail === undefined) {
      const { language } = subscription;
      const diff = previous === null ? {} : { diff_to_previous: diffEvents(previous, event, language) };
      tail = JSON.stringify({ ...tailOf(event, language), ...diff, disclaimer: DISCLAIMER });
      tails.set(language, tail);
    }
    return joinObjects(JSON.stringify(head), tail);
  };
}

/** The body of a test delivery (specification, section 4.10): severity `info`, source `test`, an event of no source. */
export function buildTestPayload(
  { deliveryId, eventId, subscription, nowMs }: {
    deliveryId: string;
    /** An `evt_` identifier of no stored event. */
    eventId: string;
    subscription: Recipient["subscription"];
    nowMs: number;
  },
): string {
  const event = testEvent(eventId, nowMs);
  const payload: DeliveryPayload = {
    type: "event.test",
    timestamp: nowMs,
    delivery_id: deliveryId,
    subscription_id: subscription.id,
    sequence: 0,
    ...tailOf(event, subscription.language),
    disclaimer: DISCLAIMER,
  };
  return JSON.stringify(payload);
}

function tailOf(
  event: RegEvent,
  language: string,
): Pick<DeliveryPayload, "source" | "severity" | "language" | "title" | "summary" | "event"> {
  return { source: event.source_id, severity: event.severity, ...wordsIn(event, language), event };
}

/**
 * The words in the wanted language where the event has them, else those that the record calls English (the source's
 * own where it publishes no English), and which language that is.
 */
function wordsIn(event: RegEvent, wanted: string): Wording & { language: string } {
  const own = Object.hasOwn(event.translations, wanted) ? event.translations[wanted] : undefined;
  if (own !== undefined && own.title !== "") {
    return { language: wanted, title: own.title, summary: own.summary };
  }
  const language = event.language_versions.includes("en") ? "en" : event.language;
  return { language, title: event.title_en, summary: event.summary_en };
}

/** The JSON text of one object out of those of two, neither of them empty. */
function joinObjects(first: string, second: string): string {
  return `${first.slice(0, -1)},${second.slice(1)}`;
}

const TEST_WORDS = {
  en: {
    title: "Test delivery",
    summary: "This delivery was asked for as a test. It concerns no publication and needs no action.",
  },
  de: {
    title: "Testzustellung",
    summary:
      "Diese Zustellung wurde als Test angefordert. Sie betrifft keine Veröffentlichung, zu tun ist nichts.",
  },
  fr: {
    title: "Livraison d’essai",
    summary:
      "Cette livraison a été demandée comme essai. Elle ne concerne aucune publication et n’appelle aucune action.",
  },
} satisfies Record<string, Wording>;

function testEvent(id: string, nowMs: number): RegEvent {
  return {
    id,
    source_id: "test",
    external_id: `test-${id}`,
    version: 1,
    supersedes: null,
    event_type: "guidance",
    topics: ["gpai"],
    severity: "info",
    title_en: TEST_WORDS.en.title,
    summary_en: TEST_WORDS.en.summary,
    url_official: "https://example.org/regfeed-test",
    ai_act_articles: ["Art. 53"],
    published_at: nowMs,
    published_at_estimated: false,
    ingested_at: nowMs,
    language: "en",
    language_versions: Object.keys(TEST_WORDS),
    translations: TEST_WORDS,
  };
}
