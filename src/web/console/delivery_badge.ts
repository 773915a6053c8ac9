// The status of a delivery as a badge.
import { badge, type Tone } from "../components/badge.ts";
import type { Shape } from "../components/icon.ts";
import type { DeliveryStatus } from "../../domain/delivery/delivery.ts";
import type { Html } from "../html.ts";
import type { Texts } from "../texts/texts.ts";

const LOOKS: Readonly<Record<DeliveryStatus, { tone: Tone; shape: Shape }>> = {
  delivered: { tone: "good", shape: "check" },
  pending: { tone: "accent", shape: "clock" },
  held: { tone: "warn", shape: "pause" },
  failed: { tone: "bad", shape: "cross" },
  cancelled: { tone: "neutral", shape: "ring" },
};

export function deliveryBadge(status: DeliveryStatus, texts: Texts): Html {
  return badge({ ...LOOKS[status], text: texts.event.deliveries.statuses[status] });
}
