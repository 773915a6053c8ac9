// Derives a payer's tier and access from all its events, regardless of the order in which they arrived.
import type {
  PaymentEvent,
  PaymentFact,
  PaymentNotice,
  PaymentVerdict,
} from "../../domain/customer/payment.ts";
import { type Tier, TIERS } from "../../domain/customer/tier.ts";

export interface PaymentRules {
  prices: Readonly<Record<string, Tier>>;
  graceMs: number;
}

type RelevantEvent = PaymentEvent & { fact: PaymentFact };

/** How long after the end of a subscription the customer is still notified of it, in ms. */
const NOTICE_MS = 7 * 86_400_000;

/** A payment failure. It lasts until the payment is made, and several events may report it. */
interface Failing<Kind> {
  kind: Kind;
  sinceMs: number;
  /** The invoice that was named most recently; null if no event named one. */
  invoice: string | null;
  /** The times, in Unix ms, of the events that reported the failure but named no invoice. */
  unnamedMs: readonly number[];
}

type SubscriptionState =
  | { kind: "good" }
  /** A payment is due; access continues for the grace period. */
  | Failing<"due">
  /** The provider has given up on a payment or paused the subscription. */
  | Failing<"suspended">
  | { kind: "ended"; sinceMs: number; subscription: string };

interface PaidSubscription {
  events: RelevantEvent[];
  state: SubscriptionState;
}

/**
 * Evaluates all events of a payer at `nowMs` (Unix ms). A paid checkout creates the customer. The events of each
 * subscription determine its state, and an ended subscription stays ended. The customer has access as long as at least
 * one subscription gives access.
 */
export function evaluatePayer(
  events: readonly PaymentEvent[],
  rules: PaymentRules,
  nowMs: number,
): PaymentVerdict {
  const relevant = events
    .filter((event): event is RelevantEvent => event.fact !== null && event.subscription !== null)
    .sort(inOrder);
  const checkouts = relevant.flatMap(({ fact }) => fact.kind === "checkout" && fact.paid ? [fact] : []);
  const subscriptions = [...Map.groupBy(relevant, (event) => event.subscription).values()]
    .filter((group) => group.some(isPaid))
    .map((group): PaidSubscription => ({ events: group, state: stateOf(group) }));
  const current = subscriptions.filter(({ state }) => givesAccess(state, rules, nowMs));
  const priced = priceOf(current.length > 0 ? current : subscriptions, rules);
  // If the price of the current subscription is unknown, the customer keeps the tier bought before.
  const tier = priced.tier ?? priceOf(subscriptions, rules).tier;
  const { unknownPrice } = priced;
  return {
    provision: checkouts.length > 0,
    email: checkouts.findLast(({ email }) => email !== null)?.email ?? "",
    language: checkouts.at(-1)?.language ?? "en",
    tier,
    unknownPrice,
    isPriceAwaited: tier === null && unknownPrice === null && Object.keys(rules.prices).length > 0,
    ...accessOf(current.length > 0 ? current : subscriptions, rules, nowMs),
  };
}

/** Compares events by the order in which they apply: by creation time (exact to the second), rank and id. */
function inOrder(a: RelevantEvent, b: RelevantEvent): number {
  return a.createdAtMs - b.createdAtMs || rankOf(a.fact) - rankOf(b.fact) || (a.id < b.id ? -1 : 1);
}

/**
 * Returns the rank of an event within its second; the highest rank applies last. The subscription's status overrides a
 * failed invoice, and a paid invoice overrides a status that reports a missing payment.
 */
function rankOf(fact: PaymentFact): number {
  if (fact.kind === "checkout") return fact.paid ? 2 : 0;
  if (fact.kind === "invoice") return fact.paid ? 6 : 1;
  return {
    incomplete: 0,
    past_due: 3,
    unpaid: 4,
    paused: 5,
    trialing: 7,
    active: 8,
    incomplete_expired: 9,
    canceled: 10,
  }[fact.status];
}

function isPaid({ fact }: RelevantEvent): boolean {
  if (fact.kind === "subscription") return fact.status === "active" || fact.status === "trialing";
  return fact.paid;
}

function stateOf(events: readonly RelevantEvent[]): SubscriptionState {
  const end = events.find(({ fact }) => isFinal(fact));
  if (end !== undefined) {
    return { kind: "ended", sinceMs: end.createdAtMs, subscription: end.subscription ?? "" };
  }
  let state: SubscriptionState = { kind: "good" };
  let newestBill: string | null = null;
  const olderBills = new Set<string>();
  for (const { fact, createdAtMs } of events) {
    if (fact.kind === "subscription" && fact.invoice !== null && fact.invoice !== newestBill) {
      if (newestBill !== null) olderBills.add(newestBill);
      newestBill = fact.invoice;
      olderBills.delete(newestBill);
    }
    const change = stateAfter(fact);
    if (change === null) continue;
    // A further failure never restores access, and only the newest invoice counts.
    const isFailedInvoice = fact.kind === "invoice" && change === "due";
    if (isFailedInvoice && (state.kind === "suspended" || olderBills.has(fact.invoice ?? ""))) continue;
    const invoice = fact.kind === "checkout" ? null : fact.invoice;
    state = change === "good" ? { kind: "good" } : failing(state, change, { createdAtMs, invoice });
  }
  return state;
}

/** Starts or continues a failure. The grace period starts with the first of consecutive failures of one kind. */
function failing(
  before: SubscriptionState,
  kind: "due" | "suspended",
  { createdAtMs, invoice }: { createdAtMs: number; invoice: string | null },
): SubscriptionState {
  const known = before.kind === "due" || before.kind === "suspended" ? before : null;
  const unnamedMs = known?.unnamedMs ?? [];
  return {
    kind,
    sinceMs: known?.kind === kind ? known.sinceMs : createdAtMs,
    invoice: invoice ?? known?.invoice ?? null,
    unnamedMs: invoice === null ? [...unnamedMs, createdAtMs] : unnamedMs,
  };
}

function isFinal(fact: PaymentFact): boolean {
  return fact.kind === "subscription" &&
    (fact.deleted || fact.status === "canceled" || fact.status === "incomplete_expired");
}

/** Returns the state after an event, or null if the event does not change it. */
function stateAfter(fact: PaymentFact): "good" | "due" | "suspended" | null {
  if (fact.kind === "checkout") return fact.paid ? "good" : null;
  if (fact.kind === "invoice") return fact.paid ? "good" : "due";
  switch (fact.status) {
    case "active":
    case "trialing":
      return "good";
    case "past_due":
      return "due";
    case "unpaid":
    case "paused":
      return "suspended";
    default:
      // For an incomplete subscription, the checkout reports the pending first payment.
      return null;
  }
}

function givesAccess(state: SubscriptionState, { graceMs }: PaymentRules, nowMs: number): boolean {
  return state.kind === "good" || (state.kind === "due" && nowMs < state.sinceMs + graceMs);
}

/** Returns the access that the best subscription gives. The subscriptions must either all give access, or none. */
function accessOf(
  subscriptions: readonly PaidSubscription[],
  { graceMs }: PaymentRules,
  nowMs: number,
): Pick<PaymentVerdict, "access" | "accessUntilMs" | "notice"> {
  const states = subscriptions.map(({ state }) => state);
  if (states.length === 0 || states.some(({ kind }) => kind === "good")) {
    return { access: "granted", accessUntilMs: null, notice: null };
  }
  const [latest] = states
    .filter((state) => state.kind === "due" || state.kind === "suspended")
    .sort((a, b) => b.sinceMs - a.sinceMs);
  if (latest === undefined) {
    return { access: "ended", accessUntilMs: null, notice: noticeOfEnd(states, nowMs) };
  }
  // `formerOccasions` identifies notices sent before the invoice was known, so that none is sent twice.
  const notice = (phase: "due" | "ended", accessUntilMs: number | null): PaymentNotice => ({
    kind: "payment-failed",
    occasion: `${phase}:${latest.invoice ?? latest.sinceMs}`,
    ...(latest.unnamedMs.length === 0 ? {} : {
      formerOccasions: latest.unnamedMs.map((ms) => `${phase}:${ms}`),
    }),
    data: { accessUntilMs },
  });
  const untilMs = latest.sinceMs + graceMs;
  return latest.kind === "due" && nowMs < untilMs
    ? { access: "granted", accessUntilMs: untilMs, notice: notice("due", untilMs) }
    : { access: "ended", accessUntilMs: null, notice: notice("ended", null) };
}

/** Returns the notice that the last subscription has ended, or null if the end was too long ago. */
function noticeOfEnd(states: readonly SubscriptionState[], nowMs: number): PaymentNotice | null {
  const [last] = states.filter((state) => state.kind === "ended")
    .sort((a, b) => b.sinceMs - a.sinceMs || (a.subscription < b.subscription ? -1 : 1));
  if (last === undefined || nowMs - last.sinceMs > NOTICE_MS) return null;
  return { kind: "access-ended", occasion: last.subscription, data: { endedAtMs: last.sinceMs } };
}

/** Returns the highest tier among the subscriptions' newest known prices, and a current price that has no tier. */
function priceOf(
  subscriptions: readonly PaidSubscription[],
  { prices }: PaymentRules,
): Pick<PaymentVerdict, "tier" | "unknownPrice"> {
  let tier: Tier | null = null;
  let unknownPrice: string | null = null;
  for (const { events } of subscriptions) {
    const own = pricesOf(events, "subscription").reverse();
    const billed = pricesOf(events, "invoice").reverse();
    // Prices of invoices are used only if the subscription has no known price.
    const known = [...own, ...billed].map((ids) => highestTier(ids, prices)).find((found) => found !== null);
    const newest = own[0] ?? billed[0] ?? [];
    if (newest.length > 0 && highestTier(newest, prices) === null) unknownPrice ??= newest[0] ?? null;
    tier = higher(tier, known ?? null);
  }
  return { tier, unknownPrice };
}

function pricesOf(events: readonly RelevantEvent[], kind: "subscription" | "invoice"): string[][] {
  return events.flatMap(({ fact }) => fact.kind === kind && fact.prices.length > 0 ? [fact.prices] : []);
}

function highestTier(ids: readonly string[], prices: PaymentRules["prices"]): Tier | null {
  return ids.map((id) => Object.hasOwn(prices, id) ? prices[id] ?? null : null).reduce(higher, null);
}

function higher(one: Tier | null, other: Tier | null): Tier | null {
  const rank = (tier: Tier | null) => tier === null ? -1 : TIERS.indexOf(tier);
  return rank(other) > rank(one) ? other : one;
}
