// Subscriptions: filters for events, and the URL to which matching events are delivered.
import type { RegEvent } from "../event/event.ts";
import { isAtLeast, SEVERITIES, type Severity } from "../event/severity.ts";
import type { Topic } from "../event/topic.ts";

/** The filters of a subscription: combined with AND, the values of a list with OR; an empty list matches all. */
export interface SubscriptionFilter {
  topics: string[];
  sourceFilter: string[];
  severityMin: Severity;
}

/**
 * Why a subscription is disabled. `owner`: by its owner. `gone`: its endpoint responded with 410. `failing`: days without
 * a success. `key-lost`: its secret cannot be read; its owner must rotate it. `tier`: its customer's tier allows fewer.
 */
export const DISABLED_REASONS = ["owner", "gone", "failing", "key-lost", "tier"] as const;

export type DisabledReason = typeof DISABLED_REASONS[number];

/** The state of a subscription that gets stored events before new ones, as far as the monthly quota allows. */
export interface CatchUp {
  /** `backfill`: its owner requested stored events. `held_full`: its customer's limit of held deliveries was reached. */
  reason: "backfill" | "held_full";
  sinceMs: number;
  /** Whether it waits for the monthly quota, or to be enabled. */
  isPaused: boolean;
  /** The next stored event; null when none is stored yet. */
  nextEventId: string | null;
}

/** A customer with this many disabled subscriptions cannot create another one. */
export const MAX_DISABLED = 100;

/** A subscription: matching events are posted to a URL. Times are Unix ms. */
export interface Subscription extends SubscriptionFilter {
  /** `sub_` and a ULID. */
  id: string;
  customerId: string;
  webhookUrl: string;
  /** 64 hexadecimal characters. */
  webhookSecret: string;
  /** The replaced secret, which keeps signing until the time; null if there is none. */
  previousSecret: { secret: string; untilMs: number } | null;
  language: string;
  createdAtMs: number;
  /** Null while it is enabled. */
  disabledAtMs: number | null;
  disabledBy: DisabledReason | null;
  /** Null until its owner deletes it; the record is kept. */
  deletedAtMs: number | null;
  /** Null while it gets new events at once. */
  catchUp: CatchUp | null;
}

/** A subscription without its secrets, for matching. */
export type MatchedSubscription = Omit<Subscription, "webhookSecret" | "previousSecret">;

/** The secrets that sign now, the newest first. */
export function signingSecrets(
  { webhookSecret, previousSecret }: Pick<Subscription, "webhookSecret" | "previousSecret">,
  nowMs: number,
): string[] {
  return previousSecret !== null && nowMs < previousSecret.untilMs
    ? [webhookSecret, previousSecret.secret]
    : [webhookSecret];
}

export function isEnabled(subscription: Pick<Subscription, "disabledAtMs" | "deletedAtMs">): boolean {
  return subscription.disabledAtMs === null && subscription.deletedAtMs === null;
}

/** Decides which filters match an event. A parent topic includes its children, so the event also gets the parents. */
export function passesOf(
  event: Pick<RegEvent, "topics" | "source_id" | "severity">,
  taxonomy: readonly Topic[],
): (filter: SubscriptionFilter) => boolean {
  const topics = new Set<string>(event.topics);
  for (const { id, parent } of taxonomy) {
    if (parent !== null && event.topics.includes(id)) topics.add(parent);
  }
  const reached = new Set(SEVERITIES.filter((severity) => isAtLeast(event.severity, severity)));
  return (filter) =>
    reached.has(filter.severityMin) &&
    (filter.sourceFilter.length === 0 || filter.sourceFilter.includes(event.source_id)) &&
    (filter.topics.length === 0 || filter.topics.some((topic) => topics.has(topic)));
}
