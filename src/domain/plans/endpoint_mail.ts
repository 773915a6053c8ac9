// Plans the emails about a failing endpoint: their contents and deduplication keys.
import { utcDay } from "../customer/quota_period.ts";
import type { NewMail } from "../customer/mail.ts";
import { disableAtMs, judgeEndpoint } from "../delivery/endpoint.ts";
import type { DisabledReason } from "../delivery/subscription.ts";

/** A subscription with a failing endpoint. Times are Unix ms. */
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
    // At most once a day, so that an owner who keeps enabling a subscription whose endpoint responds with 410 does not
    // get an email each time.
    onceKey: `delivery-disabled:${subscriptionId}:${utcDay(nowMs)}`,
    atMs: nowMs,
  };
}

/** Plans the action for an endpoint: to warn its owner or to disable its subscription. Returns null for no action. */
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
