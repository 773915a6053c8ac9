// Sessions and signing in: keys, one-time links by email, and tokens that exist only outside the store.
import assert from "node:assert/strict";
import { createSessions, hashToken, type Sessions } from "../../src/accounts/sessions.ts";

import { createSignIn, type SignIn } from "../../src/accounts/sign_in.ts";
import { makeKey } from "../../src/accounts/keys.ts";
import { issueLink } from "../../src/operate/sign_in_links.ts";
import { createIds } from "../../src/domain/event/ids.ts";
import {
  MAX_USER_AGENT,
  SESSION_IDLE_MS,
  SESSION_USE_MS,
  type Viewer,
} from "../../src/domain/customer/session.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import { createRandom } from "../../src/platform/random.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { aCustomer, BY, T0 } from "../store/contract/given.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";
import { testVault } from "../support/vault.ts";
import { withWorld, type World } from "../support/world.ts";

const CLIENT = { ipAddress: "192.0.2.7", userAgent: "Firefox" };
const OPERATOR = { kind: "operator", name: "olga" } as const;
const random = createRandom();

interface Given {
  store: Store;
  clock: FakeClock;
  sessions: Sessions;
  signIn: SignIn;
  key: string;
}

/** Runs a test with a customer `cus_1` and its key. */
async function given(work: (given: Given) => Promise<void>): Promise<void> {
  const store = openStore(":memory:", testVault);
  const clock = fakeClock(T0);
  const newId = createIds(() => clock.nowMs(), (count) => random.bytes(count));
  const sessions = createSessions({ store, clock, random, newId });
  const { key, stored } = makeKey((count) => random.bytes(count), T0);
  await store.addCustomer(aCustomer("cus_1"), stored, BY);
  try {
    await work({ store, clock, sessions, signIn: createSignIn({ store, clock, sessions, newId }), key });
  } finally {
    await store.close();
  }
}

const tokenIn = (url: string): string => new URL(url).pathname.split("/").at(-1) ?? "";

Deno.test("start() gives each session a new token, which the store does not contain", () =>
  given(async ({ sessions, store }) => {
    const tokens = new Set<string>();
    for (let count = 0; count < 3; count++) {
      const started = await sessions.start(OPERATOR, { method: "oidc", client: CLIENT });
      assert.match(started?.token ?? "", /^[\w-]{43}$/);
      tokens.add(started?.token ?? "");
    }
    assert.equal(tokens.size, 3);
    const [token = ""] = tokens;
    assert.equal((await sessions.find(token, CLIENT))?.session.viewer.kind, "operator");
    assert.equal(await store.findSession(token), null);
    for (const wrong of ["", "x", `${token}a`, token.slice(1), token.replace(/./, "*")]) {
      assert.equal(await sessions.find(wrong, CLIENT), null);
      assert.equal(hashToken(wrong), null);
    }
    await sessions.end(token);
    assert.equal(await sessions.find(token, CLIENT), null);
  }));

Deno.test("find() notes when and from where a session was last used, and cuts the user agent", () =>
  given(async ({ sessions, clock }) => {
    const client = { ...CLIENT, userAgent: "x".repeat(9_000) };
    const started = await sessions.start(OPERATOR, { method: "oidc", client });
    const token = started?.token ?? "";
    const seen = async () => {
      await sessions.flush();
      const [{ lastSeenAtMs, client } = { lastSeenAtMs: 0, client: CLIENT }] = await sessions.list(
        "operators",
      );
      return [lastSeenAtMs - T0, client.ipAddress, client.userAgent.length];
    };
    await clock.advance(SESSION_USE_MS - 1);
    await sessions.find(token, client);
    assert.deepEqual(await seen(), [0, "192.0.2.7", MAX_USER_AGENT]);
    await clock.advance(1);
    await sessions.find(token, client);
    assert.deepEqual(await seen(), [SESSION_USE_MS, "192.0.2.7", MAX_USER_AGENT]);
    await clock.advance(1);
    await sessions.find(token, { ...client, ipAddress: "2001:db8::9" });
    assert.deepEqual(await seen(), [SESSION_USE_MS + 1, "2001:db8::9", MAX_USER_AGENT]);
    await clock.advance(SESSION_IDLE_MS - 1);
    assert.notEqual(await sessions.find(token, client), null);
    await sessions.flush();
    await clock.advance(SESSION_IDLE_MS);
    assert.equal(await sessions.find(token, client), null);
  }));

Deno.test("withKey() accepts valid keys only, and says why a known key is refused", () =>
  given(async ({ sessions, signIn, store, key }) => {
    const refused = async (key: string) => {
      const outcome = await signIn.withKey(key, CLIENT);
      return "refused" in outcome ? outcome.refused : outcome.viewer;
    };
    const outcome = await signIn.withKey(key, CLIENT);
    assert.ok("token" in outcome);
    assert.equal((await sessions.find(outcome.token, CLIENT))?.customer?.id, "cus_1");
    for (
      const wrong of [
        "",
        "rgf_",
        key.slice(0, -1),
        `${key.slice(0, -1)}g`,
        ` ${key}`,
        `rgf_${"0".repeat(64)}`,
      ]
    ) {
      assert.equal(await refused(wrong), "unknown", wrong);
    }
    await store.changeCustomer("cus_1", { enabled: false }, BY);
    assert.equal(await refused(key), "disabled");
    assert.equal(await sessions.find(outcome.token, CLIENT), null, "the session of a disabled customer");
    await store.changeCustomer("cus_1", { enabled: true }, BY);
    assert.equal(await sessions.find(outcome.token, CLIENT), null, "the session came back");
    await store.disableKeys("cus_1", null, BY);
    assert.equal(await refused(key), "replaced");
  }));

Deno.test("redeem() works once, and leads to a session of the link's customer or operator", () =>
  given(async ({ sessions, signIn, store }) => {
    const issue = async (viewer: Viewer) =>
      (await issueLink(
        { store, random, config: { server: { publicUrl: "https://feed.example" } } },
        viewer,
        BY,
      )).url;
    for (const viewer of [OPERATOR, { kind: "customer", customerId: "cus_1" } as const]) {
      const url = await issue(viewer);
      assert.match(url, /^https:\/\/feed\.example\/sign-in\/link\/[\w-]{22}$/);
      assert.deepEqual(await signIn.viewerOf(tokenIn(url)), viewer);
      const started = await sessions.redeem(tokenIn(url), CLIENT);
      assert.deepEqual(started?.viewer, viewer);
      assert.notEqual(started?.token, tokenIn(url));
      assert.deepEqual((await sessions.find(started?.token ?? "", CLIENT))?.session.viewer, viewer);
      assert.equal(await sessions.redeem(tokenIn(url), CLIENT), null);
      assert.equal(await signIn.viewerOf(tokenIn(url)), null);
    }
    await assert.rejects(issue({ kind: "customer", customerId: "cus_9" }), /customer_unknown/);
    for (const wrong of ["", "x".repeat(22), "é".repeat(22)]) {
      assert.equal(await sessions.redeem(wrong, CLIENT), null);
    }
  }));

Deno.test("requestLink() does the same work for every address; the lookup comes later", () =>
  given(async ({ signIn, store }) => {
    const emails = ["cus_1@firm.example", "CUS_1@firm.example", "nobody@firm.example", "not an address", ""];
    for (const email of emails) assert.equal(signIn.requestLink(email, "/console"), undefined);
    assert.deepEqual(await store.listMails({ limit: 9 }), []);
    await signIn.queueRequested();
    await signIn.queueRequested();
    assert.deepEqual((await store.listMails({ limit: 9 })).map(({ kind }) => kind), ["sign-in"]);
  }));

/** Queues an email with a link, and returns the link after the loops have run. */
async function mailedLink(world: World): Promise<string> {
  const { store, platform: { clock, mailer } } = world;
  await store.queueLinkMails({
    email: "cus_1@firm.example",
    returnTo: "/console?topics=gpai",
    nowMs: clock.nowMs(),
    newMailId: () => `mail_${clock.nowMs()}`,
  });
  await world.app.tick();
  return /http\S+\/sign-in\/link\/\S+/.exec(mailer.taken.at(-1)?.text ?? "")?.[0] ?? "";
}

Deno.test("the email's link exists only in the email, works for 15 minutes, and is in no log", () =>
  withWorld("", async (world) => {
    const { store, platform: { clock, lines } } = world;
    const { stored } = makeKey((count) => random.bytes(count), T0);
    await store.addCustomer(aCustomer("cus_1"), stored, BY);
    const link = await mailedLink(world);
    assert.match(link, /\?return_to=%2Fconsole%3Ftopics%3Dgpai$/);
    const hash = hashToken(tokenIn(link)) ?? "";
    await clock.advance(15 * 60_000 - 1);
    assert.deepEqual(await store.findSignInLink(hash, clock.nowMs()), {
      kind: "customer",
      customerId: "cus_1",
    });
    await clock.advance(1);
    assert.equal(await store.findSignInLink(hash, clock.nowMs()), null);
    assert.ok(!JSON.stringify(lines).includes(tokenIn(link)));
  }));

Deno.test("a link that cannot be sent within 15 minutes is not sent at all", () =>
  withWorld("", async (world) => {
    const { store, platform: { clock, mailer } } = world;
    const { stored } = makeKey((count) => random.bytes(count), T0);
    await store.addCustomer(aCustomer("cus_1"), stored, BY);
    const nowMs = clock.nowMs();
    const newMailId = () => "mail_1";
    await store.queueLinkMails({ email: "cus_1@firm.example", returnTo: null, nowMs, newMailId });
    await clock.advance(15 * 60_000);
    await world.app.tick();
    assert.deepEqual(mailer.taken, []);
    const [mail] = await store.listMails({ limit: 1 });
    assert.deepEqual([mail?.status, mail?.problem], ["cancelled", "it could not be sent in time"]);
  }));
