// The HTTP API: routes requests to handlers, and applies keys, quotas, limits and error responses to all of them.
import type { RequestAllowance } from "../domain/customer/remaining_requests.ts";
import type { Customer } from "../domain/customer/customer.ts";
import { AppError, type ErrorCode } from "../domain/error_codes.ts";
import type { NewId } from "../domain/event/ids.ts";
import type { Clock, Log } from "../domain/ports/ports.ts";
import { failureLevel } from "../domain/ports/store/storage_fault.ts";
import type { EventLoop } from "../domain/ports/event_loop.ts";
import type { Tracer } from "../domain/ports/tracer.ts";
import { ApiRequest } from "./api_request.ts";
import type { FoundPage, Pages } from "../http/page_visit.ts";
import { receiveBody } from "../http/request_body.ts";
import { refuseIfMatch } from "../http/conditional_requests.ts";
import {
  type AddressRange,
  type ClientOf,
  createClientOf,
  looksLikeProxy,
  type Remote,
} from "../http/client_address.ts";
import type { Idempotency, Repetition } from "./idempotency.ts";
import {
  type AddressCounts,
  createAddressLimits,
  type IpRateLimit,
  type LimitSettings,
  refusalError,
} from "../http/ip_rate_limit.ts";
import { findAddressError, pathOf } from "../http/request_url.ts";
import type { ResponseBody } from "./response_body.ts";
import { Body, ResponseCache } from "../http/response_cache.ts";
import { type CompletedResponse, failure, preflight, success } from "./responses.ts";
import type { CompletedRequest } from "./metrics/request_metrics.ts";
import { probeResponse } from "./probes.ts";
import { toAppError } from "./problem.ts";
import { methodError, quotaError } from "./refusals.ts";
import { checkInput } from "./request_input.ts";
import type { KeyCall, Route, RouteAccess, SignedCall } from "./route.ts";
import { createRouter, type FindDestination } from "../http/router.ts";

/** A method that no route has, used to look up a path regardless of the method. */
const NO_METHOD = "";

/** Errors that count against the IP address as failed attempts to authenticate, because no quota counts them. */
const FAILED_AUTHENTICATION: readonly ErrorCode[] = ["unauthenticated", "access_ended", "invalid_signature"];

interface ServerOptions {
  routes: readonly Route[];
  clock: Clock;
  newId: NewId;
  log: Log;
  tracer: Tracer;
  eventLoop: Pick<EventLoop, "begin">;
  count(completed: CompletedRequest): void;
  trustedProxies: readonly AddressRange[];
  limits: LimitSettings;
  /** The counts per IP address, which are kept across reloads. */
  addressCounts: AddressCounts;
  keys: {
    /** Returns the customer behind an `Authorization` header. Throws `unauthenticated`. */
    authenticate(authorization: string | null): Promise<Customer>;
    /** Whether the header's key is cached as valid. */
    isRemembered(authorization: string): boolean;
  };
  idempotency: Idempotency;
  countRequest(customer: Customer): Promise<RequestAllowance>;
  /** Returns the pages, which serve every path outside of the API. */
  pages(): Promise<Pages>;
}

/** The API. Its methods always respond and never throw. */
interface ApiServer {
  /** Responds to a request. `remote` is the connection's IP address; it is absent in tests without a connection. */
  fetch(request: Request, remote?: Remote): Promise<Response>;
  /** Responds with 503 and closes the connection. For requests that arrive while the service is stopping. */
  refuse(request: Request): Response;
}

export function createServer(options: ServerOptions): ApiServer {
  return new Server(options);
}

/** A request that has been routed and may use its route. */
interface AdmittedRequest {
  route: Route;
  params: Record<string, string>;
  /** Null unless the route requires a key. */
  customer: Customer | null;
  call: ApiRequest;
}

class Server implements ApiServer {
  readonly #cache = new ResponseCache();
  readonly #limits: IpRateLimit;
  readonly #find: FindDestination<Route>;
  readonly #clientOf: ClientOf;
  #hasWarnedOfProxy = false;

  constructor(private readonly options: ServerOptions) {
    this.#limits = createAddressLimits(options.limits, options.clock, { counts: options.addressCounts });
    this.#find = createRouter(options.routes);
    this.#clientOf = createClientOf(options.trustedProxies);
  }

  async fetch(request: Request, remote: Remote = ""): Promise<Response> {
    const { newId, clock } = this.options;
    const probe = probeResponse(request, newId);
    if (probe !== null) return probe;
    const startedMs = clock.nowMs();
    const call = this.#enter(request, remote);
    this.#warnOfProxy(call);
    const response = await this.#respond(call);
    this.#count(call, response.status, clock.nowMs() - startedMs);
    return response;
  }

  refuse(request: Request): Response {
    const call = this.#enter(request, "");
    call.isPublic = this.#isPublic(call.address);
    const error = new AppError("unavailable", "The service is stopping. Try again in a few seconds.");
    return failure(error, call, { connection: "close" });
  }

  #enter(request: Request, remote: Remote): ApiRequest {
    return new ApiRequest(request, this.options.newId("request"), { remote, clientOf: this.#clientOf });
  }

  /** Warns about an untrusted proxy, but only once until the next reload. */
  #warnOfProxy({ connected, request }: ApiRequest): void {
    if (this.#hasWarnedOfProxy) return;
    if (!looksLikeProxy(connected, request.headers, this.options.trustedProxies)) return;
    this.#hasWarnedOfProxy = true;
    this.options.log.warn(
      "client address from an untrusted proxy ignored: add the proxy to server.trusted_proxies",
      { proxy: connected },
    );
  }

  #count(call: ApiRequest, status: number, durationMs: number): void {
    const { count, tracer, log } = this.options;
    const { request: { method }, requestId, route } = call;
    const refusal = call.refusal?.limited ?? (call.allowance?.allowed === false ? "quota" : null);
    count({ method, route, status, durationMs, refusal });
    if (tracer.isOn) tracer.note({ request: requestId, route });
    if (log.isDebugged === false) return;
    const client = call.client.address;
    log.debug("request", { request: requestId, method, status, duration_ms: durationMs, client });
  }

  /** Whether all routes of the URL's path are public. Unknown paths count as public. */
  #isPublic(address: string): boolean {
    const destination = this.#find(NO_METHOD, pathOf(address));
    return destination.kind === "nowhere" || destination.isPublic;
  }

  /** Responds even if the handler throws. The response has no body if the method is HEAD. */
  async #respond(call: ApiRequest): Promise<Response> {
    let response: Response;
    try {
      response = await this.#dispatch(call);
    } catch (thrown) {
      if (!(thrown instanceof AppError)) {
        const cause = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
        this.options.log[failureLevel(thrown)]("request failed", { request: call.requestId, cause });
      } else if (call.hasCredentials && FAILED_AUTHENTICATION.includes(thrown.code)) {
        this.#limits.take("failed_key", call.client.limitedAs);
      }
      const error = toAppError(thrown);
      response = call.page?.fail(error) ?? failure(error, call, call.page?.errorHeaders);
    }
    return call.request.method === "HEAD" ? await withoutBody(response) : response;
  }

  async #dispatch(call: ApiRequest): Promise<Response> {
    const { request, address } = call;
    const wrong = findAddressError(address, request.headers);
    if (wrong !== null) {
      call.isPublic = this.#isPublic(address);
      this.#countAnonymous(call);
      throw wrong;
    }
    const destination = this.#find(request.method, pathOf(address));
    if (destination.kind === "nowhere") {
      if (!address.startsWith("/v1/")) {
        const page = await this.#findPage(call);
        if (page !== null) return await page.respond();
      }
      this.#countAnonymous(call);
      throw new AppError("not_found", "This path does not exist. GET /docs lists all paths.");
    }
    call.isPublic = destination.isPublic;
    if (destination.kind === "route") {
      const { route, params } = destination;
      this.options.eventLoop.begin(`${route.method} ${route.path}`);
      call.route = route.path;
      const customer = await this.#admit(route.access, call);
      return success(await this.#runRoute({ route, params, customer, call }), { request, route, call });
    }
    const { path, allow } = destination;
    call.route = path;
    this.#countAnonymous(call);
    // Pages of any origin may read public paths, and browsers send a preflight request for unusual headers.
    if (request.method === "OPTIONS" && call.isPublic) return preflight(call, allow);
    const error = methodError(path, allow, request.method);
    return failure(error, call, { allow });
  }

  async #findPage(call: ApiRequest): Promise<FoundPage | null> {
    const { request, requestId, address, client } = call;
    const pages = await this.options.pages();
    const page = call.page = pages.find({
      request,
      requestId,
      address,
      ipAddress: client.address,
      countAnonymous: () => this.#countAnonymous(call),
    });
    if (page === null) return null;
    call.isPublic = false;
    call.route = page.path;
    if (page.path !== null) this.options.eventLoop.begin(`${request.method} ${page.path}`);
    return page;
  }

  /** Counts an unauthenticated request against its IP address. Throws `too_many_requests` above the limit. */
  #countAnonymous(call: ApiRequest): void {
    const refusal = this.#limits.take("public", call.client.limitedAs);
    if (refusal === null) return;
    call.refusal = refusal;
    throw refusalError(refusal);
  }

  /**
   * Returns the customer of the request's key, or null if the route requires no key. Throws `unauthenticated`,
   * `access_ended` or `quota_exceeded`. Throws `too_many_requests`, without reading the store, if the IP address has reached a limit.
   */
  async #admit(access: RouteAccess, call: ApiRequest): Promise<Customer | null> {
    const { keys, countRequest } = this.options;
    const authorization = call.request.headers.get("authorization");
    call.hasCredentials = access === "signature" || (access === "key" && authorization !== null);
    if (!call.hasCredentials) this.#countAnonymous(call);
    else if (this.#limits.hasCounts("failed_key")) {
      const refusal = this.#limits.look("failed_key", call.client.limitedAs);
      // A key that is cached as valid is not affected by guesses from the same IP address.
      if (refusal !== null && !(authorization !== null && keys.isRemembered(authorization))) {
        call.refusal = refusal;
        throw refusalError(refusal);
      }
    }
    if (access !== "key") return null;
    const customer = await keys.authenticate(authorization);
    const { allowed, limit, resetMs } = call.allowance = await countRequest(customer);
    if (allowed) return customer;
    throw quotaError(limit, resetMs);
  }

  /** Returns the response of a route, from the cache if the route's state has not changed. */
  async #runRoute(admitted: AdmittedRequest): Promise<CompletedResponse> {
    const { route, call: { address } } = admitted;
    if (route.state === undefined) return await this.#makeResponse(admitted);
    // The state is read before the response is created, so that a later change makes the cached response outdated.
    const state = await route.state(this.options.clock.nowMs());
    const cached = this.#cache.get(address, state);
    if (cached !== null) return { status: route.status, ...cached };
    const made = await this.#makeResponse(admitted);
    if (made.status === route.status) this.#cache.put(address, state, made);
    return made;
  }

  async #makeResponse({ route, params, customer, call }: AdmittedRequest): Promise<CompletedResponse> {
    const { request, address, allowance, requestId } = call;
    const { headers } = request;
    if (route.access === "key" && route.method !== "GET") refuseIfMatch(headers.get("if-match"));
    const bytes = route.body === undefined && route.access !== "signature"
      ? new Uint8Array()
      : await receiveBody(request, this.options.clock, {
        maxBytes: route.maxBodyBytes,
        isOptional: route.bodyIsOptional,
      });
    const act = async (repetition: Repetition | null): Promise<ResponseBody> => {
      const input = await checkInput(route, address, bytes);
      const whole = { params, address, headers, requestId, customer, allowance, repetition, bytes, ...input };
      // If the route requires a key, the request has a customer and an allowance: see #admit().
      return await route.handle(whole as KeyCall & SignedCall);
    };
    const { status, json, headers: own = {}, contentName } =
      route.repeatable === undefined || customer === null
        ? await act(null)
        : await this.options.idempotency.run(
          { customerId: customer.id, headers, address, body: bytes, status: route.status },
          act,
        );
    return { status, body: new Body(json, contentName), headers: own };
  }
}

/** Removes the body of a response to HEAD. Sets `content-length` to its length (RFC 9110, 8.6) if not set yet. */
async function withoutBody(whole: Response): Promise<Response> {
  const { headers } = whole;
  if (whole.body !== null && !headers.has("content-length")) {
    headers.set("content-length", String((await whole.bytes()).length));
  }
  return new Response(null, whole);
}
