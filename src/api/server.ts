// The HTTP API: one router for all routes, with keys, quota, limits and error responses around every handler.
import type { RequestAllowance } from "../domain/customer/allowance.ts";
import type { Customer } from "../domain/customer/customer.ts";
import { AppError } from "../domain/error_codes.ts";
import type { NewId } from "../domain/event/ids.ts";
import type { Clock, Log } from "../domain/ports/ports.ts";
import { failureLevel } from "../domain/ports/store/storage_fault.ts";
import type { EventLoop } from "../domain/event_loop.ts";
import type { Tracer } from "../domain/ports/tracer.ts";
import {
  type AddressCounts,
  createAddressLimits,
  type IpRateLimit,
  type Limited,
  type LimitSettings,
  refusalError,
} from "./http/ip_rate_limit.ts";
import { type AddressRange, createClients, type Remote } from "./http/client_address.ts";
import {
  addressOf,
  createHostCheck,
  findAddressError,
  parametersOf,
  pathOf,
  type SentParameter,
} from "./http/request_url.ts";
import { receiveBody } from "./http/body.ts";
import { refuseTags } from "./http/preconditions.ts";
import type { Idempotency, Repetition } from "./http/idempotency.ts";
import { invalid } from "./input/field_problems.ts";
import { checkBody, NO_INPUT, readQuery } from "./input/input.ts";
import { answerProbe } from "./probes.ts";
import { toAppError } from "./problem.ts";
import { Body, ResponseCache } from "./http/response_cache.ts";
import { ApiRequest, createProxyWatch } from "./http/api_request.ts";
import { createRouter, type Destination } from "./router.ts";
import { type CompletedResponse, failure, preflight, success } from "./http/responses.ts";
import type { CompletedRequest } from "./metrics/request_metrics.ts";
import type { ResponseBody } from "./http/response_body.ts";
import type { Call, KeyCall, Route, RouteAccess } from "./route.ts";

/** No route has this method: it asks the router only about the path. */
const NO_METHOD = "";

/** What the API needs from other modules. */
export interface ServerOptions {
  routes: readonly Route[];
  clock: Clock;
  newId: NewId;
  log: Log;
  tracer?: Tracer;
  eventLoop?: Pick<EventLoop, "begin">;
  /** Called after each request. */
  count(answered: CompletedRequest): void;
  /** Trusted proxies. */
  trustedProxies: readonly AddressRange[];
  /** The rate limits per IP address. */
  limits: LimitSettings;
  /** The counts of earlier requests, kept across reloads. */
  addressCounts: AddressCounts;
  keys: {
    /** The customer behind an `Authorization` header; throws `unauthenticated`. */
    authenticate(authorization: string | null): Promise<Customer>;
    /** Whether the header's key is cached as valid. */
    isRemembered(authorization: string): boolean;
  };
  /** Returns the stored response to repeated requests. */
  idempotency: Idempotency;
  /** Counts one request of the customer. */
  countRequest(customer: Customer): Promise<RequestAllowance>;
}

/** The API as a function from requests to responses; it never throws. */
export interface ApiServer {
  /** `remote` is the connection's address; absent in tests without a connection. */
  fetch(request: Request, remote?: Remote): Promise<Response>;
  /** The response while the service stops: 503, and the connection is closed. */
  refuse(request: Request): Response;
}

/** What each request needs. */
interface Means {
  options: ServerOptions;
  cache: ResponseCache;
  limits: IpRateLimit;
}

/** Builds the server from the routes. */
export function createServer(options: ServerOptions): ApiServer {
  const means = {
    options,
    cache: new ResponseCache(),
    limits: createAddressLimits(options.limits, options.clock, { counts: options.addressCounts }),
  };
  const { limits } = means;
  const find = createRouter(options.routes);
  const isHost = createHostCheck();
  const lookForProxy = createProxyWatch(options);
  const clientOf = createClients(options.trustedProxies);
  /** A new request. */
  const enter = (request: Request, remote: Remote): ApiRequest =>
    new ApiRequest(options.newId("request"), addressOf(request), { request, remote, clientOf });
  const turnAway = (error: AppError, passage: ApiRequest, headers?: Record<string, string>): Response => {
    const place = find(NO_METHOD, pathOf(passage.address));
    passage.isPublic = place.kind === "nowhere" || place.isPublic;
    return failure(error, passage, headers);
  };

  const tell = (response: Response, { request, passage, startedMs }: Way & { startedMs: number }): void => {
    const durationMs = options.clock.nowMs() - startedMs;
    const refusal = passage.refusal?.limited ?? (passage.allowance?.allowed === false ? "quota" : null);
    options.count({
      method: request.method,
      route: passage.route,
      status: response.status,
      durationMs,
      refusal,
    });
    if (options.tracer?.isOn === true) {
      options.tracer.note({ request: passage.requestId, route: passage.route });
    }
    if (options.log.isDebugged === false) return;
    options.log.debug("request", {
      request: passage.requestId,
      method: request.method,
      status: response.status,
      duration_ms: durationMs,
      client: passage.client.address,
    });
  };

  return {
    async fetch(request, remote = "") {
      const probe = answerProbe(request, options.newId);
      if (probe !== null) return probe;
      const passage = enter(request, remote);
      const startedMs = options.clock.nowMs();
      lookForProxy(passage, startedMs);
      const way = { request, passage, means, startedMs };
      const wrong = findAddressError(passage.address, request.headers, isHost);
      const response = wrong === null
        ? await respond(find(request.method, pathOf(passage.address)), way)
        : turnAway(overLimit("public", passage, limits) ?? wrong, passage);
      tell(response, way);
      return response;
    },
    refuse(request) {
      const error = new AppError("unavailable", "The service is stopping. Try again in a few seconds.");
      return turnAway(error, enter(request, ""), { connection: "close" });
    },
  };
}

/** A request and its destination. */
interface Way {
  request: Request;
  passage: ApiRequest;
  means: Means;
}

/** The answer of a destination, whatever is thrown on the way to it; without its body when it was asked by HEAD. */
async function respond(destination: Destination, way: Way): Promise<Response> {
  const { request, passage, means: { options: { log } } } = way;
  let response: Response;
  try {
    response = await respondAt(destination, way);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) {
      log[failureLevel(thrown)]("request failed", { request: passage.requestId, cause: describe(thrown) });
    }
    response = failure(toAppError(thrown), passage);
  }
  return request.method === "HEAD" ? await withoutBody(response) : response;
}

/** What is left for HEAD. The length stays that of the body (RFC 9110, 8.6); a success tells it already. */
async function withoutBody(whole: Response): Promise<Response> {
  const { headers } = whole;
  if (whole.body !== null && !headers.has("content-length")) {
    headers.set("content-length", String((await whole.bytes()).length));
  }
  return new Response(null, whole);
}

async function respondAt(destination: Destination, way: Way): Promise<Response> {
  const { request, passage, means: { limits, options } } = way;
  if (destination.kind === "route") {
    const { route, params } = destination;
    options.eventLoop?.begin(`${route.method} ${route.path}`);
    passage.isPublic = destination.isPublic;
    passage.route = route.path;
    const customer = await admit(route.access, way);
    const answered = runRoute(route, { params, customer, way });
    const given = route.access === "signature"
      ? await answered.catch((error) => countTrial(error, passage, limits))
      : await answered;
    return success(given, { request, route, passage });
  }
  if (destination.kind === "other_method") {
    passage.isPublic = destination.isPublic;
    passage.route = destination.path;
  }
  const refused = overLimit("public", passage, limits);
  if (refused !== null) throw refused;
  if (destination.kind === "nowhere") {
    throw new AppError("not_found", "This path does not exist. GET /docs lists all paths.");
  }
  const { path, allow, isPublic } = destination;
  // Pages of any origin may read public paths; browsers send a preflight request for unusual headers.
  if (request.method === "OPTIONS" && isPublic) return preflight(passage, allow);
  const error = new AppError("method_not_allowed", `${path} supports ${allow}, not ${request.method}.`);
  return failure(error, passage, { allow });
}

const NO_HEADERS = {};

/** An authenticated request. */
interface Admitted {
  params: Record<string, string>;
  customer: Customer | null;
  way: Way;
}

/** The response of a route: from the cache, as long as nothing has changed that it depends on. */
async function runRoute(route: Route, admitted: Admitted): Promise<CompletedResponse> {
  const { passage: { address }, means: { cache, options } } = admitted.way;
  if (route.state === undefined) return await makeResponse(route, admitted);
  // Read before the response is created, so that a change meanwhile makes it outdated.
  const state = await route.state(options.clock.nowMs());
  const cached = cache.get(address, state);
  if (cached !== null) return { status: route.status, ...cached };
  const made = await makeResponse(route, admitted);
  if (made.status === route.status) cache.put(address, state, made);
  return made;
}

async function makeResponse(route: Route, { params, customer, way }: Admitted): Promise<CompletedResponse> {
  const { request, passage: { address, allowance, requestId }, means: { options } } = way;
  const { headers } = request;
  if (route.access === "key" && route.method !== "GET") refuseTags(headers.get("if-match"));
  const bytes = route.body === undefined && route.access !== "signature"
    ? null
    : await receiveBody(request, options.clock, route.maxBodyBytes);
  const act = async (repetition: Repetition | null): Promise<ResponseBody> => {
    const input = await checkInput(route, parametersOf(address), bytes);
    const call = { params, address, headers, requestId, customer, allowance, repetition, bytes, ...input };
    return await handle(route, call);
  };
  if (route.repeatable === undefined || customer === null) return completedWith(await act(null));
  const { status } = route;
  const sent = { customerId: customer.id, headers, address, body: bytes ?? new Uint8Array(), status };
  return completedWith(await options.idempotency.run(sent, act));
}

function completedWith({ status, json, headers = NO_HEADERS, contentName }: ResponseBody): CompletedResponse {
  return { status, body: new Body(json, contentName), headers };
}

/** Validated query and body. Throws an error that names each problem. */
async function checkInput(
  route: Route,
  parameters: readonly SentParameter[],
  bytes: Uint8Array | null,
): Promise<{ query: unknown; body: unknown }> {
  const query = readQuery(parameters, route.query);
  const body = route.body === undefined || bytes === null ? NO_INPUT : checkBody(bytes, route.body);
  const found = route.verify === undefined
    ? NO_INPUT.errors
    : await route.verify({ query: query.good, body: body.good });
  if (query.errors.length + body.errors.length + found.length > 0) {
    throw invalid([...query.errors, ...body.errors, ...found]);
  }
  return { query: query.value, body: body.value };
}

/** A checked request of any route. */
interface WholeCall extends Call, Pick<KeyCall, "repetition"> {
  customer: Customer | null;
  allowance: RequestAllowance | null;
  bytes: Uint8Array | null;
}

async function handle(route: Route, call: WholeCall): Promise<ResponseBody> {
  if (route.access === "public") return await route.handle(call);
  if (route.access === "signature") {
    return await route.handle({ ...call, bytes: call.bytes ?? new Uint8Array() });
  }
  if (!isOfCustomer(call)) throw new Error(`${route.path} was reached without a customer`);
  return await route.handle(call);
}

function isOfCustomer(call: WholeCall): call is WholeCall & KeyCall {
  return call.customer !== null && call.allowance !== null;
}

/**
 * The customer of a request with a key; null where none is needed. Throws `unauthenticated`, `quota_exceeded`, and
 * `too_many_requests` when the address asked too often without a good key: before the store is asked.
 */
async function admit(
  access: RouteAccess,
  { request, passage, means: { limits, options } }: Way,
): Promise<Customer | null> {
  const authorization = request.headers.get("authorization");
  const isTrial = access === "signature" || (access === "key" && authorization !== null);
  if (isTrial) {
    const refusal = limits.isAnybody("failed_key")
      ? limits.look("failed_key", passage.client.limitedAs)
      : null;
    // A valid key is not affected by guesses from the same address.
    if (refusal !== null && !(authorization !== null && options.keys.isRemembered(authorization))) {
      passage.refusal = refusal;
      throw refusalError(refusal);
    }
  } else {
    const refused = overLimit("public", passage, limits);
    if (refused !== null) throw refused;
  }
  if (access !== "key") return null;
  const customer = await options.keys.authenticate(authorization)
    .catch((error) => countTrial(error, isTrial ? passage : null, limits));
  const allowance = await options.countRequest(customer);
  passage.allowance = allowance;
  if (allowance.allowed) return customer;
  throw quotaSpent(allowance);
}

function quotaSpent({ limit, resetMs }: RequestAllowance): AppError {
  return new AppError(
    "quota_exceeded",
    `Your tier allows ${limit} requests a day. Wait until ${
      new Date(resetMs).toISOString()
    }, or ask for a higher tier.`,
  );
}

/** Counts a request of the passage's address; the error when it was one too many, and then the passage knows. */
function overLimit(limited: Limited, passage: ApiRequest, limits: IpRateLimit): AppError | null {
  const refusal = limits.take(limited, passage.client.limitedAs);
  if (refusal === null) return null;
  passage.refusal = refusal;
  return refusalError(refusal);
}

/** Counts a wrong key or signature against who sent it, and throws what it was given. */
function countTrial(error: unknown, passage: ApiRequest | null, limits: IpRateLimit): never {
  const isTrial = error instanceof AppError && ["unauthenticated", "invalid_signature"].includes(error.code);
  if (isTrial && passage !== null) limits.take("failed_key", passage.client.limitedAs);
  throw error;
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
