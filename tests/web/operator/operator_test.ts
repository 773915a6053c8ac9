// The operator's pages: who may see them, hostile content, forms that are sent twice, refusals and filters.
import assert from "node:assert/strict";
import type { RecordDecision } from "../../../src/domain/ports/store/publications.ts";
import type { ServerActs } from "../../../src/operate/operator_acts.ts";
import { issueLink } from "../../../src/operate/sign_in_links.ts";
import type { Viewer } from "../../../src/domain/customer/session.ts";
import { aPayment, aReview } from "../../store/contract/customers/given_payments.ts";
import { aFailure, aFetchEnd, anEvent, BY, PROVENANCE } from "../../store/contract/given.ts";
import { boardConfig } from "../../support/samples.ts";
import { withWorld, type World } from "../../support/world.ts";
import { type Browser, createBrowser } from "../sign_in/browser.ts";

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;

const CONFIG = boardConfig({
  rest: '[payment]\nwebhook_secret = "whsec_0123456789abcdefghijklmnop"\nprices = { "price_1" = "team" }\n',
}).replace('name_en = "Board"', `name_en = '${HOSTILE}'`);

/** What the server process would do, with a hostile finding and backup. */
const SERVER: ServerActs = {
  findings: () =>
    Promise.resolve([{ area: "hosts", level: "warning", seen: HOSTILE, todo: `run \`${HOSTILE}\`` }]),
  backups: () =>
    Promise.resolve([{ name: `${HOSTILE}.tar.gz`, createdAtMs: 0, bytes: 12_000_000, isScheduled: true }]),
  createBackup: () => Promise.reject(new Error(`${HOSTILE}: no space`)),
  verifyBackup: () => Promise.reject(new Error(HOSTILE)),
  outbox: {
    exists: () => Promise.resolve(false),
    list: () => Promise.resolve({ files: [], unreadable: [] }),
    removeFile: () => Promise.resolve(),
  },
};

interface Given {
  world: World;
  browser: Browser;
  customerId: string;
  /** A failed email and a payment event. */
  mailId: string;
  paths: string[];
}

async function signIn({ config, store, platform }: World, browser: Browser, viewer: Viewer): Promise<void> {
  const by = { ...BY, atMs: platform.clock.nowMs() };
  const { url } = await issueLink({ config, store, random: platform.random }, viewer, by);
  const { pathname } = new URL(url);
  await browser.submit(await browser.open(pathname), pathname);
}

/** Stores held events, a failed email, a payment and a subscription, all with hostile texts. */
async function fill({ store, app, newId, platform }: World, customerId: string): Promise<string> {
  await app.prepare();
  const nowMs = platform.clock.nowMs();
  await store.finishFetch(aFetchEnd("board", nowMs));
  const event = anEvent(newId("event"), {
    title_en: HOSTILE,
    url_official: "javascript:alert(1)",
    topics: [HOSTILE],
    ai_act_articles: [HOSTILE],
  });
  const decide = (): RecordDecision => ({
    ...{ kind: "record", event, provenance: PROVENANCE, notify: "after_fetch" },
  });
  await store.recordPublications("board", [{ key: "one", contentHash: "one" }], decide);
  await store.finishFetch(
    aFailure("board", nowMs + 1, { error: HOSTILE }),
    () => ({ isNew: true, isRevised: false }),
  );
  await store.recordPayment(
    aPayment("evt_<b>/1", {
      fact: null,
      type: HOSTILE,
      note: HOSTILE,
      payer: HOSTILE,
      subscription: HOSTILE,
    }),
    aReview(),
  );
  const mailId = newId("mail");
  await store.changeCustomer(customerId, { tier: "gpai" }, { ...BY, atMs: nowMs, newMailId: () => mailId });
  await store.claimMails({ nowMs, leaseMs: 1_000, limit: 9 });
  await store.finishMail(mailId, 1, { kind: "failed", problem: HOSTILE }, nowMs);
  return mailId;
}

function given(work: (given: Given) => Promise<void>): Promise<void> {
  return withWorld(CONFIG, async (world) => {
    const { customer } = await world.addCustomer({ email: "ana@b.example" });
    const mailId = await fill(world, customer.id);
    const browser = createBrowser(world);
    const paths = [
      ...["", "/sources", "/sources/board", "/deliveries", "/mails", `/mails/${mailId}`, "/customers"],
      ...["/customers/new", `/customers/${customer.id}`, "/payments", "/payments/evt_%3Cb%3E%2F1", "/audit"],
      ...["/health", "/backups"],
    ].map((path) => `/operator${path}`);
    await work({ world, browser, customerId: customer.id, mailId, paths });
  }, { serverActs: SERVER });
}

const OLGA: Viewer = { kind: "operator", name: "olga" };

Deno.test("only operators see the operator's pages: customers get 404, and others the sign-in", () =>
  given(async ({ world, browser, customerId, paths }) => {
    for (const path of paths) {
      const reply = await browser.open(path);
      assert.equal(reply.status, 303, path);
      assert.equal(reply.headers.get("location"), `/sign-in?return_to=${encodeURIComponent(path)}`);
    }
    await signIn(world, browser, { kind: "customer", customerId });
    for (const path of paths) assert.equal((await browser.open(path)).status, 404, path);
    const form = { email: "x@b.example", tier: "team" };
    for (const path of ["/operator/customers/new", `/operator/customers/${customerId}/disable`]) {
      assert.equal((await browser.open(path, { form })).status, 404, path);
    }
    assert.equal((await world.store.findCustomer(customerId))?.enabled, true);
  }));

Deno.test("hostile names, titles, problems and findings are shown as text, in every language", () =>
  given(async ({ world, browser, paths }) => {
    await signIn(world, browser, OLGA);
    for (const language of ["en", "de", "fr"]) {
      for (const path of paths) {
        const { status, text } = await browser.open(path, { headers: { "accept-language": language } });
        assert.equal(status, 200, `${path}: ${text}`);
        assert.ok(text.includes(`<html lang="${language}">`));
        assert.doesNotMatch(text, /<script>|<img|href="javascript:|undefined|\[object|NaN/, path);
      }
    }
    const held = (await browser.open("/operator/sources/board")).text;
    assert.match(held, /&lt;script&gt;alert\(1\)/);
    for (const path of ["/operator/sources/none", "/operator/mails/none", "/operator/deliveries/none"]) {
      assert.equal((await browser.open(path)).status, 404, path);
    }
  }));

Deno.test("a form that is sent twice acts once, and its key is shown only the first time", () =>
  given(async ({ world, browser }) => {
    await signIn(world, browser, OLGA);
    const path = "/operator/customers/new";
    const page = await browser.open(path);
    const send = () => browser.submit(page, path, { email: "new@b.example", tier: "team" });
    const [first, second] = [await send(), await send()];
    assert.match(first.text, /rgf_[0-9a-f]{64}/);
    assert.equal(second.status, 409);
    assert.doesNotMatch(second.text, /rgf_/);
    assert.equal((await world.store.listCustomers()).length, 2);
  }));

Deno.test("a refused act says why, keeps what was typed, and changes nothing", () =>
  given(async ({ world, browser, customerId, mailId }) => {
    await signIn(world, browser, OLGA);
    const add = async (fields: Record<string, string>) =>
      await browser.submit(await browser.open("/operator/customers/new"), "/operator/customers/new", fields);
    const known = await add({ email: "ANA@b.example", tier: "gpai" });
    assert.equal(known.status, 409);
    assert.match(known.text, new RegExp(`already belongs to ${customerId}`));
    assert.match(known.text, /value="ANA@b\.example"/);
    assert.match(known.text, /<option value="gpai" selected>/);
    const invalid = await add({ email: "nobody", tier: "team", active_subscriptions: "3" });
    assert.equal(invalid.status, 400);
    assert.match(invalid.text, /must be an email address/);
    assert.match(invalid.text, /only for the tier embedded/);
    assert.equal((await world.store.listCustomers()).length, 1);
    const act = async (path: string, action: string, fields = {}) => {
      const reply = await browser.submit(await browser.open(path), action, fields);
      return (await browser.open(reply.headers.get("location") ?? "")).text;
    };
    const board = "/operator/sources/board";
    assert.match(
      await act(board, `${board}/release`, { end: "deliver", seen: "7" }),
      /Review them again/,
    );
    assert.equal((await world.store.listHeldEvents("board")).length, 1);
    const tested = (await browser.submit(await browser.open(board), `${board}/test`)).text;
    assert.match(tested, /class="notice bad"/, "the test says why it failed");
    assert.doesNotMatch(tested, /contains no items/, "and does not claim a result");
    const mail = `/operator/mails/${mailId}`;
    const page = await browser.open(mail);
    assert.match(await act(mail, `${mail}/cancel`), /is cancelled/);
    assert.match(await act(mail, `${mail}/retry`), /is sent now/);
    await browser.submit(page, `${mail}/cancel`, { form_id: "A".repeat(22) });
    const payment = "/operator/payments/evt_%3Cb%3E%2F1";
    assert.match(await act(payment, `${payment}/replay`), /has no effect/);
    assert.match(await act("/operator/backups", "/operator/backups/create"), /no space/);
    const acts = await world.store.listAudit({ limit: 9, actor: "console:olga" });
    assert.deepEqual(acts.map(({ act, address }) => [act, address]), [
      ["payment.replay", "192.0.2.7"],
      ["mail.cancel", "192.0.2.7"],
      ["mail.retry", "192.0.2.7"],
      ["mail.cancel", "192.0.2.7"],
      ["console.sign-in", "192.0.2.7"],
    ]);
  }));

Deno.test("filters are in the URL; an invalid one marks its field and is ignored", () =>
  given(async ({ world, browser, customerId }) => {
    await signIn(world, browser, OLGA);
    const rows: [path: string, shown: RegExp, hidden?: RegExp][] = [
      ["/audit?act=customer.add", /customer\.add/, /<code>customer\.change/],
      ["/audit?origin=cli", /cli:test/, /console:olga/],
      ["/audit?actor=console:ol", /console:olga/, /cli:test/],
      [`/audit?customer=${customerId}&to=2020-01-01`, /No entry matches/],
      ["/audit?from=2026-13-01", /aria-invalid="true"/],
      ["/audit?act=nothing&customer=x", /customer\.add.*aria-invalid|aria-invalid.*customer\.add/s],
      ["/deliveries?status=odd", /aria-invalid="true"/],
      [`/deliveries?before=dlv_${"0".repeat(26)}`, /<h1>/],
      ["/mails?status=failed", /Tier changed/],
      ["/mails?status=sent", /No emails/],
      ["/customers?q=ANA", /ana@b\.example/],
      ["/customers?q=nobody", /No customer matches/],
      [`/payments?customer=${customerId}`, /No payment events/],
    ];
    for (const [path, shown, hidden] of rows) {
      const { status, text } = await browser.open(`/operator${path}`);
      assert.equal(status, 200, path);
      const list = text.slice(text.indexOf("<main"));
      assert.match(list, shown, path);
      if (hidden !== undefined) assert.doesNotMatch(list.slice(list.indexOf("<tbody")), hidden, path);
    }
  }));
