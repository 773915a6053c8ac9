// The delivery loop: matches events, claims due deliveries, sends them concurrently, and records the results.
import type { AttemptResult, ClaimedDelivery } from "../domain/delivery/delivery.ts";
import { AppError } from "../domain/error_codes.ts";
import { type RunningAttempt, Slots } from "../domain/plans/share_slots.ts";
import type { Log, Random } from "../domain/ports/ports.ts";
import { failureLevel } from "../domain/ports/store/storage_fault.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Subscription } from "../domain/delivery/subscription.ts";
import type { EventLoop } from "../domain/ports/event_loop.ts";
import type { Tracer } from "../domain/ports/tracer.ts";
import { createAttemptLog, type LogAttempt } from "./send/attempt_log.ts";
import { nameAttempt, traceAttempt, whereOf } from "./send/describe_attempt.ts";
import type { CountAttempt } from "./delivery_metrics.ts";
import { createAddressPolicy, type PolicySettings, whyRefused } from "./send/guard.ts";
import { createMatching, type Matching } from "./match/match.ts";
import { createRecorder } from "./send/attempt_recorder.ts";
import { createUpkeep, type Upkeep } from "./maintenance.ts";
import { decideNextStep, isSuccess } from "./send/retry.ts";
import { brokenOff, sendAttempt, type Sending } from "./send/send.ts";
import { type TestCall, type TestCallDeps, TestCalls, type TestOutcome } from "./test_calls.ts";
import { Wake } from "./loop_notifier.ts";

/** How much longer a lease lasts than the timeout of an attempt, so that the result can be recorded, ms. */
const LEASE_MARGIN_MS = 30_000;
/** Interval in ms at which an idle loop checks for work. */
const POLL_MS = 50;
/** Minimum time in ms before the loop checks for events again after finding none. */
const MATCH_EVERY_MS = 20;
/** Pause in ms after a store failure. */
const PAUSE_MS = 1_000;
/** How long attempts may continue after `giveUp` aborts, ms. Longer attempts are aborted and repeated later. */
const DRAIN_MS = 6_000;
/** Maximum number of finished attempts that are not recorded yet. At the limit, no more deliveries are claimed. */
const MAX_UNRECORDED = 1_000;

export interface DeliveryDeps extends Matching, Omit<Sending, "policy"> {
  store:
    & Pick<Store, "matchEvents" | "catchUp" | "claimDeliveries" | "endLeases" | "finishAttempts">
    & TestCallDeps["store"]
    & Upkeep["store"];
  random: Random;
  log: Log;
  policy: PolicySettings;
  /** Number of delivery slots, which is the maximum number of attempts in progress. */
  concurrency: number;
  concurrencyPerSubscription: number;
  /** The attempts that occupy a slot. All delivery loops in the process share this set. */
  running: Set<RunningAttempt>;
  abortPending?: AbortSignal;
  keepMs: Upkeep["keepMs"];
  count: CountAttempt;
  tracer: Tracer;
  eventLoop: Pick<EventLoop, "begin">;
}

export interface Delivery {
  /**
   * Runs rounds until one finds no work. Returns how many items were matched, released or sent in total. If a step of a
   * round fails, rejects with its error once the attempts of the round are recorded.
   */
  tick(): Promise<number>;
  /**
   * Runs rounds until `signal` aborts; slow endpoints do not delay others. Then waits for the attempts in progress, but
   * only briefly once `giveUp` has aborted. Errors are logged, and the loop continues.
   */
  run(signal: AbortSignal, giveUp?: AbortSignal): Promise<void>;
  /** Sends a test delivery; see {@link TestCalls.make}. */
  test(subscription: Subscription, call: TestCall): Promise<TestOutcome>;
  /** Returns why a webhook URL is refused, or null if it is permitted; see the guard's `whyRefused`. */
  whyRefused(webhookUrl: string): Promise<string | null>;
}

interface Attempt extends RunningAttempt {
  delivery: ClaimedDelivery;
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  return new DeliveryLoop(deps);
}

class DeliveryLoop implements Delivery {
  readonly #deps: Omit<DeliveryDeps, "policy"> & Sending;
  readonly #match: () => Promise<number>;
  readonly #recorder: ReturnType<typeof createRecorder>;
  readonly #upkeep: () => Promise<number>;
  readonly #logAttempt: LogAttempt;
  /** Ids of deliveries with an attempt that is in progress or not yet recorded. */
  readonly #unrecorded = new Set<string>();
  /** Deliveries leased again before their previous attempt was recorded. If that attempt failed, another one starts. */
  readonly #leasedAnew = new Map<string, ClaimedDelivery>();
  readonly #sending = new Set<Attempt>();
  #whenSent: (() => void)[] = [];
  readonly #wake: Wake;
  #matchedNoneAtMs = -Infinity;
  #abandon = new AbortController();
  #storeFailed = false;
  readonly #testCalls: TestCalls;

  constructor(deps: DeliveryDeps) {
    this.#deps = { ...deps, policy: createAddressPolicy(deps.policy) };
    this.#match = createMatching(deps);
    this.#recorder = createRecorder(deps);
    this.#logAttempt = createAttemptLog(deps);
    this.#upkeep = createUpkeep(deps);
    this.#wake = new Wake(deps.clock);
    this.#testCalls = new TestCalls(this.#deps);
  }

  async tick(): Promise<number> {
    for (let done = 0;;) {
      const { matched, released, started, errors } = await this.#round({ isRunning: false });
      await this.#allSent();
      await this.#recorder.flush();
      for (const error of errors) throw error;
      const more = matched + released + started;
      if (more === 0) return done;
      done += more;
    }
  }

  async run(signal: AbortSignal, giveUp: AbortSignal = signal): Promise<void> {
    const { clock } = this.#deps;
    const stopWaiting = () => this.#wake.now();
    signal.addEventListener("abort", stopWaiting);
    while (!signal.aborted) {
      const { matched, errors } = await this.#round({ isRunning: true });
      if (errors.length > 0 || this.#storeFailed) {
        this.#storeFailed = false;
        await clock.sleep(PAUSE_MS, signal);
      } else if (matched > 0) {
        await clock.sleep(0, signal); // more events may be waiting, so this only gives other tasks a turn
      } else {
        if (this.#sending.size === 0) this.#recorder.flushSoon(); // no attempt is in progress that could join the batch
        await this.#wake.wait(POLL_MS);
      }
    }
    signal.removeEventListener("abort", stopWaiting);
    await this.#drain(giveUp);
  }

  /** Runs every step, even if an earlier one fails. Errors are logged and returned. */
  async #round({ isRunning }: { isRunning: boolean }): Promise<
    { matched: number; released: number; started: number; errors: unknown[] }
  > {
    const errors: unknown[] = [];
    const step = async <T>(name: string, work: () => Promise<T>, otherwise: T): Promise<T> => {
      try {
        return await work();
      } catch (error) {
        this.#deps.log[failureLevel(error)]("a step failed", { step: name, cause: String(error) });
        errors.push(error);
        return otherwise;
      }
    };
    const nowMs = this.#deps.clock.nowMs();
    const asks = !isRunning || Math.abs(nowMs - this.#matchedNoneAtMs) >= MATCH_EVERY_MS;
    const matched = asks ? await step("match", this.#match, 0) : 0;
    if (asks && matched === 0) this.#matchedNoneAtMs = nowMs;
    const released = await step("upkeep", this.#upkeep, 0);
    const claimed = await step("claim", () => this.#claim(), []);
    for (const delivery of claimed) this.#start(delivery);
    return { matched, released, started: claimed.length, errors };
  }

  async #claim(): Promise<ClaimedDelivery[]> {
    const { store, clock, timeoutMs, concurrency, concurrencyPerSubscription, running } = this.#deps;
    const limit = MAX_UNRECORDED - (this.#unrecorded.size - this.#sending.size);
    if (limit <= 0 || running.size >= concurrency) return [];
    const nowMs = clock.nowMs();
    return await store.claimDeliveries({
      nowMs,
      leaseMs: timeoutMs + LEASE_MARGIN_MS,
      slots: new Slots({ slots: concurrency, limit, running, nowMs }),
      perSubscription: concurrencyPerSubscription,
    });
  }

  /**
   * Starts an attempt. A successful attempt frees its slot at once. A failed attempt keeps its slot until the failure
   * is recorded, because the next claim must know the endpoint's state.
   */
  #start(delivery: ClaimedDelivery): void {
    // This happens if the clock jumps past the end of the lease, or if the delivery became due again in a write that is
    // not confirmed yet.
    if (this.#unrecorded.has(delivery.id)) {
      this.#leasedAnew.set(delivery.id, delivery);
      return;
    }
    const { customerId, subscriptionId, lane } = delivery;
    const attempt = { customerId, subscriptionId, lane, startedAtMs: this.#deps.clock.nowMs(), delivery };
    this.#deps.running.add(attempt);
    this.#sending.add(attempt);
    this.#unrecorded.add(delivery.id);
    this.#make(attempt);
  }

  /** Never rejects. */
  async #make(attempt: Attempt): Promise<void> {
    const { delivery } = attempt;
    const { tracer, eventLoop } = this.#deps;
    eventLoop.begin("send attempt");
    const giveUp = this.#abandon.signal;
    const result = await traceAttempt(delivery, tracer, () => this.#send(attempt, giveUp));
    this.#sending.delete(attempt);
    if (isSuccess(result)) this.#deps.running.delete(attempt);
    if (this.#sending.size === 0) { for (const done of this.#whenSent.splice(0)) done(); }
    if (giveUp.aborted) this.#leave(attempt, result);
    else this.#record(attempt, result);
    this.#wake.now();
  }

  #allSent(): Promise<void> {
    return new Promise((done) => this.#sending.size === 0 ? done() : this.#whenSent.push(done));
  }

  /** Forgets a finished attempt. If it failed and its delivery has been leased again, starts the next attempt. */
  #leave(attempt: Attempt, result: AttemptResult): void {
    const { id } = attempt.delivery;
    this.#unrecorded.delete(id);
    const again = this.#leasedAnew.get(id);
    this.#leasedAnew.delete(id);
    if (isSuccess(result)) return;
    this.#deps.running.delete(attempt);
    if (again !== undefined) this.#start(again);
    this.#wake.now();
  }

  #record(attempt: Attempt, result: AttemptResult): void {
    const { delivery } = attempt;
    try {
      const { clock, random, newId } = this.#deps;
      const chance = isSuccess(result) ? 0 : random.fraction();
      const next = decideNextStep(result, delivery.tries, clock.nowMs(), chance);
      this.#logAttempt(delivery, result, next.kind);
      this.#deps.count(delivery, result, next.kind);
      const { id: deliveryId, subscriptionId, webhookUrl, attempt: number, tries } = delivery;
      const mailId = next.kind === "gone" ? newId("mail") : null;
      const ids = { deliveryId, subscriptionId, webhookUrl, mailId };
      const finished = { ...ids, attempt: number, tries, result, next };
      this.#recorder.record(finished, (recorded) => {
        if (!recorded) this.#storeFailed = true;
        this.#leave(attempt, result);
      });
    } catch (error) {
      const fields = { ...nameAttempt(delivery), cause: whereOf(error) };
      this.#deps.log.error("attempt not recorded; it is repeated when its lease expires", fields);
      this.#leave(attempt, result);
    }
  }

  /** Sends the delivery; an unexpected error is logged and counts as a failed attempt. */
  #send({ delivery, startedAtMs }: Attempt, giveUp: AbortSignal): Promise<AttemptResult> {
    return sendAttempt(delivery, this.#deps, giveUp).catch((error) => {
      const fields = { ...nameAttempt(delivery), cause: whereOf(error) };
      if (!giveUp.aborted) this.#deps.log.error("attempt interrupted by an internal error", fields);
      return brokenOff(startedAtMs, this.#deps.clock.nowMs());
    });
  }

  /** Makes deliveries due now because this loop will not finish their attempts. */
  async #endLeases(deliveries: readonly ClaimedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    try {
      await this.#deps.store.endLeases(deliveries, this.#deps.clock.nowMs());
    } catch (error) {
      this.#deps.log.error("leases not released; their deliveries become due when the leases expire", {
        cause: String(error),
      });
    }
  }

  async #drain(giveUp: AbortSignal): Promise<void> {
    const { clock, timeoutMs } = this.#deps;
    const leasedAnew = [...this.#leasedAnew.values()];
    this.#leasedAnew.clear();
    await this.#endLeases(leasedAnew);
    const done = new AbortController();
    const all = this.#allSent().then(() => done.abort());
    // No attempt lasts longer than its lease.
    const patience = AbortSignal.any([giveUp, done.signal]);
    await Promise.race([all, clock.sleep(timeoutMs + LEASE_MARGIN_MS, patience)]);
    await Promise.race([all, clock.sleep(DRAIN_MS, done.signal)]);
    const left = this.#sending.size;
    if (left > 0) {
      this.#deps.log.warn("stopped with attempts in progress; they are repeated", { attempts: left });
    }
    // Unless attempts are left or `giveUp` has aborted, test calls in progress may finish.
    if (left > 0 || giveUp.aborted) {
      const brokenOff = Array.from(this.#sending, ({ delivery }) => delivery);
      this.#abandon.abort(new AppError("unavailable", "The service is stopping."));
      this.#abandon = new AbortController();
      await this.#endLeases(brokenOff);
    }
    await this.#recorder.flush();
  }

  test(subscription: Subscription, call: TestCall): Promise<TestOutcome> {
    return this.#testCalls.make(subscription, { ...call, giveUp: this.#abandon.signal });
  }

  whyRefused(webhookUrl: string): Promise<string | null> {
    return whyRefused(webhookUrl, this.#deps);
  }
}
