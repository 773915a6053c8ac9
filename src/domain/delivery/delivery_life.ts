// The life of a delivery: a state machine as a table, which stores apply.
import type { DeliveryStatus, HoldReason } from "./delivery.ts";

/**
 * What can happen to a delivery. `arrived`: an attempt was answered 2xx. `missed`: an attempt failed and another one is
 * due later. `exhausted`: the last attempt of the schedule failed. `quota-spent`, `disabled`: a cause to hold it.
 * `released`: no such cause is left, and the month has room for it. `abandoned`: its subscription was deleted.
 * `replayed`: its owner wants it once more.
 */
export const DELIVERY_TRIGGERS = [
  "arrived",
  "missed",
  "exhausted",
  "quota-spent",
  "disabled",
  "released",
  "abandoned",
  "replayed",
] as const;

/** See {@link DELIVERY_TRIGGERS}. */
export type DeliveryTrigger = typeof DELIVERY_TRIGGERS[number];

/** The facts that decide the next state. */
export interface DeliveryFacts {
  status: DeliveryStatus;
  holdReason: HoldReason | null;
  /** Whether it has arrived before: then sending it again is a replay. */
  hasArrived: boolean;
  /** Whether it uses one of a month's deliveries. */
  isCounted: boolean;
}

/** The next state of a delivery. */
export interface DeliveryChange {
  status: DeliveryStatus;
  holdReason: HoldReason | null;
  /** The effect on the month's quota. */
  quota: "take" | "give-back" | "keep";
  /** Whether the schedule of its attempts restarts. */
  restarts: boolean;
}

type Next = DeliveryStatus | { held: HoldReason } | null;

/** By state and trigger; null: nothing follows. What has arrived once is never less than delivered. */
const NEXT: Record<DeliveryStatus, Record<DeliveryTrigger, Next>> = {
  pending: {
    arrived: "delivered",
    missed: "pending",
    exhausted: "failed",
    "quota-spent": { held: "quota" },
    disabled: { held: "disabled" },
    released: null,
    abandoned: "cancelled",
    replayed: "pending",
  },
  held: {
    arrived: "delivered", // an attempt that was under way when it was held
    missed: null,
    exhausted: null,
    "quota-spent": { held: "quota" },
    disabled: { held: "disabled" },
    released: "pending",
    abandoned: "cancelled",
    replayed: null, // it goes by itself when the cause ends, and not before
  },
  delivered: {
    arrived: null,
    missed: null,
    exhausted: null,
    "quota-spent": null,
    disabled: null,
    released: null,
    abandoned: null,
    replayed: "pending",
  },
  failed: {
    arrived: "delivered", // an answer that came after the attempt had been given up
    missed: null,
    exhausted: null,
    "quota-spent": null,
    disabled: null,
    released: null,
    abandoned: null,
    replayed: "pending",
  },
  cancelled: {
    arrived: "delivered",
    missed: null,
    exhausted: null,
    "quota-spent": null,
    disabled: null,
    released: null,
    abandoned: null,
    replayed: null, // there is nobody to send it to
  },
};

/**
 * What becomes of a delivery in that state when that happens; null when nothing does. A replay of what has arrived uses
 * no further delivery of the month; when it does not arrive again, or may not go, it is delivered as it was.
 */
export function nextState(facts: DeliveryFacts, trigger: DeliveryTrigger): DeliveryChange | null {
  const next = NEXT[facts.status][trigger];
  if (next === null) return null;
  const wanted = typeof next === "string" ? { status: next, holdReason: null } : {
    status: "held" as const,
    holdReason: next.held,
  };
  const { status, holdReason } = facts.hasArrived && wanted.status !== "pending"
    ? { status: "delivered" as const, holdReason: null }
    : wanted;
  if (status === facts.status && holdReason === facts.holdReason && status === "held") return null;
  return {
    status,
    holdReason,
    quota: quotaOf(status, facts),
    restarts: trigger === "released" || trigger === "replayed",
  };
}

function quotaOf(status: DeliveryStatus, { hasArrived, isCounted }: DeliveryFacts): DeliveryChange["quota"] {
  const uses = status === "pending" || status === "delivered";
  if (uses && !isCounted) return "take";
  return !uses && isCounted && !hasArrived ? "give-back" : "keep";
}
