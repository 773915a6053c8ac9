// Signing in and out, as a browser does it: keys, one-time links, sessions, and what attackers try.
import assert from "node:assert/strict";
import type { Viewer } from "../../../src/domain/customer/session.ts";
import { issueLink } from "../../../src/operate/sign_in_links.ts";
import { destinationOf } from "../../../src/web/sign_in/destination.ts";
import { FAILED_SIGN_INS } from "../../../src/web/sign_in/sign_in_limit.ts";
import { BY } from "../../store/contract/given.ts";
import { withWorld, type World } from "../../support/world.ts";
import { type Browser, createBrowser, hiddenFieldsOf } from "./browser.ts";

const HTTPS = '[server]\npublic_url = "https://feed.example"\n';
const OPERATOR: Viewer = { kind: "operator", name: "olga" };
const WRONG_KEY = `rgf_${"0".repeat(64)}`;

interface Given {
  world: World;
  browser: Browser;
  customerId: string;
  key: string;
}

/** Runs a test with a customer and a browser. */
function given(config: string, work: (given: Given) => Promise<void>): Promise<void> {
  return withWorld(config, async (world) => {
    const { customer, key } = await world.addCustomer();
    const origin = config === HTTPS ? "https://feed.example" : "http://127.0.0.1:8080";
    await work({ world, browser: createBrowser(world, origin), customerId: customer.id, key });
  });
}

async function signIn({ browser, key }: Given, path = "/sign-in"): Promise<void> {
  const page = await browser.open(path);
  const reply = await browser.submit(page, "/sign-in", { key });
  assert.equal(reply.status, 303, reply.text);
}

async function linkFor({ world: { config, store, platform } }: Given, viewer: Viewer): Promise<string> {
  const by = { ...BY, atMs: platform.clock.nowMs() };
  const { url } = await issueLink({ config, store, random: platform.random }, viewer, by);
  return new URL(url).pathname;
}

const isSignedIn = async (browser: Browser, path = "/console/sessions") =>
  (await browser.open(path)).status === 200;

Deno.test("a customer signs in with a key, and returns to the page that was asked for", () =>
  given("", async (one) => {
    const { browser, key } = one;
    const asked = await browser.open("/console/sessions?a=1&b=%26");
    const signInPath = asked.headers.get("location") ?? "";
    const page = await browser.open(signInPath);
    assert.equal(page.status, 200);
    assert.match(page.text, /<input type="password"[^>]*name="key"/);
    const reply = await browser.submit(page, "/sign-in", { key: ` ${key} ` });
    assert.equal(reply.headers.get("location"), "/console/sessions?a=1&b=%26");
    assert.equal(reply.headers.get("cache-control"), "no-store");
    const sessions = await browser.open("/console/sessions");
    assert.match(sessions.text, /Firefox, Linux/);
    assert.match(sessions.text, /ana@example\.org/);
    assert.equal((await browser.open("/sign-in?return_to=/docs")).headers.get("location"), "/docs");
  }));

Deno.test("the session's cookie is strict, and secure over https", async () => {
  const cookieOf = (config: string) => {
    let cookie = "";
    return given(config, async ({ browser, key }) => {
      const reply = await browser.submit(await browser.open("/sign-in"), "/sign-in", { key });
      cookie = reply.headers.getSetCookie().join();
    }).then(() => cookie);
  };
  assert.match(
    await cookieOf(HTTPS),
    /^__Host-regfeed=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
  );
  assert.match(await cookieOf(""), /^regfeed=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
});

Deno.test("a refused key says why, and is neither repeated nor logged", () =>
  given("", async ({ world, browser, customerId, key }) => {
    const page = await browser.open("/sign-in");
    const refused = async (sent: string, expected: RegExp) => {
      const reply = await browser.submit(page, "/sign-in", { key: sent });
      assert.deepEqual([reply.status, reply.headers.getSetCookie()], [400, []]);
      assert.match(reply.text, expected);
      assert.match(reply.text, /aria-invalid="true"/);
      assert.ok(sent.length < 9 || !reply.text.includes(sent.slice(4, 20)));
    };
    await refused(WRONG_KEY, /No customer has this API key/);
    await refused('"><script>alert(1)</script>', /No customer has this API key/);
    await refused("", /No customer has this API key/);
    const by = { ...BY, atMs: world.platform.clock.nowMs() };
    await world.store.changeCustomer(customerId, { enabled: false }, by);
    await refused(key, /operator has disabled your access/);
    await world.store.changeCustomer(customerId, { enabled: true }, by);
    await world.store.disableKeys(customerId, null, by);
    await refused(key, /replaced or disabled/);
    const log = JSON.stringify(world.platform.lines);
    assert.ok(log.includes("sign-in refused") && !log.includes(key.slice(0, 20)));
  }));

Deno.test(`after ${FAILED_SIGN_INS} failed sign-ins in a minute, an IP address is refused, and others are not`, () =>
  given("", async ({ world, browser, key }) => {
    const page = await browser.open("/sign-in");
    const send = async (sent: string, from: string) =>
      (await browser.submit(page, "/sign-in", { key: sent }, { from })).status;
    for (let count = 0; count < FAILED_SIGN_INS; count++) {
      assert.equal(await send(WRONG_KEY, `2001:db8::${count}`), 400);
    }
    assert.equal(await send(key, "2001:db8::ffff"), 429, "the same /64 network");
    const email = await browser.submit(page, "/sign-in/email", { email: "a@b.example" }, {
      from: "2001:db8::1",
    });
    assert.equal(email.status, 429);
    assert.match(email.text, /Wait a minute/);
    assert.equal(await send(key, "2001:db8:0:1::1"), 303, "another network");
    await world.platform.clock.advance(60_000);
    assert.equal(await send(key, "2001:db8::1"), 303);
  }));

Deno.test("a sign-in starts a new session, ends the former one, and accepts no token from outside", () =>
  given("", async (one) => {
    const { browser, world } = one;
    const planted = "A".repeat(43);
    browser.cookies.set("regfeed", planted);
    await signIn(one);
    const first = browser.cookies.get("regfeed") ?? "";
    assert.notEqual(first, planted);
    await browser.open(await linkFor(one, { kind: "customer", customerId: one.customerId }));
    const link = await linkFor(one, { kind: "customer", customerId: one.customerId });
    await browser.submit(await browser.open(link), link);
    const second = browser.cookies.get("regfeed") ?? "";
    assert.notEqual(second, first);
    const thief = createBrowser(world);
    for (const old of [planted, first]) {
      thief.cookies.set("regfeed", old);
      assert.equal(await isSignedIn(thief), false);
    }
    assert.equal(await isSignedIn(browser), true);
  }));

Deno.test("destinationOf() leads only to paths of this service that the viewer may see", () => {
  const rows: [returnTo: string | null, customer: string, operator: string][] = [
    [null, "/console", "/operator"],
    ["", "/console", "/operator"],
    ["/docs?q=a#b", "/docs?q=a#b", "/docs?q=a#b"],
    ["/console/keys", "/console/keys", "/operator"],
    ["/operator?x", "/console", "/operator?x"],
    ["/consoles", "/consoles", "/consoles"],
    ["/sign-in", "/console", "/operator"],
    ["/sign-in?return_to=/sign-in", "/console", "/operator"],
    ["/sign-in/link/abc", "/console", "/operator"],
    ["/sign-out", "/console", "/operator"],
    ...[
      "//evil.example",
      "///evil.example",
      "/\\evil.example",
      "\\\\evil.example",
      "https:evil.example",
      "https://evil.example",
      "javascript:alert(1)",
      "evil.example",
      "/\t/evil.example",
      "/\n/evil.example",
      " //evil.example",
      "/./\\evil.example",
      "/.//evil.example",
      "/%0d%0aset-cookie:x=1\r\n",
    ].map((evil): [string, string, string] => [evil, "/console", "/operator"]),
  ];
  for (const [returnTo, customer, operator] of rows) {
    assert.equal(destinationOf({ kind: "customer" }, returnTo), customer, String(returnTo));
    assert.equal(destinationOf({ kind: "operator" }, returnTo), operator, String(returnTo));
  }
});

Deno.test("a sign-in never leads to another site, however the path is written", () =>
  given("", async (one) => {
    const { browser } = one;
    const evils = [
      "//evil.example",
      "/\\evil.example",
      "https:evil.example",
      "%2F%2Fevil.example",
      "/%09/evil.example",
    ];
    for (const evil of [...evils, ...evils.map(encodeURIComponent)]) {
      browser.cookies.clear();
      const page = await browser.open(`/sign-in?return_to=${evil}`);
      const form = { ...hiddenFieldsOf(page, "/sign-in"), key: one.key, return_to: decodeURIComponent(evil) };
      for (
        const reply of [
          await browser.submit(page, "/sign-in", { key: one.key }),
          await browser.open("/sign-in", { form }),
        ]
      ) {
        const location = new URL(reply.headers.get("location") ?? "", "http://127.0.0.1:8080");
        assert.equal(location.host, "127.0.0.1:8080", evil);
      }
    }
  }));

Deno.test("a form whose session ended leads to the sign-in, and its input is kept but not processed", () =>
  given("", async (one) => {
    const { browser, world } = one;
    await signIn(one);
    const sessions = await browser.open("/console/sessions");
    await world.platform.clock.advance(12 * 3_600_000);
    const form = { ...hiddenFieldsOf(sessions, "/console/sessions/end"), id: `"><b>kept</b>` };
    const again = await browser.open("/console/sessions/end", { form });
    assert.equal(again.status, 401);
    assert.match(again.text, /Your session has ended/);
    assert.ok(!again.text.includes("<b>kept"));
    const wrong = await browser.submit(again, "/sign-in", { key: WRONG_KEY });
    const resumed = await browser.submit(wrong, "/sign-in", { key: one.key });
    assert.equal(resumed.status, 200);
    assert.equal(hiddenFieldsOf(resumed, "/console/sessions/end")["id"], `"><b>kept</b>`);
    assert.equal(resumed.headers.get("cache-control"), "private, no-store");
    assert.equal(await isSignedIn(browser), true);
    const foreign = await browser.open("/console/sessions/end", {
      form,
      headers: { "sec-fetch-site": "cross-site", cookie: "" },
    });
    assert.ok(!foreign.text.includes("kept"), "another site's input is not kept");
  }));

Deno.test("other sites cannot sign anyone in or out, or end sessions", () =>
  given("", async (one) => {
    const { browser, world, key } = one;
    await signIn(one);
    const page = await browser.open("/console/sessions");
    const own = hiddenFieldsOf(page, "/console/sessions/end");
    const other = createBrowser(world);
    await signIn({ ...one, browser: other });
    const foreignToken =
      hiddenFieldsOf(await other.open("/console/sessions"), "/console/sessions/end")["form_token"] ?? "";
    const attacks: [
      what: string,
      path: string,
      form: Record<string, string>,
      headers: Record<string, string>,
    ][] = [
      ["cross-site sign-in", "/sign-in", { key }, { "sec-fetch-site": "cross-site" }],
      ["same-site sign-in", "/sign-in", { key }, { "sec-fetch-site": "same-site" }],
      ["sign-in of another origin", "/sign-in", { key }, {
        "sec-fetch-site": "",
        origin: "https://evil.example",
      }],
      ["opaque origin", "/sign-in", { key }, { "sec-fetch-site": "", origin: "null" }],
      ["cross-site email", "/sign-in/email", { email: "ana@example.org" }, {
        "sec-fetch-site": "cross-site",
      }],
      ["sign-out without a token", "/sign-out", {}, { "sec-fetch-site": "" }],
      ["end without a token", "/console/sessions/end", { id: own["id"] ?? "" }, {
        "sec-fetch-site": "",
      }],
      ["another session's token", "/console/sessions/end", { ...own, form_token: foreignToken }, {
        "sec-fetch-site": "",
      }],
      ["cross-site with the token", "/console/sessions/end", own, { "sec-fetch-site": "cross-site" }],
    ];
    for (const [what, path, form, headers] of attacks) {
      const reply = await browser.open(path, { form, headers });
      assert.deepEqual([reply.status, reply.headers.getSetCookie()], [403, []], what);
    }
    assert.equal(await isSignedIn(browser), true);
    await world.app.tick();
    assert.deepEqual(await world.store.listMails({ limit: 1 }), []);
  }));

Deno.test("every sign-in page forbids framing, and nothing typed becomes markup", () =>
  given("", async (one) => {
    const { browser } = one;
    const evil = `"><script>alert(1)</script>'<img src=x onerror=alert(1)>`;
    const link = await linkFor(one, { kind: "customer", customerId: one.customerId });
    const page = await browser.open(
      `/sign-in?return_to=${encodeURIComponent(`/docs?${evil}`)}&key=${encodeURIComponent(evil)}`,
    );
    const replies = [
      page,
      await browser.submit(page, "/sign-in", {
        key: evil,
        return_to: `/docs?${evil}`,
        kept_action: evil,
        [`kept.${evil}`]: evil,
      }),
      await browser.submit(page, "/sign-in/email", { email: evil }),
      await browser.submit(page, "/sign-in/email", { email: "o'hara&co@b.example" }),
      await browser.open(link),
      await browser.open(`/sign-in/link/${encodeURIComponent(evil)}`),
      await browser.open(`${link}?return_to=${encodeURIComponent(`/x?${evil}`)}`),
    ];
    await signIn(one);
    replies.push(await browser.open("/console/sessions", { headers: { "user-agent": evil } }));
    const hostile = createBrowser(one.world);
    await hostile.submit(page, "/sign-in", { key: one.key }, { headers: { "user-agent": evil } });
    replies.push(await browser.open("/console/sessions"));
    for (const { text, headers } of replies) {
      assert.ok(!/<script>|<img|<b>/.test(text), text);
      assert.match(headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
      assert.match(headers.get("content-security-policy") ?? "", /form-action 'self'/);
    }
    assert.match(replies.at(-1)?.text ?? "", /&quot;&gt;&lt;script&gt;/, "the device is shown as text");
  }));

Deno.test("a one-time link is redeemed by its button only, once, and by one person", () =>
  given("", async (one) => {
    const { browser, world } = one;
    const link = await linkFor(one, OPERATOR);
    for (let scan = 0; scan < 3; scan++) {
      const page = await browser.open(link, { headers: { "sec-fetch-site": "none" } });
      assert.equal(page.status, 200);
      assert.match(page.text, /as the operator olga/);
      assert.deepEqual(page.headers.getSetCookie(), []);
      assert.equal((await browser.open(link, { headers: { accept: "*/*" } })).status, 200);
    }
    const page = await browser.open(`${link}?return_to=/operator/sessions`);
    const both = await Promise.all([
      browser.submit(page, link),
      createBrowser(world).submit(page, link),
    ]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [303, 404]);
    assert.equal(both.find(({ status }) => status === 303)?.headers.get("location"), "/operator/sessions");
    const used = await browser.open(link);
    assert.equal(used.status, 404);
    assert.match(used.text, /no longer valid/);
    assert.ok(!JSON.stringify(world.platform.lines).includes(link.slice(-22)), "no log contains the token");
    const late = await linkFor(one, OPERATOR);
    await world.platform.clock.advance(15 * 60_000);
    assert.equal((await browser.open(late)).status, 404);
  }));

Deno.test("the answer to an email address is the same whether it is known or not, and the link arrives by email", () =>
  given("", async ({ world, browser }) => {
    const page = await browser.open("/sign-in?return_to=/console/sessions");
    const ask = async (email: string) => {
      const { status, text, headers } = await browser.submit(page, "/sign-in/email", { email });
      return { status, text: text.replaceAll(email, "EMAIL"), headers: [...headers.keys()] };
    };
    assert.deepEqual(await ask("ana@example.org"), await ask("nobody@example.org"));
    assert.deepEqual(await world.store.listMails({ limit: 1 }), [], "the lookup is not part of the request");
    await world.app.tick();
    const { mailer } = world.platform;
    assert.deepEqual(mailer.taken.map(({ to }) => to), ["ana@example.org"]);
    const url = new URL(/http\S+\/sign-in\/link\/\S+/.exec(mailer.taken[0]?.text ?? "")?.[0] ?? "");
    const reader = createBrowser(world);
    const opened = await reader.open(`${url.pathname}${url.search}`);
    const reply = await reader.submit(opened, url.pathname);
    assert.equal(reply.headers.get("location"), "/console/sessions");
    assert.equal(await isSignedIn(reader), true);
    assert.equal((await browser.submit(page, "/sign-in/email", { email: "no address" })).status, 400);
  }));

Deno.test("sessions are listed and ended one by one or all others, and signing out ends one", () =>
  given("", async (one) => {
    const { world } = one;
    const browsers = [one.browser, createBrowser(world), createBrowser(world), createBrowser(world)];
    for (const browser of browsers) await signIn({ ...one, browser });
    const signedIn = async () => await Promise.all(browsers.map((browser) => isSignedIn(browser)));
    const page = await one.browser.open("/console/sessions");
    assert.equal(page.text.match(/this one/g)?.length, 1);
    const ids = [...page.text.matchAll(/name="id" value="(ses_\w+)"/g)].map(([, id = ""]) => id);
    assert.equal(ids.length, 4);
    const [, second] = browsers;
    const secondId = await (async () => {
      const text = (await second?.open("/console/sessions"))?.text ?? "";
      return /this one.*?name="id" value="(ses_\w+)"/s.exec(text)?.[1] ?? "";
    })();
    assert.equal((await one.browser.submit(page, "/console/sessions/end", { id: secondId })).status, 303);
    assert.deepEqual(await signedIn(), [true, false, true, true]);
    const next = await one.browser.open("/console/sessions");
    await one.browser.submit(next, "/console/sessions/end-others");
    assert.deepEqual(await signedIn(), [true, false, false, false]);
    const out = await one.browser.submit(await one.browser.open("/console/sessions"), "/sign-out");
    assert.equal(out.headers.get("location"), "/");
    assert.match(out.headers.getSetCookie().join(), /regfeed=; .*Max-Age=0/);
    assert.deepEqual(await signedIn(), [false, false, false, false]);
  }));

Deno.test("a customer cannot end another's session, and an operator's 'others' are its own", () =>
  given("", async (one) => {
    const { world, browser } = one;
    const operators = ["olga", "olga", "otto"];
    const [olga, again, otto] = await Promise.all(operators.map(async (name) => {
      const operator = createBrowser(world);
      const link = await linkFor(one, { kind: "operator", name });
      await operator.submit(await operator.open(link), link);
      return operator;
    }));
    assert.ok(olga && again && otto);
    const page = await olga.open("/operator/sessions");
    assert.match(page.text, /otto/);
    const ids = [...page.text.matchAll(/name="id" value="(ses_\w+)"/g)].map(([, id = ""]) => id);
    assert.equal(ids.length, 3);
    await signIn(one);
    for (const id of ids) {
      const own = await browser.open("/console/sessions");
      await browser.submit(own, "/console/sessions/end", { id });
    }
    assert.equal(await isSignedIn(browser), true);
    await olga.submit(page, "/operator/sessions/end-others");
    assert.deepEqual(
      await Promise.all([olga, again, otto].map((operator) => isSignedIn(operator, "/operator/sessions"))),
      [true, false, true],
    );
    const entries = await world.store.listAudit({ limit: 9, acts: ["session.end"] });
    assert.deepEqual(entries.map(({ actor, address }) => [actor, address]), [["console:olga", "192.0.2.7"]]);
    assert.equal((await browser.open("/operator/sessions")).status, 404);
    assert.equal((await olga.open("/console/sessions")).status, 404);
  }));
