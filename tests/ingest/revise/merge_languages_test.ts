// Tests of src/ingest/revise/merge_languages.ts: what one fetch brings of one publication, as a table.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import type { RecordDecision, StoredPublication } from "../../../src/domain/ports/store/publications.ts";
import { hashesOf, type IdentifiedItem } from "../../../src/ingest/identify/identify.ts";
import { languageForms } from "../../../src/ingest/identify/language_urls.ts";
import { decideRevision, type RevisionContext } from "../../../src/ingest/revise/revise.ts";
import { decideGroup, LanguageMerge, type WaitingItem } from "../../../src/ingest/revise/merge_languages.ts";
import { SAMPLE_PROVENANCE, sampleEvent } from "../../support/samples.ts";

const NOW = Date.parse("2026-08-01T10:00:00Z");
const DAY = 86_400_000;
const KEY = "https://board.example/*/1";
const CODES = ["en", "de", "fr"];
const FORMS = languageForms({ languages: CODES, languagePattern: "/(en|de|fr)/" });

const context = (movedDates: RevisionContext["movedDates"] = "again"): RevisionContext => ({
  sourceId: "board",
  keepAll: false,
  notify: true,
  nowMs: NOW,
  keys: new Set([KEY]),
  movedDates,
  isReread: false,
  wasIrrelevant: () => false,
  newEventId: () => "evt_new",
  classify: ({ item, language }) => ({
    relevant: !item.title.includes("off topic"),
    language: language ?? "en",
    eventType: "guidance",
    topics: ["transparency"],
    severity: "high",
    aiActArticles: ["Art. 50"],
  }),
  provenance: () => SAMPLE_PROVENANCE,
});

/** An item: its language, its words, and behind `@` by how many days it is dated later. */
function itemOf(text: string): IdentifiedItem {
  const [, language = "", title = "", days = "0"] = /^(\w\w) ([^@]*)(?:@(\d+))?$/.exec(text) ?? [];
  const item = {
    guid: null,
    link: `https://board.example/${language}/1`,
    title,
    summary: `${title}.`,
    publishedAtMs: NOW - 9 * DAY + Number(days) * DAY,
    updatedAtMs: null,
    language: null,
    categories: [],
  };
  return { item, key: KEY, language, ...hashesOf(item) };
}

/** A record with these words, the first one's language its own. */
function storedOf(texts: readonly string[], change: Partial<StoredPublication> = {}): StoredPublication {
  const items = texts.map(itemOf);
  const [own] = items;
  assert.ok(own);
  const words = items.map(({ item: { title, summary }, language }) => [language, { title, summary }]);
  const event = sampleEvent({
    id: "evt_old",
    external_id: KEY,
    title_en: own.item.title,
    summary_en: own.item.summary,
    url_official: own.item.link,
    published_at: own.item.publishedAtMs ?? 0,
    language: own.language ?? "",
    language_versions: items.map(({ language }) => language ?? ""),
    translations: Object.fromEntries(words),
    ...(change.withdrawn ? { status: "withdrawn" as const } : {}),
  });
  return {
    externalId: KEY,
    contentHash: own.contentHash,
    version: 1,
    foundBy: "key",
    textHash: own.textHash,
    pendingHash: null,
    dateMoves: 0,
    renamings: 0,
    withdrawn: false,
    keys: [KEY],
    languages: new Map(items.map(({ language, textHash }) => [language ?? "", textHash])),
    event,
    ...change,
  };
}

/** What becomes of items, by language, and the version that is made of them. */
function decide(
  texts: readonly string[],
  stored: StoredPublication | null,
  movedDates?: RevisionContext["movedDates"],
): { outcomes: Record<string, string>; event: RegEvent | null; notify: unknown } {
  assert.ok(FORMS);
  const merge = new LanguageMerge(FORMS);
  for (const text of texts) {
    const one = itemOf(text);
    const how = context(movedDates);
    merge.takes({ one, stored, decision: decideRevision(one, stored, how), context: how });
  }
  const [group = [], ...others] = merge.groups();
  assert.deepEqual(others, []);
  const unchanged = stored === null ? [] : merge.unchanged().get(stored.externalId);
  const decisions = decideGroup(group, stored, unchanged);
  const versions = [...decisions.values()].filter(({ kind }) => kind === "record");
  assert.ok(versions.length <= 1, "one version at most");
  const version = versions[0] as Extract<RecordDecision, { kind: "record" }> | undefined;
  const outcomes = [...decisions].map((
    [{ one }, { kind }]: [WaitingItem, RecordDecision],
  ) => [one.item.title, kind]);
  return { outcomes: Object.fromEntries(outcomes), event: version?.event ?? null, notify: version?.notify };
}

/** What is stored, what a fetch brings, what becomes of it, and the words of the version that is made, if one is. */
const TABLE: Record<string, [string[], string[], Record<string, string>, Record<string, string>?]> = {
  "all at first sight: one record, which has them": [
    [],
    ["en A", "de B", "fr C"],
    { A: "record", B: "joined", C: "joined" },
    { en: "A", de: "B", fr: "C" },
  ],
  "at first sight another language alone concerns AI regulation: its record has the main one": [
    [],
    ["en off topic", "fr C", "de B"],
    { B: "record", "off topic": "joined", C: "joined" },
    { en: "off topic", de: "B", fr: "C" },
  ],
  "at first sight none does": [[], ["en off topic", "de off topic too"], {}],
  "at first sight a page repeats the words of another language": [
    [],
    ["de A", "en A", "fr C"],
    { A: "unchanged", C: "joined" },
    { en: "A", fr: "C" },
  ],
  "all are edited": [
    ["en A", "de B", "fr C"],
    ["fr C2", "de B2", "en A2"],
    { A2: "record", B2: "joined", C2: "joined" },
    { en: "A2", de: "B2", fr: "C2" },
  ],
  "two are, and not the record's own": [
    ["en A", "de B", "fr C"],
    ["fr C2", "de B2", "en A"],
    { B2: "record", C2: "joined" },
    { en: "A", de: "B2", fr: "C2" },
  ],
  "the record's own is not the main one, and tells the version all the same": [
    ["de B", "en A"],
    ["en A2", "de B2"],
    { B2: "record", A2: "joined" },
    { de: "B2", en: "A2" },
  ],
  "one is edited": [["en A", "de B"], ["en A", "de B2"], { B2: "record" }, { en: "A", de: "B2" }],
  "a language comes late": [["en A"], ["en A", "de B", "fr C"], { B: "translated", C: "translated" }],
  "a language comes with an edit": [
    ["en A"],
    ["de B", "en A2"],
    { A2: "record", B: "translated" },
    { en: "A2" },
  ],
  "the main language comes late, with an edit of the record's own": [
    ["de B"],
    ["en A", "de B2"],
    { B2: "record", A: "translated" },
    { de: "B2" },
  ],
  "an edit is repeated under a language that had words of its own: they stay": [
    ["en A", "de B"],
    ["en A2", "de A2"],
    { A2: "unchanged" },
    { en: "A2", de: "B" },
  ],
  "two languages that stood in each other's place change over": [
    ["en A", "de B"],
    ["en B", "de A"],
    { B: "record", A: "joined" },
    { en: "B", de: "A" },
  ],
  "words that an edit gives up are those of another language now": [
    ["en A", "de B", "fr C"],
    ["de A", "en A2", "fr C"],
    { A2: "record", A: "joined" },
    { en: "A2", de: "A", fr: "C" },
  ],
  "another language's words are repeated, and neither is edited": [["en A", "de B", "fr C"], [
    "en A",
    "de A",
    "fr C",
  ], {}],
  "an edit is repeated under a language that had none": [
    ["en A"],
    ["de A2", "en A2"],
    { A2: "unchanged" },
    { en: "A2" },
  ],
  "a date moves with another language's words": [
    ["en A", "de B"],
    ["en A@2", "de B2@2"],
    { A: "record", B2: "joined" },
    { en: "A", de: "B2" },
  ],
  "a date moves alone, and is not seen a second time yet": [["en A", "de B"], ["en A@2", "de B@2"], {
    A: "date_changed",
  }],
  "two editions of one language: the newer one counts": [
    ["en A"],
    ["en A2@1", "en A3@2"],
    { A3: "record", A2: "unchanged" },
    { en: "A3" },
  ],
  "two editions of one language, one of them as it is stored": [["en A", "de B"], ["de B2", "de B"], {
    B2: "unchanged",
  }],
  "a newer edition beside the one that is stored": [
    ["en A", "de B"],
    ["de B", "de B2@1"],
    { B2: "record" },
    { en: "A", de: "B2" },
  ],
};

for (const [name, [before, texts, outcomes, words]] of Object.entries(TABLE)) {
  Deno.test(`decideGroup(): ${name}`, () => {
    const stored = () => before.length === 0 ? null : storedOf(before);
    const found = decide(texts, stored());
    assert.deepEqual(found.outcomes, outcomes);
    const titles = Object.entries(found.event?.translations ?? {}).map(([code, { title }]) => [code, title]);
    assert.deepEqual(Object.fromEntries(titles), words ?? {});
    assert.deepEqual(
      decide(texts.toReversed(), stored()),
      found,
      "the order of the documents decides nothing",
    );
    if (found.event === null) return;
    const version = before.length === 0 ? 1 : 2;
    assert.deepEqual([found.event.version, found.event.external_id, found.notify], [
      version,
      KEY,
      "after_fetch",
    ]);
    assert.equal(found.event.supersedes, version === 1 ? null : "evt_old");
    const shown = found.event.translations["en"]?.title ??
      found.event.translations[found.event.language]?.title;
    assert.equal(found.event.title_en, shown);
  });
}

Deno.test("decideGroup() lists what was withdrawn again in one version, with the words that have changed", () => {
  const stored = storedOf(["en A", "de B", "fr C"], { withdrawn: true });
  const { outcomes, event } = decide(["de B2", "fr C", "en A"], stored);
  assert.deepEqual(outcomes, { A: "record", B2: "joined", C: "unchanged" });
  assert.equal(event?.status, undefined);
  assert.deepEqual(Object.values(event?.translations ?? {}).map(({ title }) => title), ["A", "B2", "C"]);
});

Deno.test("decideGroup() dates a version by the date that moved, unless the source makes dates up", () => {
  const moved = ["en A@2", "de B2"];
  assert.equal(decide(moved, storedOf(["en A", "de B"])).event?.published_at, NOW - 7 * DAY);
  const made = decide(moved, storedOf(["en A", "de B"], { dateMoves: 2 }));
  assert.deepEqual([made.outcomes, made.event?.published_at], [{ B2: "record" }, NOW - 9 * DAY]);
  const churning = decide(moved, storedOf(["en A", "de B"]), "keep");
  assert.deepEqual(churning.outcomes, { B2: "record" }, "dates that move together wait for nothing");
});

Deno.test("decideGroup() decides anew on what is stored meanwhile", () => {
  assert.ok(FORMS);
  const merge = new LanguageMerge(FORMS);
  for (const text of ["en A2", "de B2"]) {
    const one = itemOf(text);
    merge.takes({ one, stored: null, decision: decideRevision(one, null, context()), context: context() });
  }
  const [group = []] = merge.groups();
  const decisions = decideGroup(group, storedOf(["en A", "de B"]));
  assert.deepEqual([...decisions.values()].map(({ kind }) => kind), ["record", "joined"]);
});

Deno.test("LanguageMerge decides two items of one language by themselves that were taken for editions of one publication", () => {
  assert.ok(FORMS);
  const merge = new LanguageMerge(FORMS);
  const [other, german, english] = [{ ...itemOf("en A3"), key: "another" }, itemOf("de B2"), itemOf("en A2")];
  for (const one of [other, german, english]) {
    const how = { ...context(), keys: new Set([one.key]) };
    const stored = storedOf(["en A", "de B"], { foundBy: one === other ? "alias" : "key" });
    const decision = decideRevision(one, stored, how);
    assert.equal(decision.kind === "record" && decision.event.version, 2);
    merge.takes({ one, stored, decision, context: how });
  }
  const groups = merge.groups().map((group) => group.map(({ one }) => one));
  assert.deepEqual(groups, [[english, german], [other]]);
});
