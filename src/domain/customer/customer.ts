// Customers and their API keys.
import type { MailLanguage } from "./mail_language.ts";
import type { Tier, TierLimits } from "./tier.ts";

export interface Customer {
  /** `cus_` and a ULID. */
  id: string;
  /** Empty if unknown, and after an erasure. */
  email: string;
  tier: Tier;
  /** A disabled customer's keys are refused, and its deliveries are held. */
  enabled: boolean;
  /** Override the limits of the tier `embedded`. */
  limits: Partial<TierLimits>;
  language: MailLanguage;
  /** The config declares it: no command changes it. */
  declared: boolean;
  createdAtMs: number;
}

/** Who disabled a customer: the operator, or a missing payment. */
export type DisabledBy = "operator" | "payment";

/** An API key as it is stored: never the key itself. */
export interface ApiKey {
  /** SHA-256 of the whole key, lower-case hexadecimal. */
  hash: string;
  lastFour: string;
  createdAtMs: number;
  /** Unix ms; null while the key is valid. */
  disabledAtMs: number | null;
}

/** The limits of a customer: its tier's; in the tier `embedded`, its own override them. */
export function limitsOf(
  customer: Pick<Customer, "tier" | "limits">,
  tiers: Record<Tier, TierLimits>,
): TierLimits {
  return customer.tier === "embedded" ? { ...tiers.embedded, ...customer.limits } : tiers[customer.tier];
}
