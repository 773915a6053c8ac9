// The HTTP API: routes as data behind one router, with keys, quota, limits and the error shape around every handler.
import { type Context, Hono } from "hono";
import type { Customer } from "../domain/customer.ts";
import { AppError } from "../domain/errors.ts";
import type { NewId } from "../domain/ids.ts";
import type { Clock, Log } from "../domain/ports.ts";
import { type AddressRange, clientAddress } from "./client_address.ts";
import { invalid, MAX_URL_LENGTH, NO_INPUT, readBody, readQuery } from "./input.ts";
import {
  createKeptAnswers,
  type KeptAnswer,
  type KeptAnswers,
  namesTag,
  prepareAnswer,
  takesGzip,
} from "./kept_answers.ts";
import { problemJson, toAppError } from "./problem.ts";
import type { Answer, Call, Route } from "./route.ts";

/** What one request may still use of the day, as accounts counts it. */
export interface RequestAllowance {
  allowed: boolean;
  limit: number;
  remaining: number;
  /** The next 00:00 UTC, Unix ms. */
  resetMs: number;
  /** Seconds from now to the reset, rounded up. */
  resetInSeconds: number;
  refund(): void;
}

/** What the API needs of the rooms beside it. */
export interface ServerOptions {
  routes: readonly Route[];
  clock: Clock;
  newId: NewId;
  log: Log;
  /** Proxies whose word on the client's address is taken. */
  trustedProxies: readonly AddressRange[];
  /** The customer behind an `Authorization` header; throws `unauthenticated`. */
  authenticate(authorization: string | null): Promise<Customer>;
  /** Counts one request of the customer. */
  takeRequest(customer: Customer): Promise<RequestAllowance>;
}

/** The API as a function from requests to answers; it never throws. */
export interface ApiServer {
  /** `remoteAddress` is that of the connection; none when the request came over none. */
  fetch(request: Request, remoteAddress?: string): Promise<Response>;
}

/** One request on its way: what its answer will need. */
interface Passage {
  requestId: string;
  allowance: RequestAllowance | null;
}

/** What the router carries with each request is its passage. */
interface Carried {
  Bindings: Passage;
}

type Router = Hono<Carried>;

/** Builds the router from the routes. */
export function createServer(options: ServerOptions): ApiServer {
  const router: Router = new Hono({ strict: true });
  const kept = createKeptAnswers();
  for (const route of options.routes) {
    router.on(route.method, honoPath(route.path), async (context) => {
      const passage = context.env;
      const customer = route.access === "key" ? await admit(context.req.raw, passage, options) : null;
      const answered = await answerRoute(route, { context, passage, customer, kept, options });
      return success(answered, { request: context.req.raw, route, passage });
    });
  }
  for (const path of new Set(options.routes.map((route) => route.path))) {
    addOtherMethods(router, path, options.routes.filter((route) => route.path === path));
  }
  router.notFound((context) => {
    const error = new AppError(
      "not_found",
      "No such path. GET /docs describes every path that there is.",
    );
    return failure(error, context.env);
  });
  router.onError((thrown, context) => {
    const passage = context.env;
    if (!(thrown instanceof AppError)) {
      options.log.error("request failed", { request: passage.requestId, cause: describe(thrown) });
    }
    return failure(toAppError(thrown), passage);
  });

  return {
    async fetch(request, remoteAddress = "") {
      const passage: Passage = { requestId: options.newId("request"), allowance: null };
      const startedMs = options.clock.nowMs();
      const response = request.url.length > MAX_URL_LENGTH
        ? failure(
          new AppError("uri_too_long", `The address may have at most ${MAX_URL_LENGTH} characters.`),
          passage,
        )
        : await router.fetch(request, passage);
      options.log.debug("request", {
        request: passage.requestId,
        method: request.method,
        status: response.status,
        duration_ms: options.clock.nowMs() - startedMs,
        client: clientAddress(remoteAddress, request.headers.get("x-forwarded-for"), options.trustedProxies),
      });
      return response;
    },
  };
}

/** What is public may be read by pages of any origin. */
const CORS_HEADERS = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "ETag, X-Request-Id",
};
const PUBLIC_HEADERS = { ...CORS_HEADERS, "cache-control": "public, no-cache" };
const PRIVATE_HEADERS = { "cache-control": "private, no-cache" };
const JSON_TYPE = "application/json; charset=utf-8";

/** Not counted: what the client had already (304), was refused (429; never counted) or failed here (5xx). */
function isUncounted(status: number): boolean {
  return status === 304 || status >= 500;
}

/** What a path answers to the methods that it does not take. */
function addOtherMethods(router: Router, path: string, routes: readonly Route[]): void {
  const methods = routes.map((route) => route.method);
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : [])].sort().join(", ");
  router.all(honoPath(path), (context) => {
    const passage = context.env;
    // Pages of other origins may read what is public; a browser asks before it sends an unusual header.
    if (context.req.method === "OPTIONS" && routes.every((route) => route.access === "public")) {
      return new Response(null, {
        status: 204,
        headers: {
          ...commonHeaders(passage, 204),
          ...CORS_HEADERS,
          allow: `${allow}, OPTIONS`,
          "access-control-allow-methods": allow,
          "access-control-allow-headers": "If-None-Match",
          "access-control-max-age": "86400",
        },
      });
    }
    const error = new AppError("method_not_allowed", `${path} takes ${allow}, not ${context.req.method}.`);
    return failure(error, passage, { allow });
  });
}

/** An answer ready to be sent, whole or as what the client has already. */
interface Answered {
  status: number;
  body: KeptAnswer;
  headers: Record<string, string>;
}

async function answerRoute(
  route: Route,
  { context, passage, customer, kept, options }: {
    context: Context<Carried>;
    passage: Passage;
    customer: Customer | null;
    kept: KeptAnswers;
    options: ServerOptions;
  },
): Promise<Answered> {
  const request = context.req.raw;
  const address = request.url.slice(request.url.indexOf("/", request.url.indexOf("//") + 2));
  // Read before the answer is made: what is stored meanwhile makes the answer out of date at once, never for good.
  const state = route.state === undefined ? null : await route.state();
  const hot = state === null ? null : kept.get(address, state);
  if (hot !== null) return { status: route.status, body: hot.answer, headers: hot.headers };
  const query = readQuery(parametersOf(address), route.query);
  const sent = route.body === undefined ? NO_INPUT : await readBody(request, route.body, options.clock);
  const errors = [...query.errors, ...sent.errors];
  if (route.verify !== undefined) errors.push(...await route.verify({ query: query.good, body: sent.good }));
  if (errors.length > 0) throw invalid(errors);
  const checked = {
    params: context.req.param() as Record<string, string>,
    query: query.value,
    body: sent.value,
    address,
    headers: request.headers,
    requestId: passage.requestId,
  };
  const { status, json, headers = {}, contentName } = await handle(route, checked, { customer, passage });
  const body = prepareAnswer(json, contentName);
  if (state !== null && status === route.status && kept.wasAsked(address)) {
    kept.put(address, state, { answer: body, headers });
  }
  return { status, body, headers };
}

function parametersOf(address: string): URLSearchParams {
  const begin = address.indexOf("?");
  return new URLSearchParams(begin === -1 ? "" : address.slice(begin));
}

async function handle(
  route: Route,
  checked: Call,
  { customer, passage: { allowance } }: { customer: Customer | null; passage: Passage },
): Promise<Answer> {
  if (route.access === "public") return await route.handle(checked);
  if (customer === null || allowance === null) {
    throw new Error(`${route.path} was reached without a customer`);
  }
  return await route.handle({ ...checked, customer, allowance });
}

async function admit(request: Request, passage: Passage, options: ServerOptions): Promise<Customer> {
  const customer = await options.authenticate(request.headers.get("authorization"));
  passage.allowance = await options.takeRequest(customer);
  if (passage.allowance.allowed) return customer;
  throw new AppError(
    "quota_exceeded",
    `Your tier allows ${passage.allowance.limit} requests a day. Wait until ` +
      `${new Date(passage.allowance.resetMs).toISOString()}, or ask for a higher tier.`,
  );
}

function success(
  { status, body, headers }: Answered,
  { request, route, passage }: { request: Request; route: Route; passage: Passage },
): Response {
  const isRead = route.method === "GET" && status === 200;
  const isKnown = isRead && namesTag(request.headers.get("if-none-match"), body.etag());
  const compressed = !isKnown && takesGzip(request.headers.get("accept-encoding")) ? body.gzip() : null;
  const sent = isKnown ? 304 : status;
  const all = commonHeaders(passage, sent);
  if (!isKnown) all["content-type"] = route.contentType ?? JSON_TYPE;
  if (compressed !== null) all["content-encoding"] = "gzip";
  // The body is left out of an answer to HEAD; its length stays true (RFC 9110, 8.6).
  if (request.method === "HEAD" && !isKnown) {
    all["content-length"] = String(lengthOf(compressed ?? body.content()));
  }
  if (isRead) {
    all["etag"] = body.etag();
    all["vary"] = "Accept-Encoding";
  }
  Object.assign(all, route.access === "key" ? PRIVATE_HEADERS : PUBLIC_HEADERS, headers);
  return new Response(isKnown ? null : compressed ?? body.content(), { status: sent, headers: all });
}

function lengthOf(content: string | Uint8Array): number {
  return typeof content === "string" ? new TextEncoder().encode(content).length : content.length;
}

function failure(error: AppError, passage: Passage, headers: Record<string, string> = {}): Response {
  return new Response(problemJson(error, passage.requestId), {
    status: error.status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      "cache-control": "no-store",
      ...(error.code === "unauthenticated" ? { "www-authenticate": 'Bearer realm="regfeed"' } : {}),
      ...(error.code === "quota_exceeded" ? retryAfter(passage) : {}),
      ...commonHeaders(passage, error.status),
      ...headers,
    },
  });
}

function retryAfter({ allowance }: Passage): Record<string, string> {
  return allowance === null ? {} : { "retry-after": String(allowance.resetInSeconds) };
}

function commonHeaders({ requestId, allowance }: Passage, status: number): Record<string, string> {
  const headers: Record<string, string> = { "x-request-id": requestId, "x-content-type-options": "nosniff" };
  if (allowance === null) return headers;
  if (isUncounted(status)) allowance.refund();
  headers["x-ratelimit-limit"] = String(allowance.limit);
  headers["x-ratelimit-remaining"] = String(allowance.remaining);
  headers["x-ratelimit-reset"] = String(allowance.resetMs);
  headers["ratelimit-policy"] = `"day";q=${allowance.limit};w=86400`;
  headers["ratelimit"] = `"day";r=${allowance.remaining};t=${allowance.resetInSeconds}`;
  return headers;
}

function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ":$1");
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
}
