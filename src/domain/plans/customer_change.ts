// Plans the effects of a change to a customer: on its limits, its deliveries and its mails.
import { type Customer, type DisabledBy, limitsOf } from "../customer/customer.ts";
import type { MailContent } from "../customer/mail.ts";
import { limitFields, type Tier, type TierLimits } from "../customer/tier.ts";
import type { PlanFit } from "./plan_limits.ts";

/** A customer and who disabled it; null while it is enabled. */
export interface CustomerFacts {
  customer: Customer;
  disabledBy: DisabledBy | null;
}

/** A change of a customer; what is missing stays the same. */
export interface CustomerChange {
  change: Partial<Pick<Customer, "tier" | "limits" | "email" | "language">>;
  /** Who disables it; null enables it. */
  disabledBy?: DisabledBy | null;
}

export interface CustomerChanged extends CustomerFacts {
  differences: Record<string, unknown>;
  /** Its pending deliveries are held. */
  isDisabled: boolean;
  /** A welcome mail that waits for the customer to be enabled is sent. */
  isEnabled: boolean;
  /** If the welcome mail failed, it is sent again, to the new address. */
  hasNewEmail: boolean;
  /** The new limits for its subscriptions; null when they are the same. */
  limits: TierLimits | null;
}

/** The effects of a change; null when it changes nothing. */
export function planCustomerChange(
  { customer, disabledBy: before }: CustomerFacts,
  { change, disabledBy = before }: CustomerChange,
  tiers: Readonly<Record<Tier, TierLimits>>,
): CustomerChanged | null {
  // Custom limits end with the tier: they must not return with it unnoticed.
  const hasNewTier = change.tier !== undefined && change.tier !== customer.tier;
  const limits = change.limits ?? (hasNewTier ? {} : customer.limits);
  const changed: Customer = { ...customer, ...change, limits, enabled: disabledBy === null };
  const differences = differencesOf(customer, changed);
  if (before !== disabledBy) differences["disabled_by"] = { before, after: disabledBy };
  if (Object.keys(differences).length === 0) return null;
  return {
    customer: changed,
    disabledBy,
    differences,
    isDisabled: customer.enabled && !changed.enabled,
    isEnabled: !customer.enabled && changed.enabled,
    hasNewEmail: "email" in differences,
    limits: "tier" in differences || "limits" in differences ? limitsOf(changed, tiers) : null,
  };
}

/**
 * The mail about a change of limits, after the subscriptions were held or returned; null if there is none. A pending
 * welcome mail contains everything already.
 */
export function planLimitsMail(
  { before, after, limits, fit, awaitsWelcome }: {
    before: Tier;
    after: Tier;
    limits: TierLimits;
    fit: PlanFit;
    awaitsWelcome: boolean;
  },
): Extract<MailContent, { kind: "tier-changed" | "subscriptions-held" }> | null {
  if (awaitsWelcome) return null;
  if (before !== after) return { kind: "tier-changed", data: { limits, ...fit, before, after } };
  return fit.held.length > 0 ? { kind: "subscriptions-held", data: { limits, ...fit } } : null;
}

/** Who keeps a customer disabled when the operator enables it: payments that have ended. */
export function disabledAfterEnabling(payment: { access: "granted" | "ended" } | null): DisabledBy | null {
  return payment?.access === "ended" ? "payment" : null;
}

function differencesOf(before: Customer, after: Customer): Record<string, unknown> {
  const differences: Record<string, unknown> = {};
  for (const field of ["tier", "enabled", "language"] as const) {
    if (before[field] !== after[field]) {
      differences[field] = { before: before[field], after: after[field] };
    }
  }
  if (JSON.stringify(before.limits) !== JSON.stringify(after.limits)) {
    differences["limits"] = { before: limitFields(before.limits), after: limitFields(after.limits) };
  }
  // The audit remains after an erasure: it must not contain the address.
  if (before.email !== after.email) differences["email"] = "changed";
  return differences;
}
