// Decides whether a delivery can be sent again.
import type { DeliveryStatus } from "../delivery/delivery.ts";

export interface ReplayFacts {
  status: DeliveryStatus;
  isPruned: boolean;
  subscription: { isDeleted: boolean; isDisabled: boolean };
  customerEnabled: boolean;
}

/** Returns why a delivery cannot be sent again, or null if it can. */
export function replayRefusal(
  { status, isPruned, subscription, customerEnabled }: ReplayFacts,
): "unfinished" | "cancelled" | "removed" | "disabled" | null {
  if (status === "pending" || status === "held") return "unfinished";
  if (status === "cancelled" || subscription.isDeleted) return "cancelled";
  if (isPruned) return "removed";
  return subscription.isDisabled || !customerEnabled ? "disabled" : null;
}
