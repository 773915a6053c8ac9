// Customers and their API keys.
import type { MailLanguage } from "./mail_language.ts";
import type { Tier, TierLimits } from "./tier.ts";

/** Somebody who may read the API and subscribe. */
export interface Customer {
  /** `cus_` and a ULID. */
  id: string;
  /** Empty where none is known, and after an erasure. */
  email: string;
  tier: Tier;
  /** A disabled customer's keys are refused and its deliveries held. */
  enabled: boolean;
  /** Limits of this customer that stand over its tier's while that is `embedded`. */
  limits: Partial<TierLimits>;
  /** What mails to it are written in. */
  language: MailLanguage;
  /** The config declares it: no command changes it. */
  declared: boolean;
  /** Unix ms. */
  createdAtMs: number;
}

/** Who keeps a disabled customer out: the operator, or that it is not paid for. */
export type DisabledBy = "operator" | "payment";

/** An API key as it is stored: never the key itself. */
export interface ApiKey {
  /** SHA-256 of the whole key, lower-case hexadecimal. */
  hash: string;
  /** The last four characters of the key, to tell keys apart. */
  lastFour: string;
  /** Unix ms. */
  createdAtMs: number;
  /** Unix ms, null while the key is good. */
  disabledAtMs: number | null;
}

/** The limits that hold for a customer: its tier's, with its own over them where the tier is `embedded`. */
export function limitsOf(
  customer: Pick<Customer, "tier" | "limits">,
  tiers: Record<Tier, TierLimits>,
): TierLimits {
  return customer.tier === "embedded" ? { ...tiers.embedded, ...customer.limits } : tiers[customer.tier];
}

/** One of {@link limitsOf}, for who needs no other: to put them all together costs a request as much as to find its key. */
export function limitOf<Name extends keyof TierLimits>(
  { tier, limits }: Pick<Customer, "tier" | "limits">,
  tiers: Record<Tier, TierLimits>,
  name: Name,
): TierLimits[Name] {
  const own = tier === "embedded" ? limits[name] : undefined;
  return own === undefined ? tiers[tier][name] : own;
}
