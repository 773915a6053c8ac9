// The state machine of deliveries, which every store applies.
import type { DeliveryStatus, HoldReason } from "./delivery.ts";

/**
 * The events that change the state of a delivery. `arrived`: a 2xx response. `missed`: an attempt failed, and another
 * follows. `exhausted`: the last attempt failed. `quota-spent`, `disabled`: the delivery must be held. `released`: the
 * reason to hold it has ended. `abandoned`: its subscription was deleted. `replayed`: it is sent again on request.
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

export type DeliveryTrigger = typeof DELIVERY_TRIGGERS[number];

export interface DeliveryFacts {
  status: DeliveryStatus;
  holdReason: HoldReason | null;
  /** Whether the delivery has already succeeded once. */
  hasArrived: boolean;
  /** Whether the delivery counts towards a month's quota. */
  isCounted: boolean;
}

interface DeliveryChange {
  status: DeliveryStatus;
  holdReason: HoldReason | null;
  quota: "take" | "give-back" | "keep";
  restarts: boolean;
}

type Next = DeliveryStatus | { held: HoldReason } | null;

const UNCHANGED: Record<DeliveryTrigger, Next> = {
  arrived: null,
  missed: null,
  exhausted: null,
  "quota-spent": null,
  disabled: null,
  released: null,
  abandoned: null,
  replayed: null,
};

/** The next state by current state and trigger; null means no change. */
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
    ...UNCHANGED,
    arrived: "delivered", // an attempt was in progress when the delivery was held
    "quota-spent": { held: "quota" },
    disabled: { held: "disabled" },
    released: "pending",
    abandoned: "cancelled",
  },
  delivered: { ...UNCHANGED, replayed: "pending" },
  // An attempt whose lease has expired can still succeed.
  failed: { ...UNCHANGED, arrived: "delivered", replayed: "pending" },
  cancelled: { ...UNCHANGED, arrived: "delivered" },
};

/**
 * Returns the change that a trigger causes, or null if there is none. Replaying a successful delivery does not use the
 * quota again. If the replay fails, must be held or is abandoned, the delivery is `delivered` again.
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
