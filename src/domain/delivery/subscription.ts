// Subscriptions: filters for events, and the URL to which matching events are delivered.
import type { EventFilter } from "../event/event_filter.ts";
import type { CustomHeaders } from "./custom_headers.ts";

/**
 * Why a subscription is disabled. `owner`: its owner disabled it. `gone`: its endpoint responded with 410. `failing`:
 * no success for days. `key-lost`: its secret is lost, so its owner must rotate it. `tier`: the tier limit holds it.
 */
export const DISABLED_REASONS = ["owner", "gone", "failing", "key-lost", "tier"] as const;

export type DisabledReason = typeof DISABLED_REASONS[number];

/** The state of a subscription that is behind. It gets stored events before new ones, as far as the quota allows. */
export interface CatchUp {
  /** `backfill`: the owner requested stored events. `held_full`: the limit on held deliveries was reached. */
  reason: "backfill" | "held_full";
  sinceMs: number;
  /** Whether catching up waits for more monthly quota, or for the subscription to be enabled. */
  isPaused: boolean;
  /** The event with which delivery continues, or null if that event is not stored yet. */
  nextEventId: string | null;
}

/** How the deliveries of a subscription are going. Times are Unix ms. */
interface SubscriptionHealth {
  /** The last success, up to a minute too early, or null if there was none. */
  lastSuccessAtMs: number | null;
  /** The first failure since the last success, or null if there is none. */
  failingSinceMs: number | null;
  pending: number;
  held: number;
}

/** The health of a subscription that has never had a delivery. */
export const NO_DELIVERIES: SubscriptionHealth = {
  lastSuccessAtMs: null,
  failingSinceMs: null,
  pending: 0,
  held: 0,
};

/** A customer with this many disabled subscriptions cannot create another subscription. */
export const MAX_DISABLED = 100;

/** A subscription, which posts matching events to a URL. Times are Unix ms. */
export interface Subscription extends EventFilter {
  /** `sub_` and a ULID. */
  id: string;
  customerId: string;
  /** Texts by which the owner recognises the subscription, or null. */
  name: string | null;
  note: string | null;
  webhookUrl: string;
  /** 64 hexadecimal digits. */
  webhookSecret: string;
  /** The replaced secret, which also signs until `untilMs`, or null if there is none. */
  previousSecret: { secret: string; untilMs: number } | null;
  /** Sent with every delivery. The values are secrets. */
  headers: CustomHeaders;
  /** The names of {@link headers}. */
  headerNames: string[];
  language: string;
  createdAtMs: number;
  /** Null while the subscription is enabled. */
  disabledAtMs: number | null;
  disabledBy: DisabledReason | null;
  /** Null until the owner deletes the subscription. */
  deletedAtMs: number | null;
  /** Null if the subscription is not behind. */
  catchUp: CatchUp | null;
  health: SubscriptionHealth;
}

/** A subscription without its secrets, as its owner sees it. */
export type ListedSubscription = Omit<Subscription, "webhookSecret" | "previousSecret" | "headers">;

/** A subscription as matching uses it. */
export type MatchedSubscription = Omit<ListedSubscription, "name" | "note" | "headerNames" | "health">;

/** Returns the secrets that sign now, newest first. */
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
