// Plans the emails about endpoints that fail or whose subscriptions are disabled.
import type { NewMail } from "../customer/mail.ts";
import { disableAtMs, judgeEndpoint } from "../delivery/endpoint.ts";
import type { DisabledReason } from "../delivery/subscription.ts";
import { utcDay } from "../utc_day.ts";

/** A subscription whose endpoint fails. Times are Unix ms. */
export interface FailingEndpoint {
  subscriptionId: string;
  customerId: string;
  webhookUrl: string;
  firstFailureAtMs: number | null;
}

type EndpointMail = Omit<Extract<NewMail, { kind: "delivery-warning" | "delivery-disabled" }>, "id">;

/** Returns the email about a subscription that is disabled at `nowMs`. */
export function disabledMail(
  { subscriptionId, customerId, webhookUrl, firstFailureAtMs }: FailingEndpoint,
  { by, nowMs, problem }: { by: DisabledReason; nowMs: number; problem: string | null },
): EndpointMail {
  return {
    kind: "delivery-disabled",
    customerId,
    data: {
      subscriptionId,
      host: new URL(webhookUrl).hostname,
      failingSinceMs: firstFailureAtMs ?? nowMs,
      disabledAtMs: nowMs,
      problem,
      ...(by === "key-lost" ? { isKeyLost: true as const } : {}),
    },
    // At most one email a day, even if the owner keeps enabling a subscription whose endpoint responds with 410.
    onceKey: `delivery-disabled:${subscriptionId}:${utcDay(nowMs)}`,
    atMs: nowMs,
  };
}

/** Decides whether to warn the owner of an endpoint or to disable its subscription. Returns null if neither is due. */
export function planEndpoint(
  endpoint: FailingEndpoint & { warnedAtMs: number | null },
  { nowMs, problem }: { nowMs: number; problem: string | null },
): { kind: "warn"; mail: EndpointMail } | { kind: "disable" } | null {
  const { subscriptionId, customerId, webhookUrl, firstFailureAtMs } = endpoint;
  const verdict = judgeEndpoint(endpoint, nowMs);
  if (verdict === "nothing" || firstFailureAtMs === null) return null;
  if (verdict === "disable") return { kind: "disable" };
  return {
    kind: "warn",
    mail: {
      kind: "delivery-warning",
      customerId,
      data: {
        subscriptionId,
        host: new URL(webhookUrl).hostname,
        failingSinceMs: firstFailureAtMs,
        disabledAtMs: disableAtMs({ firstFailureAtMs, warnedAtMs: nowMs }),
        problem,
      },
      onceKey: `delivery-warning:${subscriptionId}:${firstFailureAtMs}`,
      atMs: nowMs,
    },
  };
}
