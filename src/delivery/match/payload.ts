// Creates webhook bodies. Each body is created once, and always sent as stored.
import { diffEvents } from "../../domain/event/diff.ts";
import { DISCLAIMER } from "../../domain/event/disclaimer.ts";
import type { LocalizedText, RegEvent } from "../../domain/event/event.ts";
import type { UnmatchedEvent } from "../../domain/ports/store/deliveries.ts";
import type { MatchedSubscription } from "../../domain/delivery/subscription.ts";
import type { DeliveryPayload, DeliveryType } from "../../wire/delivery.ts";
import { utcDay } from "../../domain/utc_day.ts";

export interface Recipient {
  deliveryId: string;
  subscriptionId: string;
  /** Increases by one with each delivery of the subscription. */
  sequence: number;
}

/** The JSON bodies of one event. Each consists of an opening and an ending. */
interface PreparedPayload {
  openingFor(recipient: Recipient): string;
  /** The part that all recipients with the same language share. */
  endingIn(language: string): string;
}

type Opening = Pick<DeliveryPayload, "type" | "timestamp" | "delivery_id" | "subscription_id" | "sequence">;

/** Creates the bodies of one event; `nowMs` is their `timestamp`. */
export function preparePayload({ event, previous }: UnmatchedEvent, nowMs: number): PreparedPayload {
  const endings = new Map<string, string>();
  return {
    openingFor: ({ deliveryId, subscriptionId, sequence }) => {
      const opening: Opening = {
        type: previous === null ? "event.published" : "event.revised",
        timestamp: nowMs,
        delivery_id: deliveryId,
        subscription_id: subscriptionId,
        sequence,
      };
      return `${JSON.stringify(opening).slice(0, -1)},`;
    },
    endingIn: (language) => {
      let ending = endings.get(language);
      if (ending === undefined) {
        const diff = previous === null ? {} : { diff_to_previous: diffEvents(previous, event, language) };
        ending = JSON.stringify({ ...recordIn(event, language), ...diff, disclaimer: DISCLAIMER }).slice(1);
        endings.set(language, ending);
      }
      return ending;
    },
  };
}

/**
 * Creates the body of a test delivery (specification, section 4.10), with severity `info`, source `test` and the
 * sequence number 0. The other types are samples of what a subscription receives.
 */
export function buildTestPayload(
  { type, deliveryId, newEventId, subscription, nowMs }: {
    type: DeliveryType;
    deliveryId: string;
    newEventId: () => string;
    subscription: Pick<MatchedSubscription, "id" | "language">;
    nowMs: number;
  },
): string {
  const { language } = subscription;
  const first = testEvent(newEventId(), nowMs);
  const event = type === "event.revised" ? testRevision(first, newEventId()) : first;
  const payload: DeliveryPayload = {
    type,
    timestamp: nowMs,
    delivery_id: deliveryId,
    subscription_id: subscription.id,
    sequence: 0,
    ...recordIn(event, language),
    ...(event === first ? {} : { diff_to_previous: diffEvents(first, event, language) }),
    disclaimer: DISCLAIMER,
  };
  return JSON.stringify(payload);
}

function recordIn(
  event: RegEvent,
  language: string,
): Pick<DeliveryPayload, "source" | "severity" | "language" | "title" | "summary" | "event"> {
  return { source: event.source_id, severity: event.severity, ...textsIn(event, language), event };
}

/** Returns title and summary in the wanted language, otherwise in English, or else in the original language. */
function textsIn(event: RegEvent, wanted: string): LocalizedText & { language: string } {
  const own = Object.hasOwn(event.translations, wanted) ? event.translations[wanted] : undefined;
  if (own !== undefined && own.title !== "") {
    return { language: wanted, title: own.title, summary: own.summary };
  }
  const language = event.language_versions.includes("en") ? "en" : event.language;
  return { language, title: event.title_en, summary: event.summary_en };
}

const TEST_TEXTS = {
  en: {
    title: "Test delivery",
    summary:
      "This is a test delivery that you requested. It is not about a publication. No action is required.",
  },
  de: {
    title: "Testzustellung",
    summary:
      "Diese Zustellung wurde als Test angefordert. Sie betrifft keine Veröffentlichung und erfordert keine Maßnahmen.",
  },
  fr: {
    title: "Livraison d’essai",
    summary:
      "Cette livraison a été demandée comme essai. Elle ne concerne aucune publication et n’appelle aucune action.",
  },
} satisfies Record<string, LocalizedText>;

function testEvent(id: string, nowMs: number): RegEvent {
  return {
    id,
    source_id: "test",
    source: { id: "test", name: "Test" },
    external_id: `test-${id}`,
    version: 1,
    supersedes: null,
    event_type: "guidance",
    topics: ["gpai"],
    severity: "info",
    title_en: TEST_TEXTS.en.title,
    summary_en: TEST_TEXTS.en.summary,
    url_official: "https://example.org/regfeed-test",
    ai_act_articles: ["Art. 53"],
    published_at: nowMs,
    published_at_precision: "time",
    published_on: utcDay(nowMs),
    published_at_estimated: false,
    ingested_at: nowMs,
    language: "en",
    language_versions: Object.keys(TEST_TEXTS),
    translations: TEST_TEXTS,
    status: null,
  };
}

const REVISED_TITLES = {
  en: "Test delivery, revised",
  de: "Testzustellung, überarbeitet",
  fr: "Livraison d’essai, révisée",
} satisfies Record<keyof typeof TEST_TEXTS, string>;

function testRevision(first: RegEvent, id: string): RegEvent {
  const translations = Object.entries(REVISED_TITLES).map(([language, title]) => [
    language,
    { title, summary: first.translations[language]?.summary ?? "" },
  ]);
  return {
    ...first,
    id,
    version: 2,
    supersedes: first.id,
    topics: [...first.topics, "transparency"],
    title_en: REVISED_TITLES.en,
    translations: Object.fromEntries(translations),
  };
}
