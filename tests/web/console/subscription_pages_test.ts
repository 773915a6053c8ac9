// The pages of subscriptions over HTTP, from creating one to deleting it.
import assert from "node:assert/strict";
import { type Shown, type Visitor, withVisitor } from "./given.ts";

const URL = "https://hooks.example.org/in";
const LIST = "/console/subscriptions";
const HOSTILE = `<img src=x onerror=alert(1)>"'&`;

/** Sends the form for a new subscription. */
async function create(
  { open, send }: Visitor,
  fields: Record<string, string> = {},
): Promise<{ reply: Shown; id: string }> {
  const form = await open(`${LIST}/new`);
  const reply = await send(form, `${LIST}/new`, { act: "save", webhook_url: URL, ...fields });
  const id = /href="\/console\/subscriptions\/(sub_\w+)"/.exec(reply.html)?.[1] ?? "";
  return { reply, id };
}

const titled = (title: string) => ({
  title_en: title,
  external_id: title,
  translations: { en: { title, summary: "" } },
});

Deno.test("a subscription is created, tested, replayed, rotated, paused and deleted", async () => {
  await withVisitor(async (visitor) => {
    const { open, send, store, world } = visitor;
    assert.match((await open(LIST)).text, /No subscriptions yet/);
    const { reply, id } = await create(visitor, { name: "Team", severity_min: "low" });
    const [, secret = ""] = /<code>([0-9a-f]{64})<\/code>/.exec(reply.html) ?? [];
    assert.equal(reply.status, 201);
    assert.equal(secret.length, 64);
    assert.match(reply.text, /shown only once/);
    assert.match(reply.headers.get("cache-control") ?? "", /no-store/);

    const url = `${LIST}/${id}`;
    const page = await open(url);
    assert.ok(!page.html.includes(secret), "the secret is shown once");
    assert.match(page.text, /Team .*Active.* Severity: Low or higher/);
    assert.match((await open(LIST)).text, /Team hooks\.example\.org|Team https:\/\/hooks\.example\.org\/in/);

    const tested = await send(page, `${url}/test`, { type: "event.revised" });
    assert.match(tested.text, /The test arrived: the endpoint responded with 204/);
    const opened = await open(`${url}/test`);
    assert.deepEqual(
      [opened.status, opened.headers.get("location")],
      [303, url],
      "the language switch opens it",
    );
    const last = JSON.parse(world.platform.http.requests.at(-1)?.body ?? "{}");
    assert.deepEqual([last.type, last.source], ["event.revised", "test"]);

    await store({ ...titled("Code"), severity: "high" });
    await world.app.tick();
    const shown = await open(url);
    assert.match(shown.text, /Code Delivered/);
    const [, delivery = ""] = /href="([^"]*\/deliveries\/dlv_\w+)"/.exec(shown.html) ?? [];
    const one = await open(delivery);
    assert.match(one.text, /Attempt 1: HTTP 204/);
    assert.match(one.text, /webhook-id dlv_/);
    assert.match(one.text, /"type":"event\.published"/);
    const sentBody = world.platform.http.requests.at(-1)?.body;
    assert.equal((await open(`${delivery}/body.json`)).html, sentBody);

    const count = () => world.platform.http.requests.length;
    const before = count();
    const replayed = await send(one, `${delivery}/replay`);
    assert.deepEqual([replayed.status, replayed.headers.get("location")], [303, delivery]);
    await world.app.tick();
    assert.equal(count(), before + 1);
    assert.match((await open(delivery)).text, /Attempt 2: HTTP 204/);
    const all = await send(await open(url), `${url}/replay`, { since: "2020-01-01" });
    assert.match(all.text, /Deliveries sent again: 1. New deliveries: 0./);
    await world.app.tick();
    assert.equal(count(), before + 2);

    const rotated = await send(await open(url), `${url}/rotate`);
    const [, second = ""] = /<code>([0-9a-f]{64})<\/code>/.exec(rotated.html) ?? [];
    assert.notEqual(second, secret);
    assert.match(rotated.text, /The old secret signs until 2 Aug 2026, 10:0\d UTC/);
    assert.match((await open(url)).text, /The old secret signs until 2 Aug 2026/);

    const paused = await send(await open(url), `${url}/state`, { enabled: "false" });
    assert.equal(paused.headers.get("location"), url);
    assert.match((await open(url)).text, /Paused .*You paused this subscription/);
    await send(await open(url), `${url}/state`);
    assert.match((await open(url)).text, /Active New events|New events are sent/);

    const deleted = await send(await open(url), `${url}/delete`);
    assert.equal(deleted.headers.get("location"), LIST);
    assert.equal((await open(url)).status, 404);
    assert.equal((await open(delivery)).status, 200, "its deliveries can still be read");
  });
});

Deno.test("a form sent twice acts once, and leads to the subscription instead of the secret", async () => {
  await withVisitor(async (visitor) => {
    const { open, send, world, customer } = visitor;
    const form = await open(`${LIST}/new`);
    const fields = { act: "save", webhook_url: URL };
    const first = await send(form, `${LIST}/new`, fields);
    const again = await send(form, `${LIST}/new`, fields);
    assert.equal(first.status, 201);
    const [subscription] = await world.store.listSubscriptions(customer.id);
    assert.deepEqual([again.status, again.headers.get("location")], [303, `${LIST}/${subscription?.id}`]);
    assert.equal((await world.store.listSubscriptions(customer.id)).length, 1);
  });
});

Deno.test("errors of the API are at their fields, and what was typed is kept", async () => {
  await withVisitor(async (visitor) => {
    const rows: [fields: Record<string, string>, field: string, message: RegExp][] = [
      [{ webhook_url: "http://hooks.example.org/in" }, "webhook_url", /must begin with https/],
      [{ webhook_url: "" }, "webhook_url", /must not be empty/],
      [{ article: "Art. 999" }, "article", /is not in the AI Act/],
      [{ topics: "nope" }, "topics", /is not a topic/],
      [{ q: '"open' }, "q", /"/],
      [{ "exclude.article": "Art. 999" }, "exclude.article", /is not in the AI Act/],
      [{ headers: "Host: x" }, "headers", /Host is set by HTTP/],
      [{ headers: "no colon" }, "headers", /line 1 must have the form/],
      [{ language: "xx" }, "language", /must be one of/],
      [{ backfill_since: "2999-01-01" }, "backfill_since", /past/],
      [{ name: "x".repeat(101) }, "name", /at most 100/],
    ];
    for (const [fields, field, message] of rows) {
      const { reply } = await create(visitor, { note: "my note", ...fields });
      assert.equal(reply.status, 400, field);
      const [, shown = ""] = new RegExp(`id="${field}-error"[^>]*>([^<]*)<`).exec(reply.html) ?? [];
      assert.match(shown.replaceAll("&quot;", '"'), message, field);
      assert.match(reply.html, />\nmy note<\/textarea>/, `${field}: the note is kept`);
    }
    assert.match((await create(visitor, { source_filter: "nope" })).reply.html, /value="nope" checked/);
  });
});

Deno.test("the check shows whether the URL can be used and what the filters let through, as page and JSON", async () => {
  await withVisitor(async (visitor) => {
    const { open, send, store, world, customer } = visitor;
    await store(
      ...Array.from({ length: 7 }, (_, at) => ({ ...titled(`Event ${at}`), topics: ["gpai"] })),
      { ...titled(HOSTILE), topics: ["gpai"] },
      titled("Elsewhere"),
    );
    const form = await open(`${LIST}/new`);
    const check = (fields: Record<string, string>) =>
      open(`${LIST}/new`).then((page) =>
        send(page, `${LIST}/new`, { act: "check", webhook_url: URL, ...fields })
      );
    const good = await check({ topics: "gpai", name: "Kept" });
    assert.equal(good.status, 200);
    assert.match(good.text, /This URL can receive webhooks.*About 2 events a week pass these filters/);
    assert.equal(good.html.match(/<li><a href="\/console\/events\/evt_/g)?.length, 5);
    assert.doesNotMatch(good.html, /<img/);
    assert.match(good.html, /value="Kept"/);
    const rows: [Record<string, string>, RegExp][] = [
      [{ q: "Elsewhere" }, /About 1 event in four weeks passes/],
      [{ q: "nothing" }, /No event passed these filters/],
      [{ "exclude.topics": "gpai" }, /About 1 event in four weeks/],
      [{ webhook_url: "https://127.0.0.1/" }, /must be the complete URL of a public host/],
      [{ webhook_url: "" }, /Enter a URL to check it/],
      [{ article: "Art. 999" }, /The filters are not valid.*|Art\. 999/],
      [{ "exclude.q": '"open' }, /The filters are not valid/],
    ];
    for (const [fields, text] of rows) assert.match((await check(fields)).text, text, JSON.stringify(fields));
    assert.deepEqual(await world.store.listSubscriptions(customer.id), [], "nothing was created");

    const hidden = Object.fromEntries(
      [...form.html.matchAll(/name="(form_\w+)" value="([^"]*)"/g)].map((
        [, name = "", value = ""],
      ) => [name, value]),
    );
    const response = await world.app.fetch(
      new Request(`http://127.0.0.1:8080${LIST}/new`, {
        method: "POST",
        headers: { accept: "application/json", cookie: visitor.cookie, origin: "http://127.0.0.1:8080" },
        body: new URLSearchParams({ ...hidden, act: "check", webhook_url: URL, topics: "gpai" }),
      }),
    );
    const json = await response.json();
    assert.deepEqual([json.url.isGood, json.preview.events.length], [true, 5]);
    assert.match(json.preview.text, /About 2 events a week/);
  });
});

Deno.test("editing changes the filters, keeps the headers, and never shows their values", async () => {
  await withVisitor(async (visitor) => {
    const { open, send, world } = visitor;
    const { id } = await create(visitor, {
      name: "Team",
      topics: "gpai",
      "exclude.q": "draft",
      headers: "Authorization: Bearer geheim-1234567",
    });
    const url = `${LIST}/${id}`;
    const form = await open(`${url}/edit`);
    assert.match(form.html, /value="gpai" checked/);
    assert.match(form.html, /value="draft"/);
    assert.match(form.text, /Now: authorization/);
    const kept = { webhook_url: URL, name: "Other", severity_min: "high", act: "save" };
    const saved = await send(form, `${url}/edit`, kept);
    assert.equal(saved.headers.get("location"), url);
    const page = await open(url);
    assert.match(page.text, /Other .*Severity: High or higher.*authorization \(values hidden\)/);
    await send(page, `${url}/test`);
    assert.equal(world.platform.http.requests.at(-1)?.headers["authorization"], "Bearer geheim-1234567");
    const moved = await send(await open(`${url}/edit`), `${url}/edit`, { ...kept, webhook_url: `${URL}/2` });
    assert.equal(moved.status, 400);
    assert.match(moved.html, /id="headers-error"[^>]*>must be sent again/);
    await send(await open(`${url}/edit`), `${url}/edit`, { ...kept, remove_headers: "true" });
    assert.doesNotMatch((await open(url)).text, /authorization/);
    for (const one of [form, page, moved]) assert.doesNotMatch(one.html, /geheim/);
  });
});

Deno.test("limits and conflicts say what to do, in the reader's language", async () => {
  await withVisitor(async (visitor) => {
    const { open, send, world } = visitor;
    const { id } = await create(visitor);
    const { reply } = await create(visitor);
    assert.equal(reply.status, 409);
    assert.match(reply.html, new RegExp(`already have .* <a href="${LIST}/${id}">Open it</a>`));
    assert.match(
      (await open(`${LIST}/new`)).text,
      /Your tier allows 2 active subscriptions|New subscription/,
    );
    await create(visitor, { q: "two" });
    const full = await create(visitor, { q: "three" });
    assert.equal(full.reply.status, 403);
    assert.match(full.reply.text, /limit on active subscriptions is reached/);
    assert.match((await open(`${LIST}/new`)).text, /Your tier allows 2 active subscriptions/);

    const url = `${LIST}/${id}`;
    await send(await open(url), `${url}/test`);
    const tested = await send(await open(url), `${url}/test`);
    assert.equal(tested.status, 429);
    assert.match(tested.text, /Today’s tests are used up/);
    await send(await open(url), `${url}/state`, { enabled: "false" });
    const disabled = await send(await open(url), `${url}/replay`, { since: "2020-01-01" });
    assert.match(disabled.text, /The subscription is not active/);
    const invalid = await send(await open(url), `${url}/replay`, {
      since: "2026-07-02",
      until: "2026-07-01",
    });
    assert.equal(invalid.status, 400);
    assert.match(invalid.html, /id="until-error"[^>]*>must be later than since/);
    assert.match(invalid.html, /value="2026-07-02"/);

    world.platform.http.serve("https://hooks.example.org", () => ({ status: 500 }));
    const german = await open(`${LIST}/new`, { language: "de" });
    assert.match(german.text, /Neues Abonnement.*Prüfen und Vorschau/);
    assert.match((await open(LIST, { language: "fr" })).text, /Nouvel abonnement.*En pause/);
  }, "[tiers.team]\nactive_subscriptions = 2\ntest_calls_per_day = 1\n");
});

Deno.test("a failing endpoint is visible, with what it responded, and pending deliveries can be sent now", async () => {
  await withVisitor(async (visitor) => {
    const { open, send, store, world } = visitor;
    world.platform.http.serve("https://hooks.example.org", () => ({ status: 500, body: HOSTILE }));
    const { id } = await create(visitor);
    const url = `${LIST}/${id}`;
    const bad = await send(await open(url), `${url}/test`);
    assert.match(bad.text, /The test did not arrive .* the endpoint responded with 500/);
    await store(titled("One"));
    await world.app.tick();
    assert.match((await open(LIST)).text, /Failing.*First failure:/);
    const page = await open(`${url}?status=pending`);
    assert.match(page.text, /1 Pending|Pending 1/);
    assert.match((await open(`${url}?status=delivered`)).text, /No deliveries with this status/);
    for (const name of ["status", "before"]) {
      const { status, text } = await open(`${url}?${name}=nonsense`);
      assert.equal(status, 200);
      assert.match(text, new RegExp(`Some filters are not valid.*${name}: .*nonsense.*One Pending`, "s"));
    }
    const [, delivery = ""] = /href="([^"]*\/deliveries\/dlv_\w+)"/.exec(page.html) ?? [];
    const one = await open(delivery);
    assert.match(one.text, /Attempt 1: HTTP 500/);
    assert.doesNotMatch(one.html, /<img/);
    assert.match(one.text, /<img src=x/);
    const replay = { ...one, html: one.html.replaceAll("/send", "/replay") };
    const held = await send(replay, `${delivery}/replay`);
    assert.equal(held.status, 409);
    assert.match(held.text, /still waiting to be sent/);
    const count = world.platform.http.requests.length;
    await send(one, `${delivery}/send`);
    await world.app.tick();
    assert.equal(world.platform.http.requests.length, count + 1);
    await send(await open(url), `${url}/send`);
    await world.app.tick();
    assert.ok(world.platform.http.requests.length > count + 1);
  });
});

Deno.test("hostile names, notes and URLs stay text, and another customer's ids are unknown", async () => {
  await withVisitor(async (visitor) => {
    const { open, send, world, store } = visitor;
    const { id } = await create(visitor, {
      name: HOSTILE,
      note: HOSTILE,
      webhook_url: `${URL}?<script>`,
      q: "<script>",
    });
    await store(titled(HOSTILE));
    await world.app.tick();
    const paths = [LIST, `${LIST}/${id}`, `${LIST}/${id}/edit`, `${LIST}?q=${encodeURIComponent(HOSTILE)}`];
    for (const path of paths) {
      const { html, status } = await open(path);
      assert.equal(status, 200, path);
      assert.doesNotMatch(html, /<img|<script>/, path);
    }
    const other = await world.addCustomer({ email: "eve@example.org" });
    const theirs = await world.ask("/v1/subscriptions", {
      method: "POST",
      key: other.key,
      body: JSON.stringify({ webhook_url: URL }),
    });
    const url = `${LIST}/${theirs.json.subscription.id}`;
    const own = await open(`${LIST}/${id}`);
    for (const path of [url, `${url}/edit`, `${LIST}/${id}/deliveries/dlv_unknown`, `${LIST}/nonsense`]) {
      const page = await open(path);
      assert.equal(page.status, 404, path);
      assert.match(page.text, /This page does not exist.*Console/);
    }
    const hidden = Object.fromEntries(
      [...own.html.matchAll(/name="(form_\w+)" value="([^"]*)"/g)].slice(0, 2)
        .map(([, name = "", value = ""]) => [name, value]),
    );
    for (const act of ["state", "test", "send", "replay", "rotate", "delete", "edit"]) {
      const page = { ...own, html: `<form action="${url}/${act}"></form>` };
      const form_id = `${act}-`.padEnd(22, "x");
      const reply = await send(page, `${url}/${act}`, { ...hidden, since: "2020-01-01", form_id });
      assert.equal(reply.status, 404, act);
    }
    assert.equal((await world.store.listSubscriptions(other.customer.id)).length, 1);
  });
});

Deno.test("usage shows meters and 30 days; keys show what tells them apart, and that only the operator issues them", async () => {
  await withVisitor(async (visitor) => {
    const { open, world, store, customer, key } = visitor;
    await create(visitor);
    await store(titled("One"), titled("Two"));
    await world.app.tick();
    for (const _ of [1, 2, 3]) await world.ask("/v1/usage", { key });
    const usage = await open("/console/usage");
    assert.match(usage.text, /Webhook deliveries 2 of 5,000.*Active subscriptions 1 of 5/);
    assert.match(usage.text, /API requests 3 of 10,000/);
    assert.match(usage.text, /1 August 2026 2 /);
    assert.match(usage.text, /1 August 2026 3 /);
    await open("/console/usage");
    assert.match((await open("/console/usage")).text, /API requests 3 of/, "pages do not count");
    const keys = await open("/console/keys");
    const [stored] = (await world.store.findAccount(customer.id))?.keys ?? [];
    assert.match(keys.text, new RegExp(`${stored?.label ?? ""} …${key.slice(-4)} Valid`));
    assert.ok(!keys.html.includes(key) && !keys.html.includes(stored?.hash ?? "?"));
    assert.match(keys.text, /Only the operator issues.*help@example\.org/);
    assert.match((await open("/console/keys", { language: "fr" })).text, /Seul l’exploitant/);
    assert.match((await open("/console/usage", { language: "de" })).text, /2 von 5\.000/);
  }, '[mail]\nsupport = "help@example.org"\n');
});
