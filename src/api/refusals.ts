// Errors whose details depend on the request or the customer, and that several places refer to.
import { AppError } from "../domain/error_codes.ts";
import { formatCount } from "../domain/format_count.ts";
import type { Duplicate } from "../domain/ports/store/subscriptions.ts";

export function duplicateError({ duplicateOf: id, isHeld }: Duplicate): AppError {
  const detail = isHeld
    ? `Your subscription ${id} has this webhook_url and these filters. It is held by your tier's limit (\`disabled_by: ` +
      "tier`) and will be enabled when the limit allows. Delete it first, or delete or disable another one."
    : `Your active subscription ${id} has this webhook_url and these filters. Delete it first, or use it.`;
  return new AppError("duplicate_subscription", detail, [], null, { subscription_id: id });
}

export function limitError(limit: number): AppError {
  const allowed = formatCount(limit, "active subscription");
  return new AppError(
    "subscription_limit_reached",
    `Your tier allows ${allowed}. Delete or disable another one, or ask for a higher tier.`,
  );
}

export function methodError(path: string, allow: string, method: string): AppError {
  return new AppError("method_not_allowed", `${path} supports ${allow}, not ${method}.`);
}

export function quotaError(limit: number, resetMs: number): AppError {
  const requests = formatCount(limit, "request");
  const until = new Date(resetMs).toISOString();
  return new AppError(
    "quota_exceeded",
    `Your tier allows ${requests} a day. Wait until ${until}, or ask for a higher tier.`,
  );
}
