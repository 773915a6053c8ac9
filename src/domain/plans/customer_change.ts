// Plans how a change of a customer affects its limits, deliveries and emails.
import { type Customer, type DisabledBy, limitsOf } from "../customer/customer.ts";
import type { MailContent } from "../customer/mail.ts";
import { limitFields, type Tier, type TierLimits } from "../customer/tier.ts";
import type { PlanFit } from "./plan_limits.ts";

/** A customer, and who disabled it. `disabledBy` is null while the customer is enabled. */
export interface CustomerFacts {
  customer: Customer;
  disabledBy: DisabledBy | null;
}

/** A change of a customer. Absent fields stay the same. */
export interface CustomerChange {
  change: Partial<Pick<Customer, "tier" | "limits" | "email" | "language">>;
  /** Who disables the customer; null enables it. */
  disabledBy?: DisabledBy | null;
}

interface CustomerChanged extends CustomerFacts {
  differences: Record<string, unknown>;
  /** Whether the customer's pending deliveries must be held. */
  isDisabled: boolean;
  /** Whether to send a welcome email that was delayed or cancelled because the customer was disabled. */
  isEnabled: boolean;
  /** Whether to send a failed welcome email again, to the new email address. */
  hasNewEmail: boolean;
  /** The customer's new limits, or null if neither its tier nor its own limits have changed. */
  limits: TierLimits | null;
}

/** Plans the effects of a change. Returns null if it changes nothing. */
export function planCustomerChange(
  { customer, disabledBy: before }: CustomerFacts,
  { change, disabledBy = before }: CustomerChange,
  tiers: Readonly<Record<Tier, TierLimits>>,
): CustomerChanged | null {
  // A change of tier removes custom limits. Otherwise, they would apply again, unnoticed, after a return to `embedded`.
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
 * Plans the email about a change of limits, after subscriptions were held or enabled again. Returns null if none is
 * needed. A customer that awaits its welcome email needs none, because that email states the limits.
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

/** Returns what keeps a customer disabled when the operator enables it: `payment` if its payments ended, or null. */
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
  // The audit log outlives an erasure, so it must not contain the email address.
  if (before.email !== after.email) differences["email"] = "changed";
  return differences;
}
