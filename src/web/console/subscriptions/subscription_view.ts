// What the pages of subscriptions show: the state, the filters in words, and which subscriptions a list has.
import type { Tone } from "../../components/badge.ts";
import type { Shape } from "../../components/icon.ts";
import type { Format } from "../../texts/format.ts";
import type { Texts } from "../../texts/texts.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { SubscriptionRecord } from "./subscription_api.ts";

export const SUBSCRIPTIONS_PATH = "/console/subscriptions";

export function subscriptionUrl(id: string): string {
  return `${SUBSCRIPTIONS_PATH}/${encodeURIComponent(id)}`;
}

export function deliveryUrl({ id, subscription_id }: { id: string; subscription_id: string }): string {
  return `${subscriptionUrl(subscription_id)}/deliveries/${encodeURIComponent(id)}`;
}

/** The states, those that need attention first. */
export const STATES = ["failing", "stopped", "gone", "lost", "tier", "paused", "active"] as const;

type SubscriptionState = typeof STATES[number];

export const STATE_LOOKS: Readonly<Record<SubscriptionState, { tone: Tone; shape: Shape }>> = {
  active: { tone: "good", shape: "check" },
  failing: { tone: "warn", shape: "triangle" },
  stopped: { tone: "bad", shape: "octagon" },
  gone: { tone: "bad", shape: "octagon" },
  lost: { tone: "bad", shape: "octagon" },
  tier: { tone: "warn", shape: "pause" },
  paused: { tone: "neutral", shape: "pause" },
};

const DISABLED: Readonly<Record<NonNullable<SubscriptionRecord["disabled_by"]>, SubscriptionState>> = {
  owner: "paused",
  gone: "gone",
  failing: "stopped",
  "key-lost": "lost",
  tier: "tier",
};

export function stateOf(
  { disabled_by, failing_since }: Pick<SubscriptionRecord, "disabled_by" | "failing_since">,
): SubscriptionState {
  if (disabled_by !== null) return DISABLED[disabled_by];
  return failing_since === null ? "active" : "failing";
}

/** Returns the name, or the host of the URL. */
export function nameOf({ name, webhook_url }: Pick<SubscriptionRecord, "name" | "webhook_url">): string {
  return name ?? URL.parse(webhook_url)?.host ?? webhook_url;
}

type Filters = Pick<
  SubscriptionRecord,
  | "topics"
  | "source_filter"
  | "severity_min"
  | "event_type"
  | "article"
  | "event_language"
  | "q"
  | "exclude"
>;

/** Returns the filters in words, one entry for each; a single entry if every event passes. */
export function filterWords(
  filters: Filters,
  { texts, vocabulary, format }: { texts: Texts; vocabulary: Vocabulary; format: Format },
): string[] {
  const { feed: { chips }, subscriptions: { words } } = texts;
  const anyOf = (values: readonly string[], nameOf: (id: string) => string = (id) => id) =>
    values.length === 0 ? null : format.either(values.map(nameOf));
  const { topicName, severityName, eventTypeName, sourceName, languageName } = vocabulary;
  const { exclude } = filters;
  const said = (text: string | null, say: (text: string) => string): string[] =>
    text === null ? [] : [say(text)];
  const without = [
    ...said(anyOf(exclude.topics, topicName), chips.topic),
    ...said(anyOf(exclude.event_type, eventTypeName), chips.type),
    ...said(anyOf(exclude.article), chips.article),
    ...said(anyOf(exclude.source, sourceName), chips.source),
    ...said(exclude.q, chips.q),
  ];
  const all = [
    ...said(
      filters.severity_min === "info" ? null : severityName(filters.severity_min),
      filters.severity_min === "critical" ? chips.highestSeverity : chips.severity,
    ),
    ...said(anyOf(filters.topics, topicName), chips.topic),
    ...said(anyOf(filters.event_type, eventTypeName), chips.type),
    ...said(anyOf(filters.article), chips.article),
    ...said(anyOf(filters.source_filter, sourceName), chips.source),
    ...said(anyOf(filters.event_language, languageName), chips.language),
    ...said(filters.q, chips.q),
  ];
  return [
    ...(all.length === 0 ? [words.everything] : all),
    ...(without.length === 0 ? [] : [words.without(without.join("; "))]),
  ];
}

const PAGE_SIZE = 25;

export interface ListQuery {
  /** Words of the name, the URL or the id. */
  q: string;
  state: SubscriptionState | null;
  /** From 1. */
  page: number;
}

export interface ListView {
  shown: SubscriptionRecord[];
  /** Number of subscriptions that match. */
  total: number;
  newerPage: number | null;
  olderPage: number | null;
}

/** Returns a page of the subscriptions that match: those that need attention first, then the newest. */
export function viewOfList(all: readonly SubscriptionRecord[], { q, state, page }: ListQuery): ListView {
  const words = q.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const matching = all.filter((one) => {
    if (state !== null && stateOf(one) !== state) return false;
    const text = `${one.name ?? ""} ${one.webhook_url} ${one.id}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const rank = (one: SubscriptionRecord) => STATES.indexOf(stateOf(one));
  const sorted = matching.sort((a, b) => rank(a) - rank(b) || b.created_at - a.created_at);
  const pages = Math.max(1, Math.ceil(sorted.length / PAGE_SIZE));
  const current = Math.min(Math.max(1, page), pages);
  return {
    shown: sorted.slice((current - 1) * PAGE_SIZE, current * PAGE_SIZE),
    total: sorted.length,
    newerPage: current > 1 ? current - 1 : null,
    olderPage: current < pages ? current + 1 : null,
  };
}
