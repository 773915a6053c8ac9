// Tiers: what a customer may use, per the specification's section 8.

/** The tiers of the specification (section 2.4). */
export const TIERS = ["indie", "team", "gpai", "embedded"] as const;

/** The name of a tier; see {@link TIERS}. */
export type Tier = typeof TIERS[number];

/** What a customer may use. */
export interface TierLimits {
  /** Authenticated requests a UTC day. */
  apiRequestsPerDay: number;
  /** Events delivered by webhook a UTC month. */
  webhookDeliveriesPerMonth: number;
  activeSubscriptions: number;
}

/** The limits of the specification's section 8; `embedded` is custom there: its numbers are the operator's to set. */
export const DEFAULT_LIMITS: Readonly<Record<Tier, TierLimits>> = {
  indie: { apiRequestsPerDay: 1_000, webhookDeliveriesPerMonth: 500, activeSubscriptions: 1 },
  team: { apiRequestsPerDay: 10_000, webhookDeliveriesPerMonth: 5_000, activeSubscriptions: 5 },
  gpai: { apiRequestsPerDay: 100_000, webhookDeliveriesPerMonth: 50_000, activeSubscriptions: 25 },
  embedded: { apiRequestsPerDay: 100_000, webhookDeliveriesPerMonth: 50_000, activeSubscriptions: 200 },
};

/** Limits under the names that the config and the API have for them; those that are not given are left out. */
export function limitFields(limits: Partial<TierLimits>): Record<string, number> {
  const named = {
    api_requests_per_day: limits.apiRequestsPerDay,
    webhook_deliveries_per_month: limits.webhookDeliveriesPerMonth,
    active_subscriptions: limits.activeSubscriptions,
  };
  return Object.fromEntries(
    Object.entries(named).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
