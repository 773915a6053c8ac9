// Test calls. Each sends a synthetic delivery immediately. Test calls have limits of their own.
import type * as z from "zod";
import { overDailyLimit } from "../domain/customer/daily_limit.ts";
import { AppError } from "../domain/error_codes.ts";
import type { NewId } from "../domain/event/ids.ts";
import type { Log } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { signingSecrets, type Subscription } from "../domain/delivery/subscription.ts";
import type { DeliveryType } from "../wire/delivery.ts";
import type { testResponse } from "../wire/subscription.ts";
import { buildTestPayload } from "./match/payload.ts";
import { isSuccess } from "./send/retry.ts";
import { sendAttempt, type Sending } from "./send/send.ts";

/** Maximum number of test calls in progress, in total and for each customer. Test calls use no delivery slots. */
const MAX_IN_PROGRESS = 100;
const MAX_OF_CUSTOMER = 3;

export type TestOutcome = Omit<z.infer<typeof testResponse>, "disclaimer">;

export interface TestCall {
  /** The type of the delivery. `event.published` and `event.revised` are samples. */
  type: DeliveryType;
  /** The customer's limit on test calls per UTC day. */
  callsPerDay: number;
}

export interface TestCallDeps extends Sending {
  store: Pick<Store, "countDaily">;
  newId: NewId;
  log: Log;
  /** Aborts when test calls in progress must end. They then reject with the signal's reason. */
  abortPending?: AbortSignal;
}

export class TestCalls {
  readonly #deps: TestCallDeps;
  readonly #inProgress = new Map<string, number>();

  constructor(deps: TestCallDeps) {
    this.#deps = deps;
  }

  /**
   * Sends a test delivery. Throws `test_limit_reached` if the customer has used up the UTC day's test calls or has too
   * many in progress, and `unavailable` if all customers together have too many in progress.
   */
  async make(
    subscription: Subscription,
    { type, callsPerDay: limit, giveUp: abort }: TestCall & { giveUp: AbortSignal },
  ): Promise<TestOutcome> {
    const { customerId } = subscription;
    const own = this.#inProgress.get(customerId) ?? 0;
    this.#requireSlot(own);
    this.#inProgress.set(customerId, own + 1);
    try {
      const { clock, store } = this.#deps;
      const nowMs = clock.nowMs();
      const request = { action: "test_calls" as const, count: 1, limit, nowMs };
      const { granted } = await store.countDaily(customerId, request);
      if (!granted) throw overDailyLimit({ code: "test_limit_reached", nouns: "test calls", limit, nowMs });
      return await this.#send(subscription, type, abort);
    } finally {
      const left = (this.#inProgress.get(customerId) ?? 0) - 1;
      if (left > 0) this.#inProgress.set(customerId, left);
      else this.#inProgress.delete(customerId);
    }
  }

  #requireSlot(own: number): void {
    const retryInSeconds = Math.ceil(this.#deps.timeoutMs / 1_000); // every call that is now in progress ends by then
    const retry = `Retry in ${retryInSeconds} s.`;
    if (own >= MAX_OF_CUSTOMER) {
      const detail = `You have ${own} test calls in progress, which is the maximum. ${retry}`;
      throw new AppError("test_limit_reached", detail, [], retryInSeconds);
    }
    let all = 0;
    for (const count of this.#inProgress.values()) all += count;
    if (all >= MAX_IN_PROGRESS) {
      throw new AppError("unavailable", `Too many test calls are in progress. ${retry}`, [], retryInSeconds);
    }
  }

  async #send(subscription: Subscription, type: DeliveryType, giveUp: AbortSignal): Promise<TestOutcome> {
    const { clock, newId, log, abortPending } = this.#deps;
    const id = newId("delivery");
    const nowMs = clock.nowMs();
    const { id: subscriptionId, webhookUrl, headers } = subscription;
    const webhookSecrets = signingSecrets(subscription, nowMs);
    const body = buildTestPayload({
      type,
      deliveryId: id,
      newEventId: () => newId("event"),
      subscription,
      nowMs,
    });
    const stop = abortPending === undefined ? giveUp : AbortSignal.any([giveUp, abortPending]);
    const message = { id, subscriptionId, webhookUrl, webhookSecrets, headers, body };
    const result = await sendAttempt(message, this.#deps, stop);
    const { statusCode, durationMs, problem } = result;
    const outcome = { duration_ms: durationMs, problem };
    log.info("test delivery", {
      delivery: id,
      subscription: subscriptionId,
      status: statusCode,
      ...outcome,
    });
    return { delivery_id: id, delivered: isSuccess(result), status_code: statusCode, ...outcome };
  }
}
