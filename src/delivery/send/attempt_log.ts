// Logs attempts: each change of an endpoint, not each attempt at a dead one.
import type { AttemptResult, ClaimedDelivery } from "../../domain/delivery/delivery.ts";
import type { Clock, Log, LogFields } from "../../domain/ports/ports.ts";
import { nameAttempt } from "./describe_attempt.ts";

/** How often it is said again of an endpoint that it fails, ms. */
const SAY_AGAIN_MS = 3_600_000;
/** So many failures in a row make an arrival news: of one that fails now and then each would be. */
const NEWS_AFTER = 3;
/** Ways of failing of one endpoint that are said. */
const MAX_KINDS = 10;
/** Endpoints of which it is known what was said; of the oldest beyond these it is said anew. */
const MAX_KNOWN = 10_000;

/** What was said of an endpoint that fails. */
interface Failing {
  /** Failures since the last arrival. */
  inRow: number;
  /** When the first of these was, Unix ms. */
  sinceMs: number;
  /** What it has answered, as far as it was said. */
  loggedReason: Set<string>;
  loggedAtMs: number;
  /** Failures that were not said. */
  unlogged: number;
}

/** Hears of an attempt and of what follows from it. */
export type LogAttempt = (delivery: ClaimedDelivery, result: AttemptResult, next: string) => void;

/**
 * At `info` stands the first failure of an endpoint (a subscription's), each other way of failing, once an hour how
 * often it failed, and that it answers again; what ends a delivery is a warning; all else is at `debug`.
 */
export function createAttemptLog({ log, clock }: { log: Log; clock: Pick<Clock, "nowMs"> }): LogAttempt {
  const failing = new Map<string, Failing>();

  function noteFailure(
    delivery: ClaimedDelivery,
    { statusCode, problem }: AttemptResult,
  ): "news" | "known" | "hour" {
    const nowMs = clock.nowMs();
    const { subscriptionId } = delivery;
    let known = failing.get(subscriptionId);
    if (known === undefined) {
      const [oldest] = failing.keys();
      if (failing.size >= MAX_KNOWN && oldest !== undefined) failing.delete(oldest);
      known = { inRow: 0, sinceMs: nowMs, loggedReason: new Set(), loggedAtMs: nowMs, unlogged: 0 };
      failing.set(subscriptionId, known);
    }
    if (known.inRow === 0) known.sinceMs = nowMs;
    known.inRow++;
    const kind = `${statusCode} ${problem}`;
    if (!known.loggedReason.has(kind) && known.loggedReason.size < MAX_KINDS) {
      known.loggedReason.add(kind);
      return "news";
    }
    known.unlogged++;
    return nowMs - known.loggedAtMs < SAY_AGAIN_MS ? "known" : "hour";
  }

  function logFailure(delivery: ClaimedDelivery, result: AttemptResult, fields: LogFields): void {
    const what = noteFailure(delivery, result);
    const known = failing.get(delivery.subscriptionId);
    if (what === "hour" && known !== undefined) {
      const nowMs = clock.nowMs();
      const over = { attempts: known.unlogged, over_ms: nowMs - known.loggedAtMs };
      log.info("endpoint still failing, will retry", { ...fields, ...over });
      Object.assign(known, { unlogged: 0, loggedAtMs: nowMs });
    } else log[what === "news" ? "info" : "debug"]("attempt failed, will retry", fields);
  }

  function noteArrival({ subscriptionId }: ClaimedDelivery): void {
    const known = failing.get(subscriptionId);
    if (known === undefined) return;
    const nowMs = clock.nowMs();
    if (known.inRow >= NEWS_AFTER) {
      failing.delete(subscriptionId);
      log.info("endpoint recovered", {
        subscription: subscriptionId,
        failures: known.inRow,
        after_ms: nowMs - known.sinceMs,
      });
    } else if (nowMs - known.loggedAtMs >= SAY_AGAIN_MS) failing.delete(subscriptionId);
    else known.inRow = 0;
  }

  return (delivery, result, next) => {
    if (next === "delivered" && failing.size === 0 && log.isDebugged === false) return;
    const fields: LogFields = {
      ...nameAttempt(delivery),
      status: result.statusCode,
      duration_ms: result.durationMs,
      problem: result.problem,
    };
    if (next === "delivered") {
      log.debug("delivered", fields);
      if (failing.size > 0) noteArrival(delivery);
    } else if (next === "retry") logFailure(delivery, result, fields);
    else if (next === "gone") log.warn("endpoint gone: subscription disabled", fields);
    else log.warn("last attempt failed: delivery failed", fields);
  };
}
