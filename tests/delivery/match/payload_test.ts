// The JSON body of a webhook.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { z } from "zod";
import { buildTestPayload, preparePayload, type Recipient } from "../../../src/delivery/match/payload.ts";
import { DISCLAIMER } from "../../../src/domain/event/disclaimer.ts";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import type { UnmatchedEvent } from "../../../src/domain/ports/store/deliveries.ts";
import { DELIVERY_TYPES, deliveryPayload } from "../../../src/wire/delivery.ts";
import { anEvent, aSubscription, START_MS } from "../given.ts";

const event = anEvent({
  language_versions: ["de", "en"],
  translations: {
    en: { title: "Guideline on models", summary: "What providers of models document." },
    de: { title: "Leitlinie zu Modellen", summary: "Was Anbieter von Modellen dokumentieren." },
  },
});

const ANA: Recipient = { deliveryId: "dlv_1", subscriptionId: "sub_1", sequence: 7 };

function bodyIn(language: string, unmatched: UnmatchedEvent, recipient = ANA): string {
  const { openingFor, endingIn } = preparePayload(unmatched, START_MS);
  return openingFor(recipient) + endingIn(language);
}

/** Reads a body as a receiver does, and checks it against the published schema. */
function read(body: string): z.infer<typeof deliveryPayload> {
  return deliveryPayload.parse(JSON.parse(body));
}

Deno.test("preparePayload() writes the fields of the contract in their order", () => {
  const payload = JSON.parse(bodyIn("de", { event, previous: null }));
  assert.deepEqual(Object.entries(payload), [
    ["type", "event.published"],
    ["timestamp", START_MS],
    ["delivery_id", "dlv_1"],
    ["subscription_id", "sub_1"],
    ["sequence", 7],
    ["source", "eu-office"],
    ["severity", "medium"],
    ["language", "de"],
    ["title", "Leitlinie zu Modellen"],
    ["summary", "Was Anbieter von Modellen dokumentieren."],
    ["event", event],
    ["disclaimer", DISCLAIMER],
  ]);
});

Deno.test("preparePayload() includes the diff of a revision", () => {
  const revised = { ...event, id: "evt_2", version: 2, supersedes: event.id, title_en: "Guideline, revised" };
  const payload = read(bodyIn("en", { event: revised, previous: event }));
  assert.equal(payload.type, "event.revised");
  assert.equal(payload.diff_to_previous?.previous_id, event.id);
  assert.equal(payload.diff_to_previous?.previous_version, 1);
  assert.deepEqual(payload.diff_to_previous?.changes[0], {
    field: "title_en",
    before: "Guideline on models",
    after: "Guideline, revised",
  });
});

Deno.test("preparePayload() uses the requested language if the event has it, and states the language", () => {
  const french: Partial<RegEvent> = {
    language: "fr",
    language_versions: ["fr"],
    title_en: "Ligne directrice",
    summary_en: "Ce que les fournisseurs documentent.",
    translations: { fr: { title: "Ligne directrice", summary: "Ce que les fournisseurs documentent." } },
  };
  const untitled = { ...event.translations, de: { title: "", summary: "Was Anbieter dokumentieren." } };
  const rows: [what: string, event: RegEvent, wanted: string, language: string, title: string][] = [
    ["English", event, "en", "en", "Guideline on models"],
    ["a translation", event, "de", "de", "Leitlinie zu Modellen"],
    ["no translation", event, "fr", "en", "Guideline on models"],
    ["no English at all", anEvent(french), "en", "fr", "Ligne directrice"],
    ["no English, its own language", anEvent(french), "fr", "fr", "Ligne directrice"],
    ["no English, a third language", anEvent(french), "de", "fr", "Ligne directrice"],
    ["an untitled translation", { ...event, translations: untitled }, "de", "en", "Guideline on models"],
    ["a name of Object.prototype", event, "constructor", "en", "Guideline on models"],
  ];
  for (const [what, given, wanted, language, title] of rows) {
    const payload = read(bodyIn(wanted, { event: given, previous: null }));
    assert.deepEqual([payload.language, payload.title], [language, title], what);
  }
});

Deno.test("preparePayload() gives each recipient its ids, sequence and language", () => {
  const { openingFor, endingIn } = preparePayload({ event, previous: null }, START_MS);
  const payloads = ["en", "de", "en", "fr"].map((language, at) => {
    const recipient = { deliveryId: `dlv_${at}`, subscriptionId: `sub_${at}`, sequence: at + 1 };
    return read(openingFor(recipient) + endingIn(language));
  });
  const rows = payloads.map((one) => [one.delivery_id, one.subscription_id, one.sequence, one.language]);
  const languages = ["en", "de", "en", "en"];
  assert.deepEqual(rows, languages.map((language, at) => [`dlv_${at}`, `sub_${at}`, at + 1, language]));
});

Deno.test("preparePayload() keeps any text unchanged", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), (title, summary) => {
    const words = { title: `T${title}`.toWellFormed(), summary: summary.toWellFormed() };
    const worded = anEvent({ title_en: words.title, summary_en: words.summary, translations: { en: words } });
    const payload = read(bodyIn("en", { event: worded, previous: event }));
    assert.deepEqual([payload.title, payload.summary, payload.event], [words.title, words.summary, worded]);
  }));
});

Deno.test("buildTestPayload() has severity info and source test, in the subscription's language", () => {
  for (const [wanted, language] of [["en", "en"], ["de", "de"], ["fr", "fr"], ["it", "en"]] as const) {
    const subscription = aSubscription({ language: wanted });
    const payload = read(
      buildTestPayload({
        type: "event.test",
        deliveryId: "dlv_1",
        newEventId: () => "evt_1",
        subscription,
        nowMs: START_MS,
      }),
    );
    const { type, severity, source, sequence, subscription_id, delivery_id, event } = payload;
    assert.deepEqual(
      { type, severity, source, sequence, subscription_id, delivery_id, language: payload.language },
      {
        type: "event.test",
        severity: "info",
        source: "test",
        sequence: 0,
        subscription_id: subscription.id,
        delivery_id: "dlv_1",
        language,
      },
    );
    assert.deepEqual([event.id, event.source_id, event.severity], ["evt_1", "test", "info"]);
  }
});

Deno.test("buildTestPayload() makes a sample of each type that looks like a real delivery, except for source and sequence", () => {
  for (const type of DELIVERY_TYPES) {
    let events = 0;
    const payload = read(buildTestPayload({
      type,
      deliveryId: "dlv_1",
      newEventId: () => `evt_${++events}`,
      subscription: aSubscription({ language: "fr" }),
      nowMs: START_MS,
    }));
    assert.deepEqual([payload.type, payload.source, payload.severity, payload.sequence], [
      type,
      "test",
      "info",
      0,
    ]);
    const { event, diff_to_previous: diff } = payload;
    assert.deepEqual([payload.title, payload.summary], [
      event.translations["fr"]?.title,
      event.translations["fr"]?.summary,
    ]);
    if (type !== "event.revised") {
      assert.deepEqual([event.version, event.supersedes, diff], [1, null, undefined]);
      continue;
    }
    assert.deepEqual([event.version, event.supersedes, diff?.previous_id], [2, "evt_1", "evt_1"]);
    const fields = diff?.changes.map(({ field }) => field) ?? [];
    assert.deepEqual(fields.filter((field) => !field.startsWith("translations")), ["title_en", "topics"]);
    assert.match(diff?.summary ?? "", /^Titre modifié/);
  }
});

Deno.test("deliveryPayload can be converted to JSON Schema with its required fields", () => {
  const { $defs } = z.toJSONSchema(deliveryPayload);
  const required = $defs?.["DeliveryPayload"]?.required ?? [];
  assert.ok(required.includes("event") && required.includes("disclaimer"));
  assert.ok(!required.includes("diff_to_previous"));
});
