// One attempt to bring a delivery to its endpoint: guard, look-up, signature, request, verdict.
import { type AttemptResult, type ClaimedDelivery, MAX_KEPT_ANSWER } from "../domain/delivery.ts";
import {
  type Clock,
  DeadlineError,
  type HttpClient,
  type IncomingResponse,
  NetworkError,
  type Resolver,
} from "../domain/ports.ts";
import { parseRetryAfter } from "../domain/retry_after.ts";
import { type Soon, whenThere } from "../domain/soon.ts";
import type { Stop } from "../domain/stop.ts";
import { type AddressPolicy, checkWebhookUrl, REFUSED_ADDRESS, resolveTarget } from "./guard.ts";
import { isSuccess } from "./retry.ts";
import { signPayload } from "./sign.ts";

/** The most that is read of an answer's body, bytes; it is dropped, reading it keeps the connection usable. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** What an attempt needs of a delivery. */
export interface Message extends Pick<ClaimedDelivery, "id" | "webhookUrl" | "webhookSecrets"> {
  /** Bytes are sent as they are, a text in UTF-8. */
  body: string | Uint8Array;
}

/** What attempts are made with. */
export interface Sending {
  http: HttpClient;
  resolver: Resolver;
  clock: Clock;
  policy: AddressPolicy;
  /** For look-up, connection, sending and answer together, ms. */
  timeoutMs: number;
  userAgent: string;
}

/**
 * Makes one attempt and says what came of it, whatever the network does. A redirect is an answer like any other that
 * is not 2xx. Rejects with the reason of `stop` when that aborts, and with what was thrown when something is broken here.
 */
export async function sendAttempt(message: Message, sending: Sending, stop: Stop): Promise<AttemptResult> {
  const { clock } = sending;
  const startedAtMs = clock.nowMs();
  stop.throwIfAborted();
  const deadline = clock.deadline(sending.timeoutMs, stop);
  let answer: IncomingResponse | null = null;
  let problem: string | null = null;
  try {
    answer = await post(message, sending, deadline);
    problem = answer === null ? REFUSED_ADDRESS : describeStatus(answer.status);
  } catch (error) {
    if (error instanceof DeadlineError) problem = `no complete answer within ${error.ms / 1_000} s`;
    else if (error instanceof NetworkError) problem = error.reason;
    else throw error;
  } finally {
    deadline.end();
  }
  const endedAtMs = clock.nowMs();
  return {
    startedAtMs,
    durationMs: Math.max(0, endedAtMs - startedAtMs),
    statusCode: answer?.status ?? null,
    problem,
    retryAtMs: parseRetryAfter(answer?.headers["retry-after"], endedAtMs),
    answer: answer === null ? null : beginningOf(answer),
  };
}

/** What came of an attempt that {@link sendAttempt} rejects. */
export function brokenOff(startedAtMs: number, endedAtMs: number): AttemptResult {
  return {
    startedAtMs,
    durationMs: Math.max(0, endedAtMs - startedAtMs),
    statusCode: null,
    problem: "the attempt broke off on the sender's side",
    retryAtMs: null,
    answer: null,
  };
}

/** The answer, or null when the guard refuses the target. */
function post(
  { id, webhookUrl, webhookSecrets, body }: Message,
  { http, resolver, clock, policy, userAgent }: Sending,
  signal: Stop,
): Soon<IncomingResponse | null> {
  const checked = checkWebhookUrl(webhookUrl, policy);
  if (!checked.ok) return null;
  return whenThere(resolveTarget(checked.url, resolver, policy, signal), (target) => {
    if (!target.ok) return null;
    const timestampSeconds = Math.floor(clock.nowMs() / 1_000);
    return http.request({
      method: "POST",
      url: checked.url,
      headers: {
        "content-type": "application/json",
        "accept-encoding": "identity",
        "user-agent": userAgent,
        "webhook-id": id,
        "webhook-timestamp": String(timestampSeconds),
        "webhook-signature": signPayload({ secrets: webhookSecrets, id, timestampSeconds, body }),
      },
      body,
      addresses: target.addresses,
      maxBodyBytes: MAX_ANSWER_BYTES,
      signal,
    });
  });
}

const decoder = new TextDecoder();

/** The beginning of a response's body as text, whatever its bytes are. Null when it is empty or encoded. */
function beginningOf({ body, headers }: IncomingResponse): string | null {
  if (body.length === 0 || headers["content-encoding"] !== undefined) return null;
  // Stores cut a text at a NUL.
  return decoder.decode(body.subarray(0, MAX_KEPT_ANSWER)).replaceAll("\0", "\ufffd");
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What is wrong with a status, null for one that means success. */
function describeStatus(status: number): string | null {
  if (isSuccess({ statusCode: status })) return null;
  const what = `the endpoint answered ${status}`;
  if (REDIRECTS.has(status)) return `${what}; redirects are not followed`;
  return status === 410 ? `${what}: it is gone` : what;
}
