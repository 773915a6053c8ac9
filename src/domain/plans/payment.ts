// Plans what follows from the verdict on a payer's events: changes of the customer and its access, and emails.
import type { Customer, DisabledBy } from "../customer/customer.ts";
import type { PayerState, PaymentNotice, PaymentVerdict } from "../customer/payment.ts";
import type { Tier } from "../customer/tier.ts";
import type { CustomerChange, CustomerFacts } from "./customer_change.ts";

/** How long a welcome email waits for the event that states the price, ms. */
export const PRICE_WAIT_MS = 30_000;

/** The tier of a new customer before its price is known. */
const TIER_BEFORE_PRICE: Tier = "indie";

/** A customer to create for a paid checkout. Its API key is created when the welcome email is sent. */
interface NewPayer {
  customer: Customer;
  disabledBy: DisabledBy | null;
  welcomeAtMs: number;
}

/** Plans the customer to create for a payer without one. Returns null if no checkout is paid. */
export function planProvision(
  verdict: PaymentVerdict,
  { nowMs, newCustomerId }: { nowMs: number; newCustomerId(): string },
): NewPayer | null {
  if (!verdict.provision) return null;
  const isEnabled = verdict.access === "granted";
  return {
    customer: {
      id: newCustomerId(),
      email: verdict.email,
      tier: verdict.tier ?? TIER_BEFORE_PRICE,
      enabled: isEnabled,
      limits: {},
      language: verdict.language,
      declared: false,
      createdAtMs: nowMs,
    },
    disabledBy: isEnabled ? null : "payment",
    welcomeAtMs: nowMs + (verdict.isPriceAwaited ? PRICE_WAIT_MS : 0),
  };
}

export function planPayer(payer: string, verdict: PaymentVerdict, known: PayerState | null): PayerState {
  const { email, access, accessUntilMs, unknownPrice } = verdict;
  return { payer, email, tier: verdict.tier ?? known?.tier ?? null, access, accessUntilMs, unknownPrice };
}

/**
 * Plans how a verdict changes a customer. The tier and the email address change only when those of the payment change,
 * so that changes by the operator are kept. A customer that the operator disabled stays disabled.
 */
export function planPayerChange(
  { tier, email, language, access }: PaymentVerdict,
  { known, disabledBy }: { known: PayerState | null } & Pick<CustomerFacts, "disabledBy">,
): CustomerChange {
  const change: CustomerChange["change"] = { language };
  if (email !== "" && email !== known?.email) change.email = email;
  if (tier !== null && tier !== known?.tier) change.tier = tier;
  if (disabledBy === "operator") return { change };
  return { change, disabledBy: access === "granted" ? null : "payment" };
}

/** Returns how a verdict changes a customer's access, or null if it does not. */
export function accessChange(
  { before, after }: { before: boolean; after: boolean },
  { accessUntilMs }: Pick<PaymentVerdict, "accessUntilMs">,
): "ended" | "restored" | "in_grace" | null {
  if (before === after) return null;
  if (!after) return "ended";
  return accessUntilMs === null ? "restored" : "in_grace";
}

/** An email about a verdict. It is not sent if an email with `onceKey` or one of the `formerKeys` exists. */
interface PaymentMail {
  content: Pick<PaymentNotice, "kind" | "data">;
  onceKey: string;
  formerKeys: string[];
}

/** Plans the email about a verdict; null if none is due. Payers that never had access are not told that it ended. */
export function planPaymentMail(
  { notice }: Pick<PaymentVerdict, "notice">,
  { customerId, isNew }: { customerId: string; isNew: boolean },
): PaymentMail | null {
  if (notice === null || (isNew && notice.kind !== "payment-failed")) return null;
  const { occasion, formerOccasions = [], kind, data } = notice;
  const keyOf = (name: string) => `${kind}:${customerId}:${name}`;
  return {
    content: { kind, data } as PaymentMail["content"],
    onceKey: keyOf(occasion),
    formerKeys: formerOccasions.map(keyOf),
  };
}
