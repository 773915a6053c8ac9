// Describes attempts for logs and traces.
import type { AttemptResult, ClaimedDelivery } from "../../domain/delivery/delivery.ts";
import type { Tracer } from "../../domain/ports/tracer.ts";
import { isSuccess } from "./retry.ts";

export function nameAttempt(
  { id, subscriptionId, eventId, attempt }: ClaimedDelivery,
): { delivery: string; subscription: string; event: string | null; attempt: number } {
  return { delivery: id, subscription: subscriptionId, event: eventId, attempt };
}

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

/** Returns the name and position of an unexpected error, but not its message, which could contain a URL or a body. */
export function whereOf(error: unknown): string {
  if (!(error instanceof Error)) return "a thrown value that is not an Error";
  const frame = (error.stack ?? "").split("\n").map((line) => line.trim()).find((line) =>
    line.startsWith("at ")
  );
  return `${error.name} ${frame ?? "at an unknown position"}`;
}
