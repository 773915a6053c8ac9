// What happens to the items of one publication that a fetch finds in several languages, as a table.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import type { RecordDecision, StoredPublication } from "../../../src/domain/ports/store/publications.ts";
import { hashesOf, type IdentifiedItem } from "../../../src/ingest/identify/identify.ts";
import { languageForms } from "../../../src/ingest/identify/language_urls.ts";
import { decideRevision, type RevisionContext } from "../../../src/ingest/revise/decide_revision.ts";
import { decideGroup, LanguageMerge, type WaitingItem } from "../../../src/ingest/revise/merge_languages.ts";
import { SAMPLE_PROVENANCE, sampleEvent } from "../../support/samples.ts";

const NOW = Date.parse("2026-08-01T10:00:00Z");
const DAY = 86_400_000;
const KEY = "https://board.example/*/1";
const CODES = ["en", "de", "fr"];
const FORMS = languageForms({ languages: CODES, languagePattern: "/(en|de|fr)/" });

const context = (movedDates: RevisionContext["movedDates"] = "again"): RevisionContext => ({
  source: { id: "board", name: "Board" },
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

/** Parses an item: language, title, and after `@` the number of days by which its date is later. */
function itemOf(text: string): IdentifiedItem {
  const [, language = "", title = "", days = "0"] = /^(\w\w) ([^@]*)(?:@(\d+))?$/.exec(text) ?? [];
  const item = {
    guid: null,
    link: `https://board.example/${language}/1`,
    title,
    summary: `${title}.`,
    publishedAtMs: NOW - 9 * DAY + Number(days) * DAY,
    publishedOn: null,
    publishedPrecision: "time" as const,
    updatedAtMs: null,
    language: null,
    categories: [],
  };
  return { item, key: KEY, language, ...hashesOf(item) };
}

/** Returns a record with these texts, whose original language is the first one. */
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

/** Returns the decisions on items by title, and the resulting version. */
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
  assert.ok(versions.length <= 1, "at most one version");
  const version = versions[0] as Extract<RecordDecision, { kind: "record" }> | undefined;
  const outcomes = [...decisions].map((
    [{ one }, { kind }]: [WaitingItem, RecordDecision],
  ) => [one.item.title, kind]);
  return { outcomes: Object.fromEntries(outcomes), event: version?.event ?? null, notify: version?.notify };
}

/** A row per case: name, stored texts, items, decisions, and the texts of the resulting version. */
const TABLE = `
new in all languages | - | en A, de B, fr C | A: record, B: joined, C: joined | en A, de B, fr C
new and only relevant in another language: the record has the main language too | - | en off topic, fr C, de B | B: record, off topic: joined, C: joined | en off topic, de B, fr C
new and not relevant in any language | - | en off topic, de off topic too | - | -
new, and a page repeats the text of another language | - | de A, en A, fr C | A: unchanged, C: joined | en A, fr C
all languages are edited | en A, de B, fr C | fr C2, de B2, en A2 | A2: record, B2: joined, C2: joined | en A2, de B2, fr C2
two languages are edited, not the record's own | en A, de B, fr C | fr C2, de B2, en A | B2: record, C2: joined | en A, de B2, fr C2
the record's own language is not the main one, and makes the version | de B, en A | en A2, de B2 | B2: record, A2: joined | de B2, en A2
one language is edited | en A, de B | en A, de B2 | B2: record | en A, de B2
a language is added later | en A | en A, de B, fr C | B: translated, C: translated | -
a language is added with an edit | en A | de B, en A2 | A2: record, B: translated | en A2
the main language is added with an edit of the record's own | de B | en A, de B2 | B2: record, A: translated | de B2
an edit is repeated in a language that had its own text: it keeps it | en A, de B | en A2, de A2 | A2: unchanged | en A2, de B
two languages are swapped | en A, de B | en B, de A | B: record, A: joined | en B, de A
a text that an edit replaces becomes that of another language | en A, de B, fr C | de A, en A2, fr C | A2: record, A: joined | en A2, de A, fr C
another language's text is repeated, and neither is edited | en A, de B, fr C | en A, de A, fr C | - | -
an edit is repeated in a new language | en A | de A2, en A2 | A2: unchanged | en A2
a date changes with another language's text | en A, de B | en A@2, de B2@2 | A: record, B2: joined | en A, de B2
only a date changes, for the first time | en A, de B | en A@2, de B@2 | A: date_changed | -
two editions of one language: the newer one counts | en A | en A2@1, en A3@2 | A3: record, A2: unchanged | en A3
two editions of one language, one of them stored | en A, de B | de B2, de B | B2: unchanged | -
a newer edition beside the one that is stored | en A, de B | de B, de B2@1 | B2: record | en A, de B2
`;

const split = (texts = "") => texts === "-" ? [] : texts.split(", ");

for (const row of TABLE.trim().split("\n")) {
  const [name, before, items, decisions, version] = row.split(" | ");
  Deno.test(`decideGroup(): ${name}`, () => {
    const texts = split(items);
    const stored = before === "-" ? null : storedOf(split(before));
    const found = decide(texts, stored);
    const list = Object.entries(found.outcomes).map(([title, kind]) => `${title}: ${kind}`);
    assert.deepEqual(list.sort(), split(decisions).sort());
    const titles = Object.entries(found.event?.translations ?? {}).map(([code, { title }]) =>
      `${code} ${title}`
    );
    assert.deepEqual(titles.sort(), split(version).sort());
    assert.deepEqual(decide(texts.toReversed(), stored), found, "in any order of the documents");
    if (found.event === null) return;
    const { external_id, version: number, supersedes } = found.event;
    assert.deepEqual([external_id, found.notify], [KEY, "after_fetch"]);
    assert.deepEqual([number, supersedes], stored === null ? [1, null] : [2, "evt_old"]);
    const shown = found.event.translations["en"]?.title ??
      found.event.translations[found.event.language]?.title;
    assert.equal(found.event.title_en, shown);
  });
}

Deno.test("decideGroup() restores a withdrawn publication in one version with its edits", () => {
  const stored = storedOf(["en A", "de B", "fr C"], { withdrawn: true });
  const { outcomes, event } = decide(["de B2", "fr C", "en A"], stored);
  assert.deepEqual(outcomes, { A: "record", B2: "joined", C: "unchanged" });
  assert.equal(event?.status, null);
  assert.deepEqual(Object.values(event?.translations ?? {}).map(({ title }) => title), ["A", "B2", "C"]);
});

Deno.test("decideGroup() uses a changed date unless the source generates its dates", () => {
  const moved = ["en A@2", "de B2"];
  assert.equal(decide(moved, storedOf(["en A", "de B"])).event?.published_at, NOW - 7 * DAY);
  const made = decide(moved, storedOf(["en A", "de B"], { dateMoves: 2 }));
  assert.deepEqual([made.outcomes, made.event?.published_at], [{ B2: "record" }, NOW - 9 * DAY]);
  const churning = decide(moved, storedOf(["en A", "de B"]), "keep");
  assert.deepEqual(churning.outcomes, { B2: "record" }, "dates that change together are not pending");
});

Deno.test("decideGroup() decides again if the stored version has changed in the meantime", () => {
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

Deno.test("LanguageMerge separates two items of one language with different identities", () => {
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
