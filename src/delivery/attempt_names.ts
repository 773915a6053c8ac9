// By which ids the log and a trace know an attempt.
import type { AttemptResult, ClaimedDelivery } from "../domain/delivery.ts";
import type { Tracer } from "../domain/tracer.ts";
import { isSuccess } from "./retry.ts";

/** The ids of an attempt. */
export function nameAttempt(
  { id, subscriptionId, eventId, attempt }: ClaimedDelivery,
): { delivery: string; subscription: string; event: string | null; attempt: number } {
  return { delivery: id, subscription: subscriptionId, event: eventId, attempt };
}

/** Makes an attempt as an act of a trace. */
export function traceAttempt(
  delivery: ClaimedDelivery,
  tracer: Tracer,
  send: () => Promise<AttemptResult>,
): Promise<AttemptResult> {
  return tracer.act("attempt delivery", nameAttempt(delivery), async (span) => {
    const result = await send();
    span.set({ status: result.statusCode });
    if (!isSuccess(result)) span.fail(result.problem ?? "not delivered");
    return result;
  });
}
