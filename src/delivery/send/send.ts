// Makes one attempt to send a delivery: guard, lookup, signature, request and result.
import { Buffer } from "node:buffer";
import { type AttemptResult, type ClaimedDelivery, MAX_KEPT_ANSWER } from "../../domain/delivery/delivery.ts";
import {
  type Clock,
  DeadlineError,
  type HttpClient,
  type IncomingResponse,
  NetworkError,
  type Resolver,
} from "../../domain/ports/ports.ts";
import { type CustomHeaders, withoutValues } from "../../domain/delivery/custom_headers.ts";
import { parseRetryAfter } from "../../domain/http_time.ts";
import { type AddressPolicy, checkWebhookUrl, REFUSED_ADDRESS, resolveTarget } from "./guard.ts";
import { isSuccess } from "./retry.ts";
import { signPayload } from "../sign.ts";

/** Maximum number of bytes read from a response body. A connection can be reused only if the whole body was read. */
const MAX_RESPONSE_BYTES = 64 * 1024;

export interface Message
  extends Pick<ClaimedDelivery, "id" | "subscriptionId" | "webhookUrl" | "webhookSecrets" | "headers"> {
  /** A string is sent as UTF-8. */
  body: string | Uint8Array;
}

export interface Sending {
  http: HttpClient;
  resolver: Resolver;
  clock: Clock;
  policy: AddressPolicy;
  /** Maximum total time in ms for lookup, connection, request and response. */
  timeoutMs: number;
  userAgent: string;
}

/**
 * Makes one attempt. A network error or a timeout is part of the result; any other error rejects the promise. Any
 * response other than 2xx is a failure, including redirects. If `stop` aborts, rejects with its reason.
 */
export async function sendAttempt(
  message: Message,
  sending: Sending,
  stop: AbortSignal,
): Promise<AttemptResult> {
  const { clock } = sending;
  const startedAtMs = clock.nowMs();
  let response: IncomingResponse | null = null;
  let problem: string | null = null;
  try {
    response = await clock.within(sending.timeoutMs, (signal) => post(message, sending, signal), stop);
    problem = response === null ? REFUSED_ADDRESS : describeStatus(response.status);
  } catch (error) {
    if (error instanceof DeadlineError) problem = `no complete response within ${error.ms / 1_000} s`;
    else if (error instanceof NetworkError) problem = error.reason;
    else throw error;
  }
  const endedAtMs = clock.nowMs();
  return {
    startedAtMs,
    durationMs: Math.max(0, endedAtMs - startedAtMs),
    statusCode: response?.status ?? null,
    problem,
    retryAtMs: parseRetryAfter(response?.headers["retry-after"], endedAtMs),
    response: response === null ? null : beginningOf(response, message.headers),
  };
}

export function brokenOff(startedAtMs: number, endedAtMs: number): AttemptResult {
  return {
    startedAtMs,
    durationMs: Math.max(0, endedAtMs - startedAtMs),
    statusCode: null,
    problem: "the attempt was interrupted by the sender",
    retryAtMs: null,
    response: null,
  };
}

/** Sends the request. Returns the response, or null if the guard refuses the target. */
async function post(
  { id, subscriptionId, webhookUrl, webhookSecrets, headers, body }: Message,
  { http, resolver, clock, policy, userAgent }: Sending,
  signal: AbortSignal,
): Promise<IncomingResponse | null> {
  const checked = checkWebhookUrl(webhookUrl, policy);
  if (!checked.ok) return null;
  const target = await resolveTarget(checked.url, resolver, policy, signal);
  if (!target.ok) return null;
  const timestampSeconds = Math.floor(clock.nowMs() / 1_000);
  return await http.request({
    method: "POST",
    url: checked.url,
    headers: {
      ...headers,
      "content-type": "application/json",
      "accept-encoding": "identity",
      "user-agent": userAgent,
      "webhook-id": id,
      "webhook-timestamp": String(timestampSeconds),
      "webhook-signature": signPayload({ secrets: webhookSecrets, id, timestampSeconds, body }),
      "x-regfeed-subscription": subscriptionId,
    },
    body,
    addresses: target.addresses,
    maxBodyBytes: MAX_RESPONSE_BYTES,
    signal,
  });
}

/**
 * Returns the beginning of a response body as text, without the values of the request's custom headers, or null if the
 * body is empty or has a content encoding.
 */
function beginningOf({ body, headers }: IncomingResponse, custom: CustomHeaders): string | null {
  if (body.length === 0 || headers["content-encoding"] !== undefined) return null;
  // The values are ASCII, so they are found in any encoding of the other characters. They are removed before the body is
  // cut, because a part of a value would not be found.
  const redacted = Buffer.from(withoutValues(custom, Buffer.from(body).toString("latin1")), "latin1");
  // SQLite's functions stop reading text at a NUL.
  return new TextDecoder().decode(redacted.subarray(0, MAX_KEPT_ANSWER)).replaceAll("\0", "\ufffd");
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function describeStatus(status: number): string | null {
  if (isSuccess({ statusCode: status })) return null;
  const what = `the endpoint responded with ${status}`;
  if (REDIRECTS.has(status)) return `${what}; redirects are not followed`;
  return status === 410 ? `${what}: it is gone` : what;
}
