// Limits failed sign-ins per IP address.
import { networkOf } from "../../domain/ip_address.ts";
import type { Clock } from "../../domain/ports/ports.ts";
import { drawFrom } from "../../http/ip_rate_limit.ts";

/** Failed sign-ins per minute and IP address; for IPv6, per /64 network. */
export const FAILED_SIGN_INS = 10;
/** Maximum number of IP addresses counted. The least recently counted is dropped first. */
const MAX_ADDRESSES = 20_000;

export interface SignInLimit {
  /** Whether no further attempt is allowed now. */
  isReached(ipAddress: string): boolean;
  countFailure(ipAddress: string): void;
}

export function createSignInLimit(clock: Pick<Clock, "nowMs">): SignInLimit {
  const buckets = new Map<string, ReturnType<typeof drawFrom>["bucket"]>();
  const draw = (network: string, cost: 0 | 1) =>
    drawFrom(buckets.get(network) ?? null, { perMinute: FAILED_SIGN_INS, nowMs: clock.nowMs(), cost });
  return {
    isReached: (ipAddress) => draw(networkOf(ipAddress), 0).waitMs > 0,
    countFailure(ipAddress) {
      const network = networkOf(ipAddress);
      const { bucket } = draw(network, 1);
      buckets.delete(network);
      buckets.set(network, bucket);
      const [oldest] = buckets.keys();
      if (buckets.size > MAX_ADDRESSES && oldest !== undefined) buckets.delete(oldest);
    },
  };
}
