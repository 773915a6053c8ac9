// Tiers and their limits (specification, section 8).

/** The tiers of the specification (section 2.4). */
export const TIERS = ["indie", "team", "gpai", "embedded"] as const;

export type Tier = typeof TIERS[number];

export interface TierLimits {
  /** Authenticated requests per UTC day. */
  apiRequestsPerDay: number;
  /** Events delivered by webhook per UTC month. */
  webhookDeliveriesPerMonth: number;
  activeSubscriptions: number;
  /** Test deliveries per UTC day. */
  testCallsPerDay: number;
  /** Deliveries that replays send again or create, per UTC day. */
  replaysPerDay: number;
  /** Subscriptions created with a backfill per UTC day. */
  backfillsPerDay: number;
  /** Maximum number of held deliveries. At the limit, no more are created; the subscription catches up later. */
  heldDeliveries: number;
}

/**
 * The limits of the specification's section 8, which leaves `embedded` to the operator. As many replays are allowed per
 * day as deliveries per month, so that a receiver can recover from a month of failures in a day.
 */
export const DEFAULT_LIMITS: Readonly<Record<Tier, TierLimits>> = {
  indie: {
    apiRequestsPerDay: 1_000,
    webhookDeliveriesPerMonth: 500,
    activeSubscriptions: 1,
    testCallsPerDay: 50,
    replaysPerDay: 500,
    backfillsPerDay: 10,
    heldDeliveries: 500,
  },
  team: {
    apiRequestsPerDay: 10_000,
    webhookDeliveriesPerMonth: 5_000,
    activeSubscriptions: 5,
    testCallsPerDay: 200,
    replaysPerDay: 5_000,
    backfillsPerDay: 20,
    heldDeliveries: 5_000,
  },
  gpai: {
    apiRequestsPerDay: 100_000,
    webhookDeliveriesPerMonth: 50_000,
    activeSubscriptions: 25,
    testCallsPerDay: 1_000,
    replaysPerDay: 50_000,
    backfillsPerDay: 50,
    heldDeliveries: 50_000,
  },
  embedded: {
    apiRequestsPerDay: 100_000,
    webhookDeliveriesPerMonth: 50_000,
    activeSubscriptions: 200,
    testCallsPerDay: 1_000,
    replaysPerDay: 50_000,
    backfillsPerDay: 200,
    heldDeliveries: 50_000,
  },
};

/** The names of the limits in the config and the API. */
export const LIMIT_FIELDS = {
  apiRequestsPerDay: "api_requests_per_day",
  webhookDeliveriesPerMonth: "webhook_deliveries_per_month",
  activeSubscriptions: "active_subscriptions",
  testCallsPerDay: "test_calls_per_day",
  replaysPerDay: "replays_per_day",
  backfillsPerDay: "backfills_per_day",
  heldDeliveries: "held_deliveries",
} as const satisfies Record<keyof TierLimits, string>;

export type LimitField = typeof LIMIT_FIELDS[keyof TierLimits];

const LIMIT_NAMES = Object.entries(LIMIT_FIELDS) as [keyof TierLimits, LimitField][];

/** Returns the defined limits under the names of {@link LIMIT_FIELDS}. */
export function limitFields(limits: Partial<TierLimits>): Partial<Record<LimitField, number>> {
  return Object.fromEntries(
    LIMIT_NAMES.map(([name, field]) => [field, limits[name]]).filter(([, limit]) => limit !== undefined),
  );
}

/** Inverts {@link limitFields}. Ignores other keys. */
export function limitsFromFields(
  fields: { [Field in LimitField]?: number | undefined },
): Partial<TierLimits> {
  return Object.fromEntries(
    LIMIT_NAMES.map(([name, field]) => [name, fields[field]]).filter(([, limit]) => limit !== undefined),
  );
}
