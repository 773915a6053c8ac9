// Logs attempts: every change in an endpoint's state, but not every failed attempt.
import type { AttemptResult, ClaimedDelivery } from "../../domain/delivery/delivery.ts";
import type { Clock, Log, LogFields } from "../../domain/ports/ports.ts";
import { nameAttempt } from "./describe_attempt.ts";

/** Interval in ms at which a continuing failure is logged again. */
const REPEAT_MS = 3_600_000;
/** Minimum number of consecutive failures before a recovery is logged, so that flaky endpoints do not flood the log. */
const MIN_FAILURES = 3;
/** Maximum number of different reasons logged for one endpoint. */
const MAX_REASONS = 10;
/** Maximum number of failing endpoints whose state is kept; the oldest is dropped first. */
const MAX_ENDPOINTS = 10_000;

interface Failing {
  count: number;
  /** Time of the first of the `count` consecutive failures, in Unix ms. */
  sinceMs: number;
  /** Responses and problems that have been logged. */
  reasons: Set<string>;
  loggedAtMs: number;
  unlogged: number;
}

export type LogAttempt = (delivery: ClaimedDelivery, result: AttemptResult, next: string) => void;

/**
 * Logs at `info` a subscription's first failure, each new reason, the number of failures once an hour, and its
 * recovery. Logs a warning when a delivery finally fails or its endpoint is gone, and everything else at `debug`.
 */
export function createAttemptLog({ log, clock }: { log: Log; clock: Pick<Clock, "nowMs"> }): LogAttempt {
  const failing = new Map<string, Failing>();

  function stateOf(subscriptionId: string, nowMs: number): Failing {
    const known = failing.get(subscriptionId);
    if (known !== undefined) return known;
    const [oldest] = failing.keys();
    if (failing.size >= MAX_ENDPOINTS && oldest !== undefined) failing.delete(oldest);
    const state = { count: 0, sinceMs: nowMs, reasons: new Set<string>(), loggedAtMs: nowMs, unlogged: 0 };
    failing.set(subscriptionId, state);
    return state;
  }

  function logFailure(
    subscriptionId: string,
    { statusCode, problem }: AttemptResult,
    fields: LogFields,
  ): void {
    const nowMs = clock.nowMs();
    const state = stateOf(subscriptionId, nowMs);
    if (state.count++ === 0) state.sinceMs = nowMs;
    const reason = `${statusCode} ${problem}`;
    if (!state.reasons.has(reason) && state.reasons.size < MAX_REASONS) {
      state.reasons.add(reason);
      return log.info("attempt failed, will retry", fields);
    }
    state.unlogged++;
    const over_ms = nowMs - state.loggedAtMs;
    if (over_ms < REPEAT_MS) return log.debug("attempt failed, will retry", fields);
    log.info("endpoint still failing, will retry", { ...fields, attempts: state.unlogged, over_ms });
    Object.assign(state, { unlogged: 0, loggedAtMs: nowMs });
  }

  function noteSuccess(subscription: string): void {
    const state = failing.get(subscription);
    if (state === undefined) return;
    const nowMs = clock.nowMs();
    const isRecovery = state.count >= MIN_FAILURES;
    if (isRecovery) {
      const after_ms = nowMs - state.sinceMs;
      log.info("endpoint recovered", { subscription, failures: state.count, after_ms });
    }
    if (isRecovery || nowMs - state.loggedAtMs >= REPEAT_MS) failing.delete(subscription);
    else state.count = 0;
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
      noteSuccess(delivery.subscriptionId);
    } else if (next === "retry") logFailure(delivery.subscriptionId, result, fields);
    else if (next === "gone") log.warn("endpoint gone: subscription disabled", fields);
    else log.warn("last attempt failed: delivery failed", fields);
  };
}
