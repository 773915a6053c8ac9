// One attempt: its request, and its result for every kind of response and failure.
import assert from "node:assert/strict";
import { Webhook } from "standardwebhooks";
import { createAddressPolicy, REFUSED_ADDRESS } from "../../../src/delivery/send/guard.ts";
import { type Message, sendAttempt, type Sending } from "../../../src/delivery/send/send.ts";
import { type AttemptResult, MAX_KEPT_ANSWER } from "../../../src/domain/delivery/delivery.ts";
import {
  type IncomingResponse,
  NetworkError,
  type OutgoingRequest,
} from "../../../src/domain/ports/ports.ts";
import { aWorld, hang, HOST, respond, settle, START_MS } from "../given.ts";

const BODY = '{"type":"event.published","title":"Grüße"}';
const message: Message = {
  id: "dlv_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
  subscriptionId: "sub_01JNQ2B3C4D5E6F7G8H9JKMNPR",
  webhookUrl: `https://${HOST}/in?key=s3cret`,
  webhookSecrets: ["0123456789abcdef".repeat(4)],
  headers: { authorization: "Bearer 0wner" },
  body: new TextEncoder().encode(BODY),
};
function aSender(): Omit<ReturnType<typeof aWorld>, "deps"> & { deps: Sending } {
  const world = aWorld();
  return { ...world, deps: { ...world.deps, policy: createAddressPolicy(world.deps.policy) } };
}

const onwards = new AbortController().signal;

/** Sends the message to an endpoint with this behaviour. */
async function sendTo(
  endpoint: (request: OutgoingRequest) => IncomingResponse | Promise<IncomingResponse>,
): Promise<{ result: AttemptResult; world: ReturnType<typeof aSender> }> {
  const world = aSender();
  world.network.endpoints.set(HOST, endpoint);
  return { result: await sendAttempt(message, world.deps, onwards), world };
}

Deno.test("sendAttempt() posts the stored body with a signature to the checked addresses", async () => {
  const world = aSender();
  world.network.addresses.set(HOST, ["93.184.215.14", "2606:4700::1111"]);
  world.network.endpoints.set(HOST, () => respond(200));
  const result = await sendAttempt(message, world.deps, onwards);
  const { startedAtMs, durationMs, statusCode, ...rest } = result;
  assert.deepEqual([startedAtMs, durationMs, statusCode], [START_MS, 0, 200]);
  assert.deepEqual(rest, { problem: null, retryAtMs: null, response: null });
  const [request, ...more] = world.network.requests;
  assert.ok(request !== undefined && more.length === 0);
  const { method, url, body, addresses, maxBodyBytes, headers } = request;
  const sent = [method, url.href, body, maxBodyBytes];
  assert.deepEqual(sent, ["POST", message.webhookUrl, message.body, 65_536]);
  assert.deepEqual(addresses, ["93.184.215.14", "2606:4700::1111"]);
  const { "webhook-signature": signature, ...others } = headers;
  assert.deepEqual(others, {
    authorization: "Bearer 0wner",
    "content-type": "application/json",
    "accept-encoding": "identity",
    "user-agent": "Regfeed/test",
    "webhook-id": message.id,
    "webhook-timestamp": String(START_MS / 1_000),
    "x-regfeed-subscription": message.subscriptionId,
  });
  const expected = new Webhook(message.webhookSecrets[0] ?? "", { format: "raw" })
    .sign(message.id, new Date(START_MS), BODY);
  assert.equal(signature?.split(" ")[0], expected);
});

Deno.test("sendAttempt() never lets an owner's header replace one of its own", async () => {
  const world = aSender();
  world.network.endpoints.set(HOST, () => respond(200));
  const names = ["content-type", "user-agent", "webhook-id", "webhook-signature", "x-regfeed-subscription"];
  const headers = Object.fromEntries(names.map((name) => [name, "forged"]));
  await sendAttempt({ ...message, headers }, world.deps, onwards);
  const sent = world.network.requests[0]?.headers ?? {};
  assert.deepEqual(names.filter((name) => sent[name] === "forged"), []);
});

Deno.test("sendAttempt() signs every attempt separately, with the same id", async () => {
  const { clock, network, deps } = aSender();
  network.endpoints.set(HOST, () => respond(200));
  await sendAttempt(message, deps, onwards);
  await clock.advance(90_500);
  await sendAttempt(message, deps, onwards);
  const [first, second] = network.requests.map((request) => request.headers);
  assert.equal(first?.["webhook-id"], second?.["webhook-id"]);
  assert.equal(Number(second?.["webhook-timestamp"]) - Number(first?.["webhook-timestamp"]), 90);
  assert.notEqual(first?.["webhook-signature"], second?.["webhook-signature"]);
});

Deno.test("sendAttempt() describes the status of the response", async () => {
  const rows: [status: number, problem: string | null][] = [
    [200, null],
    [204, null],
    [299, null],
    [301, "the endpoint responded with 301; redirects are not followed"],
    [304, "the endpoint responded with 304"],
    [308, "the endpoint responded with 308; redirects are not followed"],
    [400, "the endpoint responded with 400"],
    [410, "the endpoint responded with 410: it is gone"],
    [500, "the endpoint responded with 500"],
  ];
  for (const [status, problem] of rows) {
    const { result, world } = await sendTo(() => respond(status, { location: "https://169.254.169.254/" }));
    assert.deepEqual([result.statusCode, result.problem], [status, problem]);
    assert.equal(world.network.requests.length, 1, `${status} is not followed`);
  }
});

Deno.test("sendAttempt() reads Retry-After", async () => {
  const { result } = await sendTo(() => respond(503, { "retry-after": "120" }));
  assert.equal(result.retryAtMs, START_MS + 120_000);
  assert.equal((await sendTo(() => respond(503, { "retry-after": "soon" }))).result.retryAtMs, null);
});

Deno.test("sendAttempt() uses the status of a response whose body is too long", async () => {
  const body = new TextEncoder().encode("text");
  const { result } = await sendTo(() => ({ status: 200, headers: {}, body, truncated: true }));
  assert.deepEqual([result.statusCode, result.problem], [200, null]);
});

Deno.test("sendAttempt() keeps at most 1,024 bytes of a response as text without NUL", async () => {
  const bodies: [Uint8Array, string | null][] = [
    [new Uint8Array(), null],
    [new Uint8Array([0, 65, 0]), "\ufffdA\ufffd"],
    [new Uint8Array(5_000).fill(0xff), "\ufffd".repeat(1_024)],
    [new Uint8Array(5_000).fill(97), "a".repeat(1_024)],
    [new TextEncoder().encode("é".repeat(600)), "é".repeat(512)],
  ];
  for (const [body, expected] of bodies) {
    const { result } = await sendTo(() => ({ status: 500, headers: {}, body, truncated: false }));
    assert.equal(result.response, expected);
  }
});

Deno.test("sendAttempt() returns the network's error if there is no response", async () => {
  const failure = "certificate not valid for this host";
  const { result } = await sendTo(() => Promise.reject(new NetworkError(failure)));
  assert.deepEqual([result.statusCode, result.problem], [null, failure]);
  const { deps } = aSender();
  const resolver = { resolve: () => Promise.reject(new NetworkError("host name not found")) };
  const unknown = await sendAttempt(message, { ...deps, resolver }, onwards);
  assert.deepEqual([unknown.statusCode, unknown.problem], [null, "host name not found"]);
});

Deno.test("sendAttempt() has one deadline for lookup and response, at which it aborts the request", async () => {
  const { clock, network, deps } = aSender();
  let ended: unknown = null;
  network.endpoints.set(HOST, (request) => {
    request.signal.addEventListener("abort", () => ended = request.signal.reason);
    return hang(request.signal);
  });
  const resolver = {
    resolve: async (_host: string, signal: AbortSignal) => {
      await clock.sleep(10_000, signal);
      return ["93.184.215.14"];
    },
  };
  const attempt = sendAttempt(message, { ...deps, resolver }, onwards);
  await settle();
  await clock.advance(10_000);
  assert.equal(network.requests.length, 1);
  assert.equal(ended, null);
  await clock.advance(5_000);
  const result = await attempt;
  assert.deepEqual([result.durationMs, result.statusCode], [15_000, null]);
  assert.equal(result.problem, "no complete response within 15 s");
  assert.equal((ended as unknown as Error).name, "DeadlineError");
});

Deno.test("sendAttempt() ends at the deadline even if the lookup ignores its signal", async () => {
  const { clock, network, deps } = aSender();
  const resolver = { resolve: () => new Promise<string[]>(() => {}) };
  const attempt = sendAttempt(message, { ...deps, resolver }, onwards);
  await settle();
  await clock.advance(15_000);
  assert.equal((await attempt).problem, "no complete response within 15 s");
  assert.equal(network.requests.length, 0);
});

Deno.test("sendAttempt() does not connect if the guard refuses, and states no reason", async () => {
  const rows: [what: string, webhookUrl: string, addresses: string[]][] = [
    ["a refused URL", "https://169.254.169.254/latest", []],
    ["not a URL", "hooks", []],
    ["one private address of two", `https://${HOST}/`, ["93.184.215.14", "fd00::1"]],
  ];
  for (const [what, webhookUrl, addresses] of rows) {
    const { network, deps } = aSender();
    network.addresses.set(HOST, addresses);
    network.endpoints.set(HOST, () => respond(200));
    const result = await sendAttempt({ ...message, webhookUrl }, deps, onwards);
    assert.deepEqual([result.statusCode, result.problem], [null, REFUSED_ADDRESS], what);
    assert.equal(network.requests.length, 0, what);
  }
});

Deno.test("sendAttempt() returns no URL, secret or text of the receiver except the response", async () => {
  for (const status of [200, 302, 404, 410, 500]) {
    const { result: { response: kept, ...result } } = await sendTo(() => ({
      ...respond(status, { location: "https://other.example/", "x-text": "receiver" }),
      body: new TextEncoder().encode("receiver"),
    }));
    assert.equal(kept, "receiver");
    assert.doesNotMatch(JSON.stringify(result), /receiver|s3cret|other\.example|93\.184|0123456789abcdef/);
  }
});

Deno.test("sendAttempt() returns the beginning of a response without the values of custom headers", async () => {
  const world = aSender();
  const headers = { "x-key": "k3y".repeat(20) };
  const text = "x".repeat(MAX_KEPT_ANSWER - 20) + ":";
  const body = new TextEncoder().encode(text + headers["x-key"]);
  world.network.endpoints.set(HOST, () => ({ ...respond(500), body }));
  const { response } = await sendAttempt({ ...message, headers }, world.deps, onwards);
  assert.equal(response, `${text}[redacted]`, "even if the value continues after the beginning");
});

Deno.test("sendAttempt() rejects with the reason of the abort, and with internal errors", async () => {
  const { network, deps } = aSender();
  network.endpoints.set(HOST, (request) => hang(request.signal));
  const stop = new AbortController();
  const attempt = sendAttempt(message, deps, stop.signal);
  await settle();
  stop.abort(new Error("stopped"));
  await assert.rejects(attempt, /stopped/);
  await assert.rejects(sendAttempt(message, deps, stop.signal), /stopped/);
  assert.equal(network.requests.length, 1);
  network.endpoints.set(HOST, () => Promise.reject(new TypeError("broken")));
  await assert.rejects(sendAttempt(message, deps, onwards), TypeError);
});
