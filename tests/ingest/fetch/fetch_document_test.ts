// Fetching a document: redirects, IP addresses, cookies, certificates and blocks.
import assert from "node:assert/strict";
import type { SourceSettings } from "../../../src/domain/source/source.ts";
import { fetchDocument } from "../../../src/ingest/fetch/fetch_document.ts";
import { FetchError, type FetchOptions } from "../../../src/ingest/fetch/fetch_types.ts";
import type { RedirectTrack } from "../../../src/ingest/fetch/permanent_redirects.ts";
import { fetchOptions, sampleSource } from "../../support/collecting.ts";
import { type Answer, type FakePlatform, fakePlatform } from "../../support/platform.ts";

const NOW = Date.parse("2026-08-01T10:00:00Z");
const FEED = "https://board.example/feed.xml";
const pageOf = (title: string, rest = ""): string =>
  `<!doctype html><html><head><title>${title}</title></head>${rest}`;

/** Fetches the document of a source. Returns the response or the error. */
async function outcome(
  platform: FakePlatform,
  change:
    & { source?: Partial<SourceSettings>; options?: Partial<FetchOptions> }
    & Partial<Parameters<typeof fetchDocument>[1]> = {},
) {
  const settings = sampleSource(change.source);
  const { expects = "data", validators = null } = change;
  const request = { url: new URL(settings.location), headers: { accept: "x/y" }, validators, expects };
  try {
    const response = await fetchDocument(settings, request, fetchOptions(platform, change.options));
    return { response, error: null };
  } catch (error) {
    assert.ok(error instanceof FetchError, String(error));
    return { response: null, error };
  }
}

/** Returns the error of a request to a server that always sends this response. */
async function errorOf(response: Answer, expects: "data" | "page" = "data"): Promise<FetchError | null> {
  const platform = fakePlatform(NOW);
  platform.http.serve(FEED, () => response);
  return (await outcome(platform, { expects })).error;
}

const redirecting = (status: number, location: string): () => Answer => () => ({
  status,
  headers: { location },
});

Deno.test("a response that refuses, throttles or challenges blocks the host, with any status", async () => {
  const akamai = pageOf("Access Denied", 'Reference <a href="https://errors.edgesuite.net/1">');
  const moment = { body: pageOf("Just a moment...") };
  const human = { body: pageOf("A", "Verifying you are human") };
  const script = { body: pageOf("News", '<script src="/cdn-cgi/challenge-platform/x">') };
  const mitigated = { status: 503, headers: { "cf-mitigated": "challenge" }, body: "x" };
  const captcha = { status: 405, headers: { "x-amzn-waf-action": "captcha" } };
  const feed = { body: "<rss><title>Just a moment...</title></rss>" };
  const rows: [what: string, response: Answer, expects: "data" | "page", blocked: RegExp | null][] = [
    [
      "403",
      { status: 403, body: "no" },
      "data",
      /^responded with 403: the host refuses or throttles this client$/,
    ],
    ["429", { status: 429 }, "page", /^responded with 429: the host refuses/],
    ["empty 202", { status: 202 }, "data", /^responded with 202 instead of a document; some sites do this/],
    ["Cloudflare", moment, "data", /200 and a challenge page \(Cloudflare\)/],
    ["Cloudflare page", moment, "page", /\(Cloudflare\)/],
    ["header", mitigated, "page", /503 and a challenge/],
    ["AWS", captcha, "data", /\(AWS WAF\)/],
    ["Akamai", { body: akamai }, "page", /\(Akamai\)/],
    ["unknown", human, "data", /and a challenge page instead/],
    ["a page about challenges", human, "page", null],
    ["a page with Cloudflare's script", script, "page", null],
    ["a feed about challenges", feed, "data", null],
  ];
  for (const [what, response, expects, blocked] of rows) {
    const error = await errorOf(response, expects);
    if (blocked === null) assert.equal(error, null, what);
    else {
      assert.match(error?.message ?? "", blocked, what);
      assert.deepEqual([error?.state, error?.pausedHost], ["blocked", "board.example"], what);
    }
  }
});

Deno.test("a host is paused if it refuses, or is busy for a stated time, but not after other failures", async () => {
  const rows: [response: Answer, state: string, paused: string | null, retrySeconds: number | null][] = [
    [{ status: 429, headers: { "retry-after": "120" } }, "blocked", "board.example", 120],
    [{ status: 403 }, "blocked", "board.example", null],
    [{ status: 503, headers: { "retry-after": "60" } }, "failing", "board.example", 60],
    [{ status: 503 }, "failing", null, null],
    [{ status: 500 }, "failing", null, null],
    [{ status: 404 }, "failing", null, null],
    [{ body: "" }, "failing", null, null],
  ];
  for (const [response, state, paused, retry] of rows) {
    const error = await errorOf(response);
    const retryAtMs = retry === null ? null : NOW + retry * 1_000;
    assert.deepEqual([error?.state, error?.pausedHost, error?.retryAtMs], [state, paused, retryAtMs]);
  }
});

Deno.test("every request identifies the service, and has no header of a proxy or browser", async () => {
  const platform = fakePlatform(NOW);
  platform.http.serve(FEED, redirecting(302, "/b"));
  platform.http.serve("https://board.example/b", () => ({ body: "<rss/>" }));
  await outcome(platform);
  const expected = { accept: "x/y", "accept-encoding": "gzip", "user-agent": "Regfeed/test" };
  for (const { headers } of platform.http.requests) assert.deepEqual(headers, expected);
});

Deno.test("a redirect is permanent up to the first temporary hop", async () => {
  const B = "https://b.example/";
  const C = "https://c.example/";
  const rows: [first: number, second: number, standing: RedirectTrack][] = [
    [301, 308, { kind: "moved", to: C }],
    [308, 302, { kind: "moved", to: B }],
    [302, 301, { kind: "unknown" }],
    [303, 307, { kind: "unknown" }],
  ];
  for (const [first, second, standing] of rows) {
    const platform = fakePlatform(NOW);
    platform.http.serve(FEED, redirecting(first, B));
    platform.http.serve("https://b.example", redirecting(second, C));
    platform.http.serve("https://c.example", () => ({ body: "<rss/>" }));
    const { response } = await outcome(platform);
    assert.deepEqual([response?.document?.url, response?.redirect], [C, standing], `${first} ${second}`);
  }
});

Deno.test("no redirect leads from a public host to a private network, and only checked addresses are used", async () => {
  const inside = "https://intranet.example/feed";
  const rows: [what: string, location: string, hosts: Record<string, string[]>, refused: RegExp | null][] = [
    ["loopback", "https://127.0.0.1/", {}, /^leads to 127\.0\.0\.1, whose private IP address is refused/],
    ["link-local", "https://169.254.169.254/latest/meta-data", {}, /^leads to 169\.254\.169\.254/],
    ["mapped", "https://[::ffff:10.0.0.1]/", {}, /private (IP )?address/],
    ["a name", inside, { "intranet.example": ["10.1.2.3"] }, /^leads to intranet\.example, whose/],
    ["one of several", inside, { "intranet.example": ["93.184.215.14", "10.1.2.3"] }, /^leads to intranet/],
    ["a public host", inside, { "intranet.example": ["93.184.215.99"] }, null],
  ];
  for (const [what, location, hosts, refused] of rows) {
    const platform = fakePlatform(NOW);
    platform.http.serve(FEED, redirecting(302, location));
    platform.http.serve(inside, () => ({ body: "<rss/>" }));
    for (const [host, addresses] of Object.entries(hosts)) platform.hosts.set(host, addresses);
    const { response, error } = await outcome(platform);
    if (refused === null) {
      assert.equal(response?.document?.url, inside, what);
      assert.deepEqual(platform.http.requests.at(-1)?.addresses, hosts["intranet.example"], what);
    } else {
      assert.match(error?.message ?? "", refused, what);
      assert.equal(platform.http.requests.length, 1, `${what}: it gets no request`);
    }
  }
});

Deno.test("a configured URL may be private unless allow_private is false", async () => {
  const location = "http://intranet.example/feed";
  const arrange = () => {
    const platform = fakePlatform(NOW);
    platform.hosts.set("intranet.example", ["10.1.2.3"]);
    platform.hosts.set("wiki.example", ["10.1.2.4"]);
    platform.http.serve(location, redirecting(302, "http://wiki.example/feed"));
    platform.http.serve("http://wiki.example/feed", () => ({ body: "<rss/>" }));
    return platform;
  };
  const { response } = await outcome(arrange(), { source: { location } });
  assert.equal(response?.document?.url, "http://wiki.example/feed", "a private host may redirect to another");
  const refused = await outcome(arrange(), { source: { location }, options: { allowPrivate: false } });
  const reason = /^intranet\.example has a private IP address; ingest\.allow_private = true/;
  assert.match(refused.error?.message ?? "", reason);
  const platform = arrange();
  platform.http.serve("http://wiki.example/feed", redirecting(302, "http://public.example/"));
  platform.http.serve("http://public.example", redirecting(302, location));
  const back = await outcome(platform, { source: { location } });
  assert.match(back.error?.message ?? "", /^leads to intranet\.example/, "no public host redirects to it");
});

Deno.test("each host of a chain is resolved once, so a changed DNS record has no effect", async () => {
  const platform = fakePlatform(NOW);
  let lookUps = 0;
  platform.resolver.resolve = () => Promise.resolve(lookUps++ === 0 ? ["93.184.215.14"] : ["127.0.0.1"]);
  platform.http.serve(FEED, redirecting(302, "/b"));
  platform.http.serve("https://board.example/b", () => ({ body: "<rss/>" }));
  assert.equal((await outcome(platform)).error, null);
  assert.equal(lookUps, 1);
  const used = platform.http.requests.map(({ addresses }) => addresses);
  assert.deepEqual(used, [["93.184.215.14"], ["93.184.215.14"]]);
});

Deno.test("a cookie is returned to the host that set it, and to no other", async () => {
  const platform = fakePlatform(NOW);
  let isFirst = true;
  platform.http.serve(FEED, ({ headers }) => {
    if (!isFirst) return { status: 302, headers: { location: `https://c.example/?${headers["cookie"]}` } };
    isFirst = false;
    const cookies = "AL_LB-S=a1; Path=/; Expires=Wed, 21 Oct 2026 07:28:00 GMT\nbad name=1\nb=2";
    return { status: 303, headers: { location: FEED, "set-cookie": cookies } };
  });
  platform.http.serve("https://c.example", () => ({ body: "<rss/>" }));
  const { response } = await outcome(platform);
  assert.equal(response?.document?.url, "https://c.example/?AL_LB-S=a1;%20b=2");
  assert.equal(platform.http.requests.at(-1)?.headers["cookie"], undefined);
});

Deno.test("each request of a source uses its ca_file, which is read each time", async () => {
  const platform = fakePlatform(NOW);
  const given: (string | undefined)[] = [];
  platform.http.serve(FEED, ({ authorities }) => {
    given.push(authorities);
    return { body: "<rss/>" };
  });
  const change = { source: { caFile: "/etc/ca.pem" } };
  const missing = await outcome(platform, change);
  assert.match(missing.error?.message ?? "", /^its ca_file cannot be read: .*\/etc\/ca\.pem/);
  for (const pem of ["one", "two"]) {
    platform.files.write("/etc/ca.pem", pem, NOW);
    await outcome(platform, change);
  }
  await outcome(platform);
  assert.deepEqual(given, ["one", "two", undefined]);
});

Deno.test("validators are sent only to the URL from which they came", async () => {
  const platform = fakePlatform(NOW);
  platform.http.serve(FEED, redirecting(302, "https://b.example/"));
  platform.http.serve("https://b.example", () => ({ headers: { etag: '"1"' }, body: "<rss/>" }));
  const { response } = await outcome(platform);
  assert.deepEqual(response?.validators, { url: "https://b.example/", etag: '"1"' });
  platform.http.requests.length = 0;
  await outcome(platform, { validators: response?.validators ?? null });
  const sent = platform.http.requests.map(({ headers }) => headers["if-none-match"]);
  assert.deepEqual(sent, [undefined, '"1"']);
});
