// Subscriptions: filters for events, and the URL to which matching events are delivered.
import type { RegEvent } from "../event/event.ts";
import { isAtLeast, SEVERITIES, type Severity } from "../event/severity.ts";
import type { Topic } from "../event/topic.ts";

/** The filters of a subscription: combined with AND, values within a list with OR; an empty list passes everything. */
export interface SubscriptionFilter {
  topics: string[];
  sourceFilter: string[];
  severityMin: Severity;
}

/** Who or what disabled a subscription; see {@link DISABLED_REASONS}. */
export type DisabledReason = typeof DISABLED_REASONS[number];

/**
 * Its owner; its endpoint, which answered 410; days without one success; the loss of the key that its secret was sealed
 * with, until its owner has rotated it; the number of active ones that its customer's tier allows, until there is room
 * for it again.
 */
export const DISABLED_REASONS = ["owner", "gone", "failing", "key-lost", "tier"] as const;

/**
 * A subscription that is behind gets events from a place in the stored ones instead of as they come, and no faster than
 * the month's deliveries allow. It catches up by itself.
 */
export interface CatchUp {
  /** Its owner asked for stored events, or its customer's limit of held deliveries was reached. */
  reason: "backfill" | "held_full";
  /** Unix ms. */
  sinceMs: number;
  /** Whether it waits for the monthly quota, or to be enabled. */
  isPaused: boolean;
  /** The next stored event; null when none is stored yet. */
  nextEventId: string | null;
}

/** Maximum number of disabled subscriptions with which a customer may create another one. */
export const MAX_DISABLED = 100;

/** A subscription: matching events are posted to a URL. Every time is in Unix ms. */
export interface Subscription extends SubscriptionFilter {
  /** `sub_` and a ULID. */
  id: string;
  customerId: string;
  webhookUrl: string;
  /** 64 hexadecimal characters; shown once, when it is created. */
  webhookSecret: string;
  /** The secret before it, which signs as well until the time; null without one. */
  previousSecret: { secret: string; untilMs: number } | null;
  /** The language in which the receiver wants title and summary. */
  language: string;
  createdAtMs: number;
  /** When it was disabled, null while it is enabled. */
  disabledAtMs: number | null;
  /** By whom or what, null while it is enabled. */
  disabledBy: DisabledReason | null;
  /** When its owner deleted it, null before that; the record is kept. */
  deletedAtMs: number | null;
  /** Null while it gets events as they come. */
  catchUp: CatchUp | null;
}

/** A subscription without its secrets, for matching. */
export type MatchedSubscription = Omit<Subscription, "webhookSecret" | "previousSecret">;

/** The secrets that sign a delivery now, the newest first. */
export function signingSecrets(
  { webhookSecret, previousSecret }: Pick<Subscription, "webhookSecret" | "previousSecret">,
  nowMs: number,
): string[] {
  return previousSecret !== null && nowMs < previousSecret.untilMs
    ? [webhookSecret, previousSecret.secret]
    : [webhookSecret];
}

/** Whether events go out to it now. */
export function isEnabled(subscription: Pick<Subscription, "disabledAtMs" | "deletedAtMs">): boolean {
  return subscription.disabledAtMs === null && subscription.deletedAtMs === null;
}

/**
 * Says which filters let an event pass; a parent topic stands for its children. That is the same as that an event of a
 * child is one of its parent too: so the event is widened once, and no filter is.
 */
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
