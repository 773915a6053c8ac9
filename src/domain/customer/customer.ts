// Customers and their API keys.
import type { MailLanguage } from "./mail_language.ts";
import type { Tier, TierLimits } from "./tier.ts";

export interface Customer {
  /** `cus_` and a ULID. */
  id: string;
  /** Empty if the email address is unknown, or if the customer was erased. */
  email: string;
  tier: Tier;
  /** The keys of a disabled customer are refused, and its deliveries are held. */
  enabled: boolean;
  /** The customer's own limits, which override those of its tier; only for `embedded`. */
  limits: Partial<TierLimits>;
  language: MailLanguage;
  /** Whether the config declares the customer, or once did. No command except `customer erase` can change it. */
  declared: boolean;
  createdAtMs: number;
}

/** What disabled a customer: the operator, or a missing payment. */
export type DisabledBy = "operator" | "payment";

/** The stored data of an API key, which does not include the key itself. */
export interface ApiKey {
  /** SHA-256 of the whole key, lower-case hexadecimal. */
  hash: string;
  /** Tells a customer's keys apart; null for a declared key. No two keys without an end have the same label. */
  label: string | null;
  lastFour: string;
  createdAtMs: number;
  /** The end of the overlap after a rotation, Unix ms, or null if the key has no end. */
  validUntilMs: number | null;
  /** When the key was disabled, Unix ms, or null. */
  disabledAtMs: number | null;
  /** When the key was last used, Unix ms, at most an hour out of date, or null if it has not been used. */
  lastUsedAtMs: number | null;
}

/** Returns the limits of a customer's tier. In the tier `embedded`, the customer's own limits override them. */
export function limitsOf(
  customer: Pick<Customer, "tier" | "limits">,
  tiers: Record<Tier, TierLimits>,
): TierLimits {
  return customer.tier === "embedded" ? { ...tiers.embedded, ...customer.limits } : tiers[customer.tier];
}
