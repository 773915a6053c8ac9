// The feed over HTTP: filters, paging, news, hostile texts, languages.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { withVisitor } from "./given.ts";

const HOUR = 3_600_000;
const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)> & 'quoted'`;

const titled = (title: string, change: Partial<RegEvent> = {}): Partial<RegEvent> => ({
  title_en: title,
  external_id: title,
  translations: { en: { title, summary: "" } },
  ...change,
});

const titlesIn = (html: string): string[] =>
  [...html.matchAll(/<h3><a [^>]*>([^<]*)<\/a>/g)].map(([, title = ""]) => title);

Deno.test("the feed shows the events that the API lists for the same filters, older and newer", async () => {
  await withVisitor(async ({ open, store, world, key }) => {
    const day = Date.parse("2026-07-01");
    await store(...Array.from({ length: 60 }, (_, at) =>
      titled(`Event ${at}`, {
        topics: at % 2 === 0 ? ["gpai"] : ["transparency"],
        severity: at % 3 === 0 ? "high" : "low",
        published_at: day + at * HOUR,
        published_on: null,
      })));
    for (
      const query of [
        "",
        "?topics=gpai&severity_min=high",
        "?q=event&since=2026-07-02",
        "?article=Art.+50&limit=25",
      ]
    ) {
      const page = await open(`/console${query}`);
      const { events } = (await world.ask(`/v1/events${query}`, { key })).json;
      assert.deepEqual(titlesIn(page.html), events.map((event: RegEvent) => event.title_en), query);
    }
    const first = await open("/console?limit=25");
    const older = /href="([^"]*)" rel="next"/.exec(first.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const second = await open(older);
    assert.deepEqual(titlesIn(second.html).slice(0, 1), ["Event 34"]);
    const newer = /href="([^"]*)" rel="prev"/.exec(second.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
    assert.equal(newer, "/console?limit=25");
    assert.match(first.text, /60 events/);
    assert.match((await open("/console?topics=gpai")).text, /30 events/);
    const sent = await open("/console?q=&topics=gpai&topics=transparency&since=");
    assert.deepEqual([sent.status, sent.headers.get("location")], [303, "/console?topics=gpai,transparency"]);
  });
});

Deno.test("an invalid filter is marked and left out; the page says so", async () => {
  await withVisitor(async ({ open, store }) => {
    await store(titled("One", { topics: ["gpai"] }), titled("Two", { topics: [] }));
    const rows: [query: string, field: string, message: RegExp, titles: string[]][] = [
      ["topics=nope&severity_min=info", "topics", /nope/, ["Two", "One"]],
      ["since=yesterday&topics=gpai", "since", /ISO 8601/, ["One"]],
      ["severity_min=huge", "severity_min", /critical/, ["Two", "One"]],
      ["article=Art.+999", "article", /is not in the AI Act/, ["Two", "One"]],
      ["limit=0", "limit", /from 1 to 200/, ["Two", "One"]],
      [`before=${"x".repeat(30)}`, "before", /not a valid event id/, ["Two", "One"]],
      ["after=nope", "after", /not a valid event id/, ["Two", "One"]],
      ["utm_source=x", "utm_source", /is not a filter/, ["Two", "One"]],
    ];
    for (const [query, field, message, titles] of rows) {
      const { status, html, text } = await open(`/console?${query}`);
      assert.equal(status, 200);
      assert.deepEqual(titlesIn(html), titles, query);
      assert.match(text, /Some filters are not valid/);
      assert.match(text, message, query);
      assert.ok(
        html.includes(`id="${field}-error"`) || text.includes(`${field}: `),
        `${field} is marked or named`,
      );
    }
  });
});

Deno.test("the feed shows what is new since the previous visit, until it is marked as read", async () => {
  await withVisitor(async ({ open, send, store, world }) => {
    await store(titled("Old"));
    assert.doesNotMatch((await open("/console")).text, /new since/);
    await store(titled("Fresh"), titled("<b>Fresher</b>"));
    await world.platform.clock.advance(HOUR);
    const page = await open("/console");
    assert.match(page.text, /2 new since 10:00 UTC today/);
    assert.equal(page.html.match(/class="row new"/g)?.length, 2);
    const only = /<div class="news-acts"><a href="([^"]*)"/.exec(page.html)?.[1] ?? "";
    const fresh = await open(only);
    assert.deepEqual(titlesIn(fresh.html), ["Fresh", "&lt;b&gt;Fresher&lt;/b&gt;"], "in order of arrival");
    assert.match(fresh.text, /Show all events/);
    const marked = await send(page, "/console/read");
    assert.deepEqual([marked.status, marked.headers.get("location")], [303, "/console"]);
    assert.doesNotMatch((await open("/console")).text, /new since/);
    const elsewhere = await send(page, "/console/read", {
      return_to: "//evil.example",
      form_id: "a".repeat(22),
    });
    assert.equal(elsewhere.headers.get("location"), "/console");
  });
});

Deno.test("an empty feed says why, and which filter to remove", async () => {
  await withVisitor(async ({ open, store }) => {
    assert.match((await open("/console")).text, /No events yet/);
    await store(titled("One", { topics: ["gpai"], severity: "low" }));
    const none = await open("/console?topics=gpai&severity_min=critical");
    assert.match(none.text, /No event matches these filters/);
    assert.match(none.html, /<a href="\/console\?topics=gpai">Without “Severity: Critical”<\/a>/);
    assert.doesNotMatch(none.text, /Without “Topic/);
    assert.match((await open("/console?q=nowhere")).text, /Remove all filters/);
  });
});

Deno.test("hostile texts and filters stay text", async () => {
  await withVisitor(async ({ open, store }) => {
    await store(titled(HOSTILE, {
      source_id: "board",
      source: { id: "board", name: HOSTILE },
      topics: [HOSTILE],
      ai_act_articles: [HOSTILE],
      url_official: "javascript:alert(1)",
    }));
    for (
      const path of [
        "/console",
        `/console?q=${encodeURIComponent(HOSTILE)}`,
        `/console?topics=${encodeURIComponent(HOSTILE)}`,
        `/console?${encodeURIComponent(HOSTILE)}=1`,
      ]
    ) {
      const { html } = await open(path);
      assert.doesNotMatch(html, /<script>|<img|onerror=alert\(1\)>|"javascript:/, path);
    }
  });
});

Deno.test("the feed is in the reader's language, with titles in that language where they exist", async () => {
  await withVisitor(async ({ open, store }) => {
    await store({
      external_id: "a",
      version: 1,
      title_en: "Code",
      language_versions: ["en", "de"],
      translations: { en: { title: "Code", summary: "" }, de: { title: "Kodex", summary: "" } },
      topics: ["gpai"],
      severity: "high",
    });
    const rows: [language: string, texts: RegExp[]][] = [
      ["en", [/1 event\b/, /High/, />Code</]],
      ["de", [/1 Ereignis\b/, /Hoch/, />Kodex</, /Ausschuss/]],
      ["fr", [/1 événement/, /Élevée/, /lang="en">Code</]],
    ];
    for (const [language, texts] of rows) {
      const { html, text } = await open("/console", { language });
      for (const one of texts) assert.ok(one.test(text) || one.test(html), `${language} ${one}`);
    }
  });
});

Deno.test("the feed is for signed-in customers only, and each has their own news", async () => {
  await withVisitor(async ({ open, store, world, customer }) => {
    const anonymous = await open("/console?topics=gpai", { cookie: "" });
    assert.equal(anonymous.status, 303);
    assert.match(anonymous.headers.get("location") ?? "", /^\/sign-in\?return_to=%2Fconsole/);
    await store(titled("One"));
    await open("/console");
    assert.notEqual((await world.store.visitFeed(customer.id, 0)).after, null);
  });
});
