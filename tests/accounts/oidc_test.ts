// Signing in with OpenID Connect, against a real issuer: what is accepted, and how each fault is refused.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Events, OAuth2Server } from "npm:oauth2-mock-server@9.3.0";
import { createOidc, type OidcError, type OidcSettings, operatorOf } from "../../src/accounts/oidc.ts";
import type { HttpClient } from "../../src/domain/ports/ports.ts";
import { createClock } from "../../src/platform/clock.ts";
import { createHttpClient } from "../../src/platform/http/http.ts";
import { createRandom } from "../../src/platform/random.ts";
import { checkSingleSignOn } from "../../src/server/checks/single_sign_on.ts";
import { configOf } from "../config/given.ts";
import { fakeClock } from "../support/clock.ts";
import { withWorld, type World } from "../support/world.ts";
import { type Browser, createBrowser } from "../web/sign_in/browser.ts";

// deno-lint-ignore no-explicit-any
type Json = any;

interface Issuer {
  server: OAuth2Server;
  /** Changes the claims of the next ID token. */
  claims: (payload: Json) => void;
  /** Changes the body of the next token response. */
  response: (body: Json) => void;
  url: string;
}

/** Runs a test with an issuer, whose person is in the group `ops`. */
async function withIssuer(work: (issuer: Issuer) => Promise<void>): Promise<void> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate("RS256");
  await server.start(0, "localhost");
  const issuer: Issuer = { server, claims: () => {}, response: () => {}, url: server.issuer.url ?? "" };
  server.service.on(Events.BeforeTokenSigning, (token: Json) => {
    Object.assign(token.payload, {
      groups: ["staff", "ops"],
      email: "olga@b.example",
      email_verified: true,
      preferred_username: "otto",
    });
    if ("nonce" in token.payload) issuer.claims(token.payload);
  });
  server.service.on(Events.BeforeResponse, (response: Json) => issuer.response(response.body));
  try {
    await work(issuer);
  } finally {
    if (server.listening) await server.stop();
  }
}

const configFor = (url: string, more = "") => `
[server]
public_url = "http://127.0.0.1:8080"
[console.oidc]
issuer = "${url}"
client_id = "regfeed"
client_secret = "hush"
name = "Example SSO"
operator_groups = ["ops"]
${more}`;

/** Runs a test with a service that reaches the issuer through the real HTTP client. */
function withService(issuer: Issuer, work: (world: World, browser: Browser) => Promise<void>): Promise<void> {
  return withWorld(configFor(issuer.url), async (world) => {
    const http = createHttpClient();
    Object.assign(world.platform.http, { request: http.request });
    try {
      await work(world, createBrowser(world));
    } finally {
      await http.close();
    }
  });
}

/** Goes to the issuer, and returns the path and query with which it sends the browser back. */
async function goToIssuer(browser: Browser): Promise<string> {
  const begun = await browser.open("/sign-in/oidc?return_to=/operator/sessions");
  assert.equal(begun.status, 303, begun.text);
  const location = new URL(begun.headers.get("location") ?? "");
  assert.equal(location.searchParams.get("code_challenge_method"), "S256");
  const response = await fetch(location, { redirect: "manual" });
  await response.body?.cancel();
  const callback = new URL(response.headers.get("location") ?? "");
  assert.equal(callback.origin, "http://127.0.0.1:8080");
  return callback.pathname + callback.search;
}

/** The issuer's redirect, for which the browser sends only lax cookies. */
const comeBack = (browser: Browser, path: string) =>
  browser.open(path, { headers: { "sec-fetch-site": "cross-site" } });

Deno.test("an operator signs in at the issuer, and the page continues from this site", () =>
  withIssuer((issuer) =>
    withService(issuer, async (world, browser) => {
      assert.match(
        (await browser.open("/sign-in")).text,
        /href="\/sign-in\/oidc">Continue with Example SSO</,
      );
      const path = await goToIssuer(browser);
      const back = await comeBack(browser, path);
      assert.equal(back.status, 200, back.text);
      assert.match(back.text, /<meta http-equiv="refresh" content="0;url=\/operator\/sessions">/);
      assert.equal(back.headers.get("cache-control"), "private, no-store");
      const cookies = back.headers.getSetCookie().join("\n");
      assert.match(cookies, /^regfeed=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/m);
      assert.match(cookies, /^regfeed-oidc=; .*Max-Age=0$/m);
      const sessions = await browser.open("/operator/sessions");
      assert.match(sessions.text, /olga[^]*Single sign-on/);
      const [entry] = await world.store.listAudit({ limit: 1 });
      assert.deepEqual([entry?.actor, entry?.act, entry?.change], [
        "console:olga@b.example",
        "console.sign-in",
        {
          method: "oidc",
        },
      ]);
      assert.equal(
        (await comeBack(createBrowser(world), path)).status,
        403,
        "the callback of another browser",
      );
      assert.equal((await comeBack(browser, path)).status, 403, "the same callback again");
    })
  ));

/** What the issuer does wrong, the status of the page, and what the page says. */
const FAULTS: [what: string, change: (issuer: Issuer) => void, status: number, page: RegExp][] = [
  [
    "another issuer",
    (one) => one.claims = (claims) => claims.iss = "https://evil.example",
    403,
    /another sign-in service/,
  ],
  [
    "another audience",
    (one) => one.claims = (claims) => claims.aud = "other",
    403,
    /for another application/,
  ],
  [
    "another nonce",
    (one) => one.claims = (claims) => claims.nonce = "other",
    403,
    /belongs to another sign-in/,
  ],
  ["an expired token", (one) => one.claims = (claims) => claims.exp = 1, 403, /has expired/],
  ["no group", (one) => one.claims = (claims) => claims.groups = ["staff"], 403, /not an operator/],
  ["no groups claim", (one) => one.claims = (claims) => delete claims.groups, 403, /not an operator/],
  [
    "a group that is not a text",
    (one) => one.claims = (claims) => claims.groups = { ops: true },
    403,
    /not an operator/,
  ],
  [
    "no signature",
    (one) => one.response = (body) => body.id_token = unsigned(body.id_token),
    403,
    /was refused/,
  ],
  [
    "a wrong signature",
    (one) => one.response = (body) => body.id_token = forged(body.id_token),
    403,
    /signature/,
  ],
  ["no ID token", (one) => one.response = (body) => delete body.id_token, 403, /was refused/],
];

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const unsigned = (token: string) => `${encode({ alg: "none" })}.${token.split(".")[1]}.`;

/** Returns the token with other claims and the old signature. */
function forged(token: string): string {
  const [header, payload = "", signature] = token.split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  return `${header}.${encode({ ...claims, preferred_username: "eve" })}.${signature}`;
}

Deno.test("every fault of the issuer is refused with a message, and logged without a stack", () =>
  withIssuer((issuer) =>
    withService(issuer, async (world, browser) => {
      for (const [what, change, status, expected] of FAULTS) {
        Object.assign(issuer, { claims: () => {}, response: () => {} });
        change(issuer);
        await world.platform.clock.advance(60_000); // so that the failures do not add up
        const page = await comeBack(browser, await goToIssuer(browser));
        assert.equal(page.status, status, `${what}: ${page.text}`);
        assert.match(page.text, expected, `${what}: ${JSON.stringify(world.platform.lines.slice(-3))}`);
        assert.doesNotMatch(page.text, /OAUTH_|Error|\bat file/, what);
        assert.equal(browser.cookies.has("regfeed"), false, what);
      }
      const failures = world.platform.lines.filter(({ message }) => message === "single sign-on failed");
      assert.equal(failures.length, FAULTS.length);
      assert.doesNotMatch(JSON.stringify(failures), /\bat file|eyJ/);
      assert.deepEqual(await world.store.listSessions("operators", world.platform.clock.nowMs()), []);
    })
  ));

Deno.test("a foreign, repeated or refused response of the issuer signs nobody in", () =>
  withIssuer((issuer) =>
    withService(issuer, async (world, browser) => {
      const path = await goToIssuer(browser);
      const state = new URL(path, "http://x").searchParams.get("state") ?? "";
      const attempt = browser.cookies.get("regfeed-oidc") ?? "";
      const rows: [path: string, cookie: string, expected: RegExp][] = [
        [path.replace(state, "other"), attempt, /belongs to no sign-in/],
        [path.replace(/state=[^&]*/, ""), attempt, /belongs to no sign-in/],
        [path, "", /belongs to no sign-in/],
        [path, btoa("{}"), /belongs to no sign-in/],
        [`/sign-in/oidc/callback?error=access_denied&state=${state}`, attempt, /refused the sign-in/],
        [`/sign-in/oidc/callback?state=${state}`, attempt, /was refused/],
        [`/sign-in/oidc/callback?code="><script>&state=${state}`, attempt, /service/],
      ];
      for (const [path, cookie, expected] of rows) {
        browser.cookies.set("regfeed-oidc", cookie);
        const page = await comeBack(browser, path);
        assert.ok(page.status === 403 || page.status === 502, `${path} ${page.status}`);
        assert.match(page.text, expected, path);
        assert.doesNotMatch(page.text, /<script>/);
        await world.platform.clock.advance(60_000);
      }
    })
  ));

Deno.test("an issuer that cannot be reached, or has another name, is reported on a page", () =>
  withIssuer(async (issuer) => {
    await withService(
      { ...issuer, url: issuer.url.replace("localhost", "127.0.0.1") },
      async (_, browser) => {
        const page = await browser.open("/sign-in/oidc");
        assert.equal(page.status, 403);
        assert.match(page.text, /another sign-in service than the configured one/);
      },
    );
    await withService(issuer, async ({ platform }, browser) => {
      const path = await goToIssuer(browser);
      await issuer.server.stop();
      const page = await comeBack(browser, path);
      assert.equal(page.status, 502);
      assert.match(page.text, /does not respond as expected/);
      assert.match(JSON.stringify(platform.lines), /cannot be reached: connection refused/);
    });
  }));

Deno.test("doctor says whether the issuer responds", () =>
  withIssuer(async ({ server, url }) => {
    const http = createHttpClient();
    const check = async (issuer: string) => {
      const { console } = await configOf(configFor(issuer));
      const host = { readText: () => Promise.reject(new Error("no file")) };
      const [finding] = await checkSingleSignOn({ console }, { clock: createClock(), http, host });
      return `${finding?.level}: ${finding?.seen}`;
    };
    try {
      assert.equal(await check(url), `good: operators can sign in at ${url}`);
      assert.match(await check(url.replace("localhost", "127.0.0.1")), /^warning: .*issuer does not match/);
      await server.stop();
      assert.match(await check(url), /^warning: .*cannot be reached: connection refused$/);
    } finally {
      await http.close();
    }
  }));

const SETTINGS: OidcSettings = {
  issuer: "https://sso.example.org",
  clientId: "regfeed",
  clientSecret: null,
  scopes: ["openid"],
  groupsClaim: "groups",
  operatorGroups: ["ops"],
  operatorEmails: ["olga@example.org"],
  authorities: null,
};

Deno.test("begin() limits the time, the bytes and the number of requests to the issuer", async () => {
  const begin = (request: HttpClient["request"], clock = fakeClock(0)) => {
    const redirectUri = "https://feed.example/sign-in/oidc/callback";
    const oidc = createOidc(SETTINGS, { clock, random: createRandom(), http: { request }, redirectUri });
    return oidc.begin("").then(
      () => assert.fail("begun"),
      (error: OidcError) => [error.fault, error.message],
    );
  };
  const clock = fakeClock(0);
  const requested = Promise.withResolvers<void>();
  const silent = begin(({ signal }) => {
    requested.resolve();
    return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
  }, clock);
  await requested.promise;
  await clock.advance(10_000);
  assert.deepEqual(await silent, ["unreachable", "the issuer cannot be reached: not finished within 10 s"]);
  const limits: number[] = [];
  const endless = begin(({ maxBodyBytes }) => {
    limits.push(maxBodyBytes);
    return Promise.resolve({ status: 200, headers: {}, body: new Uint8Array(9), truncated: true });
  });
  assert.deepEqual(await endless, ["unreachable", "the issuer cannot be reached: the response is too large"]);
  assert.deepEqual(limits, [1_048_576]);
  let requests = 0;
  const slow = Promise.withResolvers<void>();
  const refusing = createOidc(SETTINGS, {
    clock: fakeClock(0),
    random: createRandom(),
    redirectUri: "https://feed.example/sign-in/oidc/callback",
    http: {
      async request() {
        requests++;
        await slow.promise;
        return { status: 500, headers: {}, body: new Uint8Array(), truncated: false };
      },
    },
  });
  const crowd = Array.from({ length: 20 }, () => refusing.begin("").catch((error: OidcError) => error.fault));
  slow.resolve();
  assert.deepEqual(new Set(await Promise.all(crowd)), new Set(["unreachable"]));
  assert.equal(requests, 1, "visitors share a request");
  const html = begin(() =>
    Promise.resolve({
      status: 200,
      headers: { "content-type": "text/html" },
      body: new Uint8Array(),
      truncated: false,
    })
  );
  assert.equal((await html)[0], "unreachable");
});

Deno.test("operatorOf() accepts a group or a verified email address, and names the operator", () => {
  const rows: [claims: Record<string, unknown>, expected: string | null][] = [
    [{ groups: ["ops"], preferred_username: "olga", name: "Olga", sub: "1" }, "1"],
    [{ groups: "ops", email: "o@b.example", sub: "1" }, "1"],
    [{ groups: "ops", email: "o@b.example", email_verified: true, sub: "1" }, "o@b.example"],
    [{ groups: ["ops"], sub: "1" }, "1"],
    [{ groups: ["ops"], sub: "\n" }, "oidc"],
    [{ groups: ["OPS"] }, null],
    [{ groups: [["ops"]] }, null],
    [{}, null],
    [{ email: "Olga@Example.org", email_verified: true, sub: "1" }, "Olga@Example.org"],
    [{ email: "olga@example.org", email_verified: "true" }, null],
    [{ email: "olga@example.org" }, null],
    [{ email: "eve@example.org", email_verified: true }, null],
  ];
  for (const [claims, expected] of rows) {
    if (expected === null) {
      assert.throws(() => operatorOf(claims, SETTINGS), /not an operator/, JSON.stringify(claims));
    } else assert.equal(operatorOf(claims, SETTINGS), expected);
  }
});
