// The page of an event over HTTP: versions, redline, dates, deliveries, hostile texts, languages.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { type Visitor, withVisitor } from "./given.ts";

const HOSTILE = `"><script>alert(1)</script><img src=x onerror=alert(1)>`;

/** Stores three versions of one publication. */
async function storeVersions({ store }: Visitor, change: Partial<RegEvent> = {}): Promise<RegEvent[]> {
  const events: RegEvent[] = [];
  for (
    const [at, [title, deadline]] of [["Draft code", "2 May 2027"], ["Second draft", "2 May 2027"], [
      "Final code",
      "9 June 2027",
    ]].entries()
  ) {
    const words = { title: title ?? "", summary: `Reply by ${deadline}. Article 53 applies.` };
    const previous = events.at(-1)?.id ?? null;
    events.push(
      ...await store({
        external_id: "code",
        version: at + 1,
        supersedes: previous,
        severity: at === 2 ? "high" : "medium",
        topics: ["gpai"],
        title_en: words.title,
        summary_en: words.summary,
        language_versions: ["en", "de"],
        translations: { en: words, de: { title: "Kodex", summary: `Frist: ${deadline}` } },
        ai_act_articles: ["Art. 53(1)(d)", "Art. 4a"],
        ...change,
      }),
    );
  }
  return events;
}

const marked = (html: string, tag: "ins" | "del"): string[] =>
  [...html.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, "gs"))]
    .map(([, inner = ""]) => inner.replace(/<span class="visually-hidden">.*?<\/span>/g, "").trim());

Deno.test("the page of an event answers what changed, until when, and who was told", async () => {
  await withVisitor(async (visitor) => {
    const { open, world, key } = visitor;
    const subscription = {
      webhook_url: "https://hooks.example.org/ai",
      name: "Legal <team>",
      topics: ["gpai"],
    };
    await world.ask("/v1/subscriptions", { method: "POST", key, body: JSON.stringify(subscription) });
    const [first, second, third] = await storeVersions(visitor);
    await world.app.tick();
    const page = await open(`/console/events/${third?.id}`);
    assert.equal(page.status, 200);
    for (
      const expected of [
        /Version 3 of 3/,
        /Title changed; summary changed; severity raised from medium to high/,
        /Later dates named in the text .*9 June 2027/,
        /2 August 2027 .*General-purpose AI models placed on the market before 2 August 2025/,
        /Legal <team> Delivered/,
        /Obligations for providers of general-purpose AI models/,
        /\(inserted in 2026\)/,
        /Why this classification .*Concerns AI regulation: no it does not mention AI/,
      ]
    ) {
      assert.match(page.text, expected);
    }
    assert.deepEqual(marked(page.html, "del"), ["Second draft", "2 May", "Medium"]);
    assert.deepEqual(marked(page.html, "ins"), ["Final code", "9 June", "High"]);
    assert.match(page.html, /href="https:\/\/eur-lex\.europa\.eu\/eli\/reg\/2024\/1689\/oj\/eng#053\.001"/);
    assert.match(page.html, /href="\/console\?article=Art\.%2053\(1\)\(d\)"/);

    const old = await open(`/console/events/${first?.id}`);
    assert.match(old.text, /This version has been superseded. Go to version 3/);
    assert.match(old.html, new RegExp(`href="/console/events/${third?.id}"`));
    const backwards = await open(`/console/events/${first?.id}?from=${third?.id}&view=side`);
    assert.deepEqual(marked(backwards.html, "del")[0], "Final");
    assert.match(backwards.text, /Version 3 .*Version 1/);
    const chosen = await open(`/console/events/${third?.id}?from=${first?.id}&to=${second?.id}&view=side`);
    assert.equal(
      chosen.headers.get("location"),
      `/console/events/${second?.id}?from=${first?.id}&view=side#changes`,
    );
    const german = await open(`/console/events/${third?.id}`, { language: "de" });
    assert.match(german.text, /Titel geändert \(Englisch\)|Schweregrad angehoben von mittel auf hoch/);
    assert.match(german.html, /<h1>Kodex<\/h1>/);
    assert.match(
      (await open(`/console/events/${third?.id}?text=en`, { language: "de" })).html,
      /<h1 lang="en">Final code/,
    );
  });
});

Deno.test("an unknown event, or a version of another publication, helps the reader to continue", async () => {
  await withVisitor(async (visitor) => {
    const { open, store } = visitor;
    const [, second] = await storeVersions(visitor);
    const [other] = await store({ external_id: "other" });
    for (const id of ["evt_00000000000000000000000000", "nope", "%3Cscript%3E", "..%2F..%2Fsubscriptions"]) {
      const { status, text, html } = await open(`/console/events/${id}`);
      assert.equal(status, 404, id);
      assert.match(text, /There is no event with this ID/);
      assert.match(html, /href="\/console">Go to the feed/);
    }
    for (const from of [other?.id, "nope", HOSTILE]) {
      const page = await open(`/console/events/${second?.id}?from=${encodeURIComponent(from ?? "")}`);
      assert.match(page.text, /does not belong to this publication/);
      assert.doesNotMatch(page.html, /<script>/);
    }
    for (const query of ["view=x", "text=__proto__", "deliveries=nope", "to="]) {
      assert.equal((await open(`/console/events/${second?.id}?${query}`)).status, 200, query);
    }
    const single = await open(`/console/events/${other?.id}`);
    assert.doesNotMatch(single.text, /What changed/);
    assert.match(single.text, /None of your subscriptions has reported this version/);
  });
});

Deno.test("hostile texts and URLs of an event stay text", async () => {
  await withVisitor(async ({ open, store }) => {
    const words = { title: HOSTILE, summary: `${HOSTILE} 1 May 2027` };
    const [first] = await store({ external_id: "x" });
    const [second] = await store({
      external_id: "x",
      version: 2,
      supersedes: first?.id ?? "",
      title_en: words.title,
      summary_en: words.summary,
      translations: { en: words },
      source: { id: "board", name: HOSTILE },
      source_id: "board",
      topics: [HOSTILE],
      ai_act_articles: [HOSTILE],
      url_official: "javascript:alert(1)",
    });
    for (const language of ["en", "de", "fr"]) {
      const { html, status } = await open(`/console/events/${second?.id}?view=side`, { language });
      assert.equal(status, 200);
      assert.doesNotMatch(html, /<script>|<img|"javascript:/);
    }
  });
});

Deno.test("a customer sees only their own deliveries of an event", async () => {
  await withVisitor(async ({ open, store, world }) => {
    const { key } = await world.addCustomer({ email: "bo@example.org" });
    const body = JSON.stringify({ webhook_url: "https://hooks.example.org/bo", name: "Secret name" });
    await world.ask("/v1/subscriptions", { method: "POST", key, body });
    const [event] = await store({});
    await world.app.tick();
    assert.equal((await world.ask(`/v1/deliveries?event=${event?.id}`, { key })).json.count, 1);
    const { text } = await open(`/console/events/${event?.id}`);
    assert.match(text, /None of your subscriptions/);
    assert.doesNotMatch(text, /Secret name/);
  });
});
