// Deliveries to receivers that behave unusually, over real connections. The exchanges are named as in
// ../shared/facts.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { checkWebhookUrl, createAddressPolicy } from "../../src/delivery/send/guard.ts";
import { sendAttempt } from "../../src/delivery/send/send.ts";
import { isSuccess } from "../../src/delivery/send/retry.ts";
import { type AttemptResult, MAX_KEPT_ANSWER } from "../../src/domain/delivery/delivery.ts";
import { createClock } from "../../src/platform/clock.ts";
import { createHttpClient } from "../../src/platform/http/http.ts";
import { type Conversation, type RawServer, saying, sayingLast, serveRaw } from "../platform/raw_server.ts";
import { needs, present } from "../support/needs.ts";

const FILE = new URL("../../../shared/facts/ssrf_cases.json", import.meta.url);
const OK = "HTTP/1.1 200 OK\r\n";
const empty = (status: string, headers = ""): string =>
  `HTTP/1.1 ${status}\r\n${headers}content-length: 0\r\n\r\n`;
const HOST = "hooks.receiver.example";
const policy = createAddressPolicy({ allowHttp: true, allowNetworks: ["127.0.0.0/8"], allowPorts: [] });

/** Makes one attempt to deliver to this port of the machine, through a host name. */
async function attemptAt(port: number, body = "{}", timeoutMs = 5_000): Promise<AttemptResult> {
  const http = createHttpClient({ forWebhooks: true });
  const resolver = { resolve: () => Promise.resolve(["127.0.0.1"]) };
  const sending = { http, policy, resolver, clock: createClock(), timeoutMs, userAgent: "Regfeed/test" };
  const message = {
    id: "dlv_01JNQ2B3C4D5E6F7G8H9JKMNPQ",
    subscriptionId: "sub_01JNQ2B3C4D5E6F7G8H9JKMNPR",
    webhookUrl: `http://${HOST}:${port}/hook`,
    webhookSecrets: ["0123456789abcdef".repeat(4)],
    headers: {},
    body,
  };
  try {
    const result = await sendAttempt(message, sending, new AbortController().signal);
    assert.ok((result.response?.length ?? 0) <= MAX_KEPT_ANSWER);
    return result;
  } finally {
    await http.close();
  }
}

async function attempt(
  talk: Conversation,
  { timeoutMs, mustClose = false }: { timeoutMs?: number; mustClose?: boolean } = {},
): Promise<{ result: AttemptResult; server: Pick<RawServer, "port"> & { said: string } }> {
  await using server = serveRaw(talk);
  const result = await attemptAt(server.port, "{}", timeoutMs);
  while (mustClose && server.connections.open > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(server.connections.taken, 1, "an attempt makes one connection");
  return { result, server: { port: server.port, said: server.received() } };
}

/** Sends the bytes repeatedly until the connection is closed. */
const endlessly = (part: string | Uint8Array, pauseMs: number): Conversation => async (connection) => {
  const bytes = typeof part === "string" ? new TextEncoder().encode(part) : part;
  while (true) {
    for (let at = 0; at < bytes.length;) at += await connection.write(bytes.subarray(at));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
};
const first = (head: string, then: Conversation): Conversation => async (connection) => {
  await saying(head)(connection);
  await then(connection);
};

const isLate = (result: AttemptResult) => /^no complete response within/.test(result.problem ?? "");

const EXCHANGES: Record<string, () => Promise<void>> = {
  "301/302/303/307/308 to http://169.254.169.254/": async () => {
    for (const status of [301, 302, 303, 307, 308]) {
      const { result } = await attempt(saying(empty(`${status} -`, "location: http://169.254.169.254/\r\n")));
      assert.deepEqual([result.statusCode, isSuccess(result)], [status, false]);
      assert.match(result.problem ?? "", /redirects are not followed/);
    }
  },
  "3xx with no Location, 300, 304": async () => {
    for (const status of [300, 301, 304]) {
      const { result } = await attempt(saying(empty(`${status} -`)));
      assert.deepEqual([result.statusCode, isSuccess(result)], [status, false]);
      assert.notEqual(result.problem, null);
    }
  },
  "302 to file:///etc/passwd": async () => {
    const { result } = await attempt(saying(empty("302 Found", "location: file:///etc/passwd\r\n")));
    assert.deepEqual([result.statusCode, isSuccess(result), result.response], [302, false, null]);
  },
  "Refresh / Alt-Svc / Link headers": async () => {
    await using elsewhere = serveRaw(saying(empty("200 OK")));
    const { address, port } = elsewhere;
    const headers = [`refresh: 0; url=${address}`, `alt-svc: h2=":${port}", h3=":${port}"`];
    const link = `link: <${address}>; rel=preload\r\n`;
    const { result } = await attempt(saying(empty("200 OK", `${headers.join("\r\n")}\r\n${link}`)));
    assert.equal(isSuccess(result), true);
    assert.equal(elsewhere.connections.taken, 0);
  },
  "response body endless or slow-drip": async () => {
    const drip = first(`${OK}content-length: 100000\r\n\r\n`, endlessly("x", 5));
    assert.ok(isLate((await attempt(drip, { timeoutMs: 300, mustClose: true })).result));
    const endless = first(`${OK}\r\n`, endlessly("x".repeat(10_000), 0));
    assert.equal((await attempt(endless, { mustClose: true })).result.statusCode, 200);
  },
  "response body 128 KiB, 10 MiB, 1 GiB": async () => {
    for (const size of [1 << 17, 10 << 20, 1 << 30]) {
      const talk = first(`${OK}content-length: ${size}\r\n\r\n`, endlessly("y".repeat(1 << 16), 0));
      const { result } = await attempt(talk, { mustClose: true });
      assert.deepEqual([result.statusCode, result.response], [200, "y".repeat(MAX_KEPT_ANSWER)]);
    }
  },
  "gzip / br bomb": async () => {
    const bomb = gzipSync(new Uint8Array(50_000_000));
    const { result, server } = await attempt(
      first(`${OK}content-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`, async (connection) => {
        for (let at = 0; at < bomb.length;) at += await connection.write(bomb.subarray(at));
      }),
      { mustClose: true },
    );
    assert.match(server.said, /^accept-encoding: identity\r$/m);
    assert.equal(result.statusCode, 200);
    const br = await attempt(saying(`${OK}content-encoding: br\r\ncontent-length: 2\r\n\r\nok`));
    assert.deepEqual([br.result.statusCode, br.result.problem, br.result.response], [200, null, null]);
  },
  "huge response headers (1 MiB), 10k headers": async () => {
    const many = Array.from({ length: 10_000 }, (_, at) => `x-${at}: a\r\n`).join("");
    for (const headers of [`x: ${"a".repeat(1 << 20)}\r\n`, many]) {
      const { result } = await attempt(saying(OK, headers, "\r\n"), { mustClose: true });
      assert.equal(result.problem, "the response headers are too large");
    }
  },
  "100-continue forever, 1xx flood": async () => {
    const floods = {
      "103 Early Hints": "too many interim responses (1xx) without a final response",
      "100 Continue": "the response begins with 100 Continue, which was not requested",
    };
    for (const [interim, problem] of Object.entries(floods)) {
      const flood = await attempt(endlessly(`HTTP/1.1 ${interim}\r\n\r\n`, 1), { mustClose: true });
      assert.equal(flood.result.problem, problem);
    }
  },
  "binary / invalid UTF-8 body": async () => {
    const { result } = await attempt(first(`${OK}content-length: 4\r\n\r\n`, async (connection) => {
      await connection.write(Uint8Array.of(0, 0xff, 0xfe, 0x41));
    }));
    assert.deepEqual([result.statusCode, result.response], [200, "\ufffd\ufffd\ufffdA"]);
  },
  "CR/LF in custom header or event type": () => {
    // The URL is the only part of a request that a customer chooses.
    for (const text of ["https://a.example/\r\nx: y", "https://a.example/x\ny", "https://a.example\r/x"]) {
      assert.equal(checkWebhookUrl(text, policy).ok, false, JSON.stringify(text));
    }
    return Promise.resolve();
  },
  "Host header on pinned IP": async () => {
    const { server } = await attempt(saying("HTTP/1.1 204 No Content\r\n\r\n"));
    assert.ok(server.said.includes(`\r\nhost: ${HOST}:${server.port}\r\n`), server.said);
  },
};

/** Listed exchanges that other tests cover: the file, and the name of the test. */
const ELSEWHERE: Record<string, [file: string, test: string]> = {
  "HTML/script in response body": [
    "../api/delivery_log_test.ts",
    "GET /v1/deliveries/{id} returns a receiver's response as text within JSON",
  ],
  "pooled connection reuse after DNS change": [
    "../platform/http/connections_test.ts",
    "request() keeps a connection per origin and set of addresses for the next request",
  ],
  "literal IP host skips the lookup hook (Node, Deno, undici)": [
    "../platform/http/http_test.ts",
    "request() connects to the given address even if the URL contains another one",
  ],
  "HTTP(S)_PROXY / NO_PROXY in the environment": [
    "../platform/http_proxy_test.ts",
    "a process with a proxy in its environment connects directly to the checked address",
  ],
  "certificate for another name / expired / self-signed": [
    "../platform/http_tls_test.ts",
    "request() checks the certificate against the host name and the authorities",
  ],
  "test endpoint echoes target body to caller": [
    "test_calls_test.ts",
    "test() sends a synthetic delivery like any other, and does not return the response body",
  ],
  "POST /test in a loop": [
    "test_calls_test.ts",
    "test() refuses a fourth concurrent call of a customer, and allows calls again when they end",
  ],
  "delivery to our own public URL": [
    "send/guard_test.ts",
    "checkWebhookUrl() refuses the service's own URL in any notation, and no other",
  ],
};

for (const [scenario, exchange] of Object.entries(EXCHANGES)) Deno.test(`an exchange: ${scenario}`, exchange);

Deno.test(needs("every listed exchange has a test", present(FILE)), () => {
  const { http } = JSON.parse(readFileSync(FILE, "utf8")) as { http: { scenario: string }[] };
  for (const { scenario } of http) {
    const [file, test] = ELSEWHERE[scenario] ?? [];
    if (file === undefined || test === undefined) {
      assert.ok(scenario in EXCHANGES, `no test for: ${scenario}`);
      continue;
    }
    const source = readFileSync(new URL(file, import.meta.url), "utf8");
    assert.ok(source.includes(test), `${scenario}: ${file}`);
  }
});

type Row = [name: string, talk: Conversation, status: number | null, problem: RegExp | string | null];

const RECEIVERS: Row[] = [
  ["HTTP/1.0 without a length", sayingLast("HTTP/1.0 200 OK\r\n\r\nthanks"), 200, null],
  ["HTTP/1.0 without a body", sayingLast("HTTP/1.0 204 No Content\r\n\r\n"), 204, null],
  ["204 with a body", saying("HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello"), 204, null],
  ["304 with a body", saying("HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\nhello"), 304, /304/],
  ["an unknown status", saying(empty("299 Fine")), 299, null],
  ["an invalid status", saying(empty("99 Low")), null, /HTTP|request failed/],
  [
    "early hints before the response",
    saying("HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n", empty("200 OK")),
    200,
    null,
  ],
  ["endless headers", endlessly(`x-a: ${"b".repeat(900)}\r\n`, 1), null, /HTTP|too large/],
  [
    "an endless body in chunks",
    first(`${OK}transfer-encoding: chunked\r\n\r\n`, endlessly(`400\r\n${"c".repeat(1_024)}\r\n`, 1)),
    200,
    null,
  ],
  ["a body that stops", saying(`${OK}content-length: 5\r\n\r\nab`), null, /^no complete response within/],
  ["no response", () => {}, null, /^no complete response within/],
  ["a close in the body", sayingLast(`${OK}content-length: 9\r\n\r\nab`), null, "the response was cut off"],
  ["a close without a response", sayingLast(), null, "connection reset"],
];

for (const [name, talk, status, problem] of RECEIVERS) {
  Deno.test(`a receiver's response: ${name}`, async () => {
    const { result } = await attempt(talk, { timeoutMs: 1_000 });
    assert.equal(result.statusCode, status, String(result.problem));
    if (problem instanceof RegExp) assert.match(result.problem ?? "", problem);
    else assert.equal(result.problem, problem);
  });
}

Deno.test("a response that precedes the end of the request counts, and its connection is not reused", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serving = (async () => {
    const connection = await listener.accept();
    await connection.read(new Uint8Array(100)); // the rest of the 4 MB is never read
    await connection.write(new TextEncoder().encode(empty("413 Too Large")));
    return connection;
  })();
  const result = await attemptAt(listener.addr.port, "x".repeat(4_000_000));
  assert.equal(result.statusCode, 413, String(result.problem));
  (await serving).close();
  listener.close();
});
