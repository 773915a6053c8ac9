// What the feed shows: days, rows, chips and shortcuts.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import { readFeedQuery } from "../../../src/web/console/feed/feed_query.ts";
import { feedChips, feedDays, feedShortcuts, textsFor } from "../../../src/web/console/feed/feed_view.ts";
import { parametersOf } from "../../../src/http/request_url.ts";
import { TypedValues } from "../../../src/web/session/typed_values.ts";
import { formatFor } from "../../../src/web/texts/format.ts";
import { type Language, TEXTS } from "../../../src/web/texts/texts.ts";
import { sampleEvent } from "../../support/samples.ts";
import { aVocabulary } from "./given.ts";

const NOW = Date.parse("2026-11-18T12:00:00Z");
const reader = (language: Language = "en") => ({
  language,
  vocabulary: aVocabulary(language),
  format: formatFor(language),
});
const query = (address: string) => readFeedQuery(new TypedValues(parametersOf(address)));
const event = (id: string, change: Partial<RegEvent>) => sampleEvent({ id, ...change });
const at = (day: string) => ({ published_at: Date.parse(`${day}T10:00:00Z`), published_on: day });

Deno.test("feedDays() groups by the date that the source states, newest first, and keeps the order within a day", () => {
  const events = [
    event("evt_4", at("2026-11-18")),
    // Late in the evening in another time zone: already the next day in UTC.
    event("evt_3", { published_at: Date.parse("2026-11-18T02:00:00Z"), published_on: "2026-11-17" }),
    event("evt_2", { ...at("2026-11-18"), published_on: null }),
    event("evt_1", at("2026-11-17")),
  ];
  const shown = feedDays(events, { newIds: new Set(["evt_1"]), by: "publication" }, reader());
  assert.deepEqual(shown.map(({ day, rows }) => [day, ...rows.map(({ id }) => id)]), [
    ["2026-11-18", "evt_4", "evt_2"],
    ["2026-11-17", "evt_3", "evt_1"],
  ]);
  assert.deepEqual(shown.flatMap(({ rows }) => rows.filter(({ isNew }) => isNew).map(({ id }) => id)), [
    "evt_1",
  ]);
  const versions = [2, 1].map((version) => event(`evt_v${version}`, { external_id: "a", version }));
  const [first] = feedDays(versions, { newIds: new Set(), by: "publication" }, reader());
  assert.deepEqual(first?.rows.map(({ isSuperseded }) => isSuperseded), [false, true]);
  const arrived = [1, 2, 0].map((day) =>
    event(`evt_${day}`, { ...at("2026-01-01"), ingested_at: NOW - day * 86_400_000 })
  );
  const days = feedDays(arrived, { newIds: new Set(), by: "arrival" }, reader()).map(({ day }) => day);
  assert.deepEqual(days, ["2026-11-17", "2026-11-16", "2026-11-18"], "in the order given");
});

Deno.test("textsFor() chooses the reader's language, then English, then the original", () => {
  const all = {
    title_en: "Code",
    summary_en: "About.",
    language: "fr",
    translations: {
      en: { title: "Code", summary: "About." },
      de: { title: "Kodex", summary: "Über." },
    },
    language_versions: ["en", "de"],
  };
  const italian = { title: "Codice", summary: "" };
  const only = {
    title_en: "Codice",
    summary_en: "",
    language: "it",
    language_versions: ["it"],
    translations: { it: italian },
  };
  const rows: [Partial<RegEvent>, wanted: string, title: string, language: string][] = [
    [all, "de", "Kodex", "de"],
    [all, "fr", "Code", "en"],
    [all, "constructor", "Code", "en"],
    [only, "de", "Codice", "it"],
  ];
  for (const [change, wanted, title, language] of rows) {
    const found = textsFor(sampleEvent({ id: "evt_1", ...change }), wanted);
    assert.deepEqual([found.title, found.language], [title, language]);
  }
});

Deno.test("feedChips() names each active filter, with the feed without it", () => {
  const address = "/console?topics=gpai,nope&severity_min=high&since=2026-11-11&q=x&latest=true";
  const chips = feedChips(query(address), TEXTS.de, reader("de"));
  assert.deepEqual(chips.map(({ label }) => label), [
    "Thema: KI-Modelle",
    "Thema: nope",
    "Schweregrad: mindestens Hoch",
    "Ab 11. November 2026",
    "Wörter: x",
    "Nur neueste Fassungen",
  ]);
  assert.deepEqual(chips[0]?.without.filters.get("topics"), ["nope"]);
  assert.equal(chips[2]?.without.filters.has("severity_min"), false);
  const times: [sent: string, shown: string][] = [
    ["1763424000000", "Since 18 Nov 2025, 00:00 UTC"],
    ["2026-11-18T10:30:00Z", "Since 18 Nov 2026, 10:30 UTC"],
    ["2026-99-99", "Since 2026-99-99"],
    ["soon", "Since soon"],
  ];
  for (const [sent, shown] of times) {
    const [chip] = feedChips(query(`/console?since=${sent}`), TEXTS.en, reader());
    assert.equal(chip?.label, shown);
  }
});

Deno.test("feedShortcuts() adds to the current filters, and removes itself", () => {
  const [week, , important] = feedShortcuts(query("/console?topics=gpai"), TEXTS.en, NOW);
  assert.equal(week?.href, "/console?topics=gpai&since=2026-11-11");
  assert.equal(important?.href, "/console?topics=gpai&severity_min=high");
  const [active] = feedShortcuts(query("/console?since=2026-11-11"), TEXTS.en, NOW);
  assert.deepEqual([active?.isCurrent, active?.href], [true, "/console"]);
});
