// What follows from a payer's events: a function of all of them, so that the order of their arrival decides nothing.
import type { PaymentEvent, PaymentFact, PaymentNotice, PaymentVerdict } from "../../domain/payment.ts";
import { type Tier, TIERS } from "../../domain/tier.ts";

/** What the operator has settled. */
export interface PaymentRules {
  /** Price ids and the tiers that they buy. */
  prices: Readonly<Record<string, Tier>>;
  /** How long access goes on after a payment failed. */
  graceMs: number;
}

/** An event that says something. */
type Said<Fact extends PaymentFact = PaymentFact> = PaymentEvent & { fact: Fact };

/** How long the end of a subscription is news, ms: who is told of it later has noticed, or has been told. */
const NEWS_MS = 7 * 86_400_000;

/** One failure, however many events tell of it: it lasts until it is paid. */
interface Failing<Kind> {
  kind: Kind;
  sinceMs: number;
  /** The bill that was named last. */
  invoice: string | null;
  /** When it was told of without a bill, Unix ms. */
  unnamedMs: readonly number[];
}

/** How a subscription stands, as its newest event has it. */
type Standing =
  | { kind: "good" }
  /** A payment is due since then; access goes on for the grace. */
  | Failing<"due">
  /** The provider has given up on a payment, or waits for one. */
  | Failing<"suspended">
  /** For good. */
  | { kind: "ended"; sinceMs: number; subscription: string };

/** A subscription that was paid for at least once. */
interface PaidSubscription {
  events: Said[];
  standing: Standing;
}

/**
 * Judges all events of one payer at a time (Unix ms). A paid checkout makes the customer. Each subscription stands as
 * its newest event says, and the customer has access while one of them gives it. What has ended stays ended.
 */
export function judgePayer(
  events: readonly PaymentEvent[],
  rules: PaymentRules,
  nowMs: number,
): PaymentVerdict {
  const said = events.filter((event): event is Said => event.fact !== null && event.subscription !== null)
    .sort(inOrder);
  const checkouts = said.filter((event): event is Said<PaymentFact & { kind: "checkout" }> =>
    event.fact.kind === "checkout" && event.fact.paid
  );
  const subscriptions = [...Map.groupBy(said, (event) => event.subscription).values()]
    .filter((group) => group.some(isPaid))
    .map((group): PaidSubscription => ({ events: group, standing: standingOf(group) }));
  const open = subscriptions.filter(({ standing }) => isOpen(standing, rules, nowMs));
  const priced = priceOf(open.length > 0 ? open : subscriptions, rules);
  // What an open subscription costs nobody knows: then what was bought before stays.
  const tier = priced.tier ?? priceOf(subscriptions, rules).tier;
  const { unknownPrice } = priced;
  return {
    provision: checkouts.length > 0,
    email: checkouts.findLast(({ fact }) => fact.email !== null)?.fact.email ?? "",
    language: checkouts.at(-1)?.fact.language ?? "en",
    tier,
    unknownPrice,
    isPriceAwaited: tier === null && unknownPrice === null && Object.keys(rules.prices).length > 0,
    ...accessOf(open.length > 0 ? open : subscriptions, rules, nowMs),
  };
}

/**
 * The order in which events are heeded: by the second of their making; within one second the outcome decides, and at
 * last the id, so that every order of arrival gives the same.
 */
function inOrder(a: Said, b: Said): number {
  return a.createdAtMs - b.createdAtMs || rankOf(a.fact) - rankOf(b.fact) || (a.id < b.id ? -1 : 1);
}

/**
 * Which of two events of one second is heeded last. The state of the subscription itself says more than a bill that
 * failed; that a payment has arrived says more than that one was due.
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

function isPaid({ fact }: Said): boolean {
  if (fact.kind === "subscription") return fact.status === "active" || fact.status === "trialing";
  return fact.paid;
}

function standingOf(events: readonly Said[]): Standing {
  const end = events.find(({ fact }) => isFinal(fact));
  if (end !== undefined) {
    return { kind: "ended", sinceMs: end.createdAtMs, subscription: end.subscription ?? "" };
  }
  let standing: Standing = { kind: "good" };
  let newestBill: string | null = null;
  const olderBills = new Set<string>();
  for (const { fact, createdAtMs } of events) {
    if (fact.kind === "subscription" && fact.invoice !== null && fact.invoice !== newestBill) {
      if (newestBill !== null) olderBills.add(newestBill);
      newestBill = fact.invoice;
      olderBills.delete(newestBill);
    }
    const word = wordOf(fact);
    if (word === null) continue;
    if (fact.kind === "invoice" && word === "due") {
      // One more failure gives nobody access back that was taken; and the provider judges by the newest bill alone.
      if (standing.kind === "suspended" || olderBills.has(fact.invoice ?? "")) continue;
    }
    const invoice = fact.kind === "checkout" ? null : fact.invoice;
    standing = word === "good" ? { kind: "good" } : failing(standing, word, { createdAtMs, invoice });
  }
  return standing;
}

/** A failure goes on or begins: its grace begins with the first of a row, not with the last attempt. */
function failing(
  before: Standing,
  kind: "due" | "suspended",
  { createdAtMs, invoice }: { createdAtMs: number; invoice: string | null },
): Standing {
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

/** What one event says of the standing; null for nothing. */
function wordOf(fact: PaymentFact): "good" | "due" | "suspended" | null {
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
      // incomplete: the first payment is on its way, which the checkout tells.
      return null;
  }
}

function isOpen(standing: Standing, { graceMs }: PaymentRules, nowMs: number): boolean {
  return standing.kind === "good" || (standing.kind === "due" && nowMs < standing.sinceMs + graceMs);
}

/** Access by the best of the subscriptions; all of them are open, or none is. */
function accessOf(
  subscriptions: readonly PaidSubscription[],
  { graceMs }: PaymentRules,
  nowMs: number,
): Pick<PaymentVerdict, "access" | "accessUntilMs" | "notice"> {
  const granted = { access: "granted", accessUntilMs: null, notice: null } as const;
  if (subscriptions.length === 0 || subscriptions.some(({ standing }) => standing.kind === "good")) {
    return granted;
  }
  const standings = subscriptions.map(({ standing }) => standing);
  const [latest] = standings
    .filter((standing) => standing.kind === "due" || standing.kind === "suspended")
    .sort((a, b) => b.sinceMs - a.sinceMs);
  if (latest === undefined) {
    return { access: "ended", accessUntilMs: null, notice: noticeOfEnd(standings, nowMs) };
  }
  // Who was told of it before its bill was known is not told again.
  const notice = (phase: "due" | "ended", accessUntilMs: number | null): PaymentNotice => ({
    kind: "payment-failed",
    occasion: `${phase}:${latest.invoice ?? latest.sinceMs}`,
    ...(latest.unnamedMs.length === 0 ? {} : {
      formerOccasions: latest.unnamedMs.map((ms) => `${phase}:${ms}`),
    }),
    data: { accessUntilMs },
  });
  const untilMs = latest.sinceMs + graceMs;
  if (latest.kind === "due" && nowMs < untilMs) {
    return {
      access: "granted",
      accessUntilMs: untilMs,
      notice: notice("due", untilMs),
    };
  }
  return {
    access: "ended",
    accessUntilMs: null,
    notice: notice("ended", null),
  };
}

/** The last of the subscriptions has ended for good: its owner hears of that while it is news. */
function noticeOfEnd(standings: readonly Standing[], nowMs: number): PaymentNotice | null {
  const [last] = standings.filter((standing) => standing.kind === "ended")
    .sort((a, b) => b.sinceMs - a.sinceMs || (a.subscription < b.subscription ? -1 : 1));
  if (last === undefined || nowMs - last.sinceMs > NEWS_MS) return null;
  return { kind: "access-ended", occasion: last.subscription, data: { endedAtMs: last.sinceMs } };
}

/** The highest tier that the subscriptions buy, each by its newest price that is known. */
function priceOf(
  subscriptions: readonly PaidSubscription[],
  { prices }: PaymentRules,
): Pick<PaymentVerdict, "tier" | "unknownPrice"> {
  let tier: Tier | null = null;
  let unknownPrice: string | null = null;
  for (const { events } of subscriptions) {
    const own = pricesOf(events, "subscription").reverse();
    const billed = pricesOf(events, "invoice").reverse();
    // What a bill names is heeded only where the subscription names nothing that is known.
    const known = [...own, ...billed].map((ids) => highestTier(ids, prices)).find((found) => found !== null);
    const newest = own[0] ?? billed[0] ?? [];
    if (newest.length > 0 && highestTier(newest, prices) === null) unknownPrice ??= newest[0] ?? null;
    tier = higher(tier, known ?? null);
  }
  return { tier, unknownPrice };
}

function pricesOf(events: readonly Said[], kind: "subscription" | "invoice"): string[][] {
  return events.flatMap(({ fact }) => fact.kind === kind && fact.prices.length > 0 ? [fact.prices] : []);
}

function highestTier(ids: readonly string[], prices: PaymentRules["prices"]): Tier | null {
  return ids.map((id) => Object.hasOwn(prices, id) ? prices[id] ?? null : null).reduce(higher, null);
}

function higher(one: Tier | null, other: Tier | null): Tier | null {
  const rank = (tier: Tier | null) => tier === null ? -1 : TIERS.indexOf(tier);
  return rank(other) > rank(one) ? other : one;
}
