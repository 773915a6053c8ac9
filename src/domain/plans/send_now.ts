// Decides whether a delivery that waits for its next attempt can be sent now.
import type { DeliveryStatus } from "../delivery/delivery.ts";

/** Returns why a delivery cannot be sent now, or null if it can. */
export function sendRefusal(
  { status, isOn }: {
    status: DeliveryStatus;
    /** Whether the subscription and its customer are enabled. */
    isOn: boolean;
  },
): "finished" | "held" | "disabled" | null {
  if (status === "held") return "held";
  if (status !== "pending") return "finished";
  // Some deliveries of a subscription that was just disabled are pending until they are held.
  return isOn ? null : "disabled";
}
