// Which items are new, revised or unchanged.
import assert from "node:assert/strict";
import type { RegEvent } from "../../../src/domain/event/event.ts";
import type { StoredPublication } from "../../../src/domain/ports/store/publications.ts";
import { type IdentifiedItem, identifyItems } from "../../../src/ingest/identify/identify.ts";
import { PLAIN_IDENTITY } from "../../../src/ingest/identify/identity_rule.ts";
import type { NormalisedItem } from "../../../src/ingest/normalise/item.ts";
import {
  type Classified,
  decideRevision,
  type RevisionContext,
} from "../../../src/ingest/revise/decide_revision.ts";
import { SAMPLE_PROVENANCE } from "../../support/samples.ts";

const NOW = Date.parse("2026-08-01T10:00:00Z");
const HOUR = 3_600_000;

const classified: Classified = {
  relevant: true,
  language: "de",
  eventType: "guidance",
  topics: ["transparency"],
  severity: "high",
  aiActArticles: ["Art. 50"],
};
const context = (change: Partial<RevisionContext> = {}): RevisionContext => ({
  source: { id: "board", name: "Board" },
  keepAll: false,
  notify: true,
  nowMs: NOW,
  keys: new Set(["id-1"]),
  movedDates: "now",
  isReread: false,
  wasIrrelevant: () => false,
  newEventId: () => "evt_new",
  classify: () => classified,
  provenance: () => SAMPLE_PROVENANCE,
  ...change,
});
const identified = (change: Partial<NormalisedItem> = {}): IdentifiedItem => {
  const item: NormalisedItem = {
    guid: "id-1",
    link: "https://board.example/a",
    title: "Leitlinien",
    summary: "Zur Transparenz.",
    publishedAtMs: NOW - HOUR,
    publishedOn: "2026-08-01",
    publishedPrecision: "time",
    updatedAtMs: null,
    language: null,
    categories: [],
    ...change,
  };
  const [first] = identifyItems([item], PLAIN_IDENTITY).items;
  assert.ok(first);
  return first;
};
const eventOf = (item: IdentifiedItem, change: Partial<RevisionContext> = {}): RegEvent => {
  const decision = decideRevision(item, null, context(change));
  assert.equal(decision.kind, "record");
  return (decision as { event: RegEvent }).event;
};
const storedAs = (event: RegEvent, contentHash: string): StoredPublication => ({
  externalId: event.external_id,
  contentHash,
  version: event.version,
  foundBy: "key",
  textHash: null,
  pendingHash: null,
  dateMoves: 0,
  renamings: 0,
  withdrawn: false,
  keys: [event.external_id],
  languages: new Map(),
  event,
});

Deno.test("decideRevision() records a new publication as version 1 with the text in its own language", () => {
  assert.deepEqual(eventOf(identified()), {
    id: "evt_new",
    source_id: "board",
    source: { id: "board", name: "Board" },
    external_id: "id-1",
    version: 1,
    supersedes: null,
    event_type: "guidance",
    topics: ["transparency"],
    severity: "high",
    title_en: "Leitlinien",
    summary_en: "Zur Transparenz.",
    url_official: "https://board.example/a",
    ai_act_articles: ["Art. 50"],
    published_at: NOW - HOUR,
    published_at_precision: "time",
    published_on: "2026-08-01",
    published_at_estimated: false,
    ingested_at: NOW,
    language: "de",
    language_versions: ["de"],
    translations: { de: { title: "Leitlinien", summary: "Zur Transparenz." } },
    status: null,
  });
});

Deno.test("decideRevision() does not classify unchanged content", () => {
  const item = identified();
  const stored = storedAs(eventOf(item), item.contentHash);
  const classify = () => assert.fail("classified");
  assert.deepEqual(decideRevision(item, stored, context({ classify })), { kind: "unchanged" });
});

Deno.test("decideRevision() records changed content as the next version of the same publication", () => {
  const before = identified();
  const stored = storedAs({ ...eventOf(before), id: "evt_old", external_id: "first-id" }, before.contentHash);
  const decision = decideRevision(identified({ summary: "Zur Transparenz, ergänzt." }), stored, context());
  assert.equal(decision.kind, "record");
  const { event } = decision as { event: RegEvent };
  assert.deepEqual([event.version, event.supersedes, event.external_id], [2, "evt_old", "first-id"]);
});

Deno.test("decideRevision() skips irrelevant items unless the source keeps all items", () => {
  const classify = () => ({ ...classified, relevant: false });
  assert.deepEqual(decideRevision(identified(), null, context({ classify })), { kind: "irrelevant" });
  assert.equal(decideRevision(identified(), null, context({ classify, keepAll: true })).kind, "record");
});

Deno.test("decideRevision() records the revision of a publication that is no longer relevant", () => {
  const before = identified();
  const stored = storedAs(eventOf(before), before.contentHash);
  const classify = () => ({ ...classified, relevant: false });
  assert.equal(decideRevision(identified({ title: "Neu" }), stored, context({ classify })).kind, "record");
});

Deno.test("decideRevision() decides whether a changed date is a revision by the document and the publication's history", () => {
  const before = identified();
  const moved = identified({ publishedAtMs: NOW });
  const { contentHash } = moved;
  const decide = (movedDates: RevisionContext["movedDates"], history: Partial<StoredPublication> = {}) => {
    const stored = { ...storedAs(eventOf(before), before.contentHash), ...history };
    const decision = decideRevision(moved, stored, context({ movedDates }));
    return decision.kind === "date_changed" && decision.isPending ? "pending" : decision.kind;
  };
  assert.equal(decide("ask"), "date_changed");
  assert.equal(decide("keep"), "date_changed");
  assert.equal(decide("now"), "record");
  assert.equal(decide("again"), "pending");
  assert.equal(decide("again", { pendingHash: contentHash }), "record");
  assert.equal(decide("again", { pendingHash: "another date", dateMoves: 1 }), "pending");
  assert.equal(decide("again", { dateMoves: 2 }), "unchanged", "its date is generated");
  assert.equal(decide("again", { dateMoves: 2, pendingHash: contentHash }), "record", "seen before");
  assert.equal(decide("now", { dateMoves: 2 }), "unchanged");
  assert.equal(decide("again", { textHash: moved.textHash }), "pending", "by the hash alone");
  assert.equal(decide("again", { textHash: "another text" }), "record");
});

Deno.test("decideRevision() records no revision if only the time of a date is added or removed", () => {
  type Dates = Pick<NormalisedItem, "publishedAtMs" | "publishedOn" | "publishedPrecision">;
  const at = (time: string, publishedOn: string, publishedPrecision: Dates["publishedPrecision"]): Dates => ({
    publishedAtMs: Date.parse(time),
    ...{ publishedOn, publishedPrecision },
  });
  const day = at("2026-07-29T22:00:00Z", "2026-07-30", "date");
  const sameDayInUtc = at("2026-07-30T00:00:00Z", "2026-07-30", "date");
  const morning = at("2026-07-30T07:30:00Z", "2026-07-30", "time");
  const evening = at("2026-07-30T17:30:00Z", "2026-07-30", "time");
  const nextDay = at("2026-07-30T22:00:00Z", "2026-07-31", "date");
  const rows: [name: string, before: Dates, after: Dates, kind: string][] = [
    ["a time added", day, morning, "unchanged"],
    ["a time removed", morning, day, "unchanged"],
    ["the same day in another zone", day, sameDayInUtc, "unchanged"],
    ["another time", morning, evening, "record"],
    ["another day", day, nextDay, "record"],
    ["another day and a time removed", morning, nextDay, "record"],
  ];
  for (const [name, before, after, kind] of rows) {
    const item = identified(before);
    const stored = storedAs(eventOf(item), item.contentHash);
    const decision = decideRevision(identified(after), stored, context());
    assert.equal(decision.kind, kind, name);
    // The new hash is stored, so the next fetch is unchanged at once.
    if (decision.kind === "unchanged") assert.equal(decision.hashedAnew, true, name);
    const edited = decideRevision(identified({ ...after, title: "Neu" }), stored, context());
    assert.ok(edited.kind === "record");
    const { published_at, published_on, published_at_precision } = edited.event;
    assert.deepEqual(
      [published_at, published_on, published_at_precision],
      [after.publishedAtMs, after.publishedOn, after.publishedPrecision],
      name,
    );
  }
});

Deno.test("decideRevision() restores a withdrawn publication that is listed again", () => {
  const before = identified();
  const event = { ...eventOf(before), status: "withdrawn" as const };
  const stored = { ...storedAs(event, before.contentHash), withdrawn: true };
  const decision = decideRevision(before, stored, context());
  assert.ok(decision.kind === "record");
  assert.deepEqual([decision.event.version, decision.event.status], [2, null]);
});

Deno.test("decideRevision() revises nothing if the document was read before", () => {
  const before = identified();
  const stored = storedAs(eventOf(before), before.contentHash);
  const older = identified({ title: "Leitlinien, Entwurf" });
  assert.equal(decideRevision(older, stored, context({ isReread: true })).kind, "unchanged");
  assert.equal(decideRevision(older, null, context({ isReread: true })).kind, "record");
});

Deno.test("decideRevision() matches an alias if the URL or title is the same", () => {
  const before = identified();
  const former = { ...storedAs(eventOf(before), "-"), externalId: "x", foundBy: "alias" as const };
  const versionOf = (change: Partial<NormalisedItem>, keys: string[] = []) => {
    const decision = decideRevision(
      identified({ guid: "new", ...change }),
      { ...former, keys: ["x", ...keys] },
      context({ keys: new Set(["new", ...keys]) }),
    );
    return decision.kind === "record" ? [decision.event.version, decision.notify] : decision.kind;
  };
  assert.deepEqual(versionOf({ title: "Neu" }), [2, "after_fetch"]);
  assert.deepEqual(versionOf({ link: "https://board.example/b" }), [2, "after_fetch"]);
  assert.deepEqual(versionOf({ link: "https://board.example/b", title: "Neu" }), [1, "after_fetch"]);
  const other = versionOf({ title: "Neu" }, ["other"]);
  assert.deepEqual(other, [1, false], "another item of the document has the alias");
});

Deno.test("decideRevision() separates two ids of one publication that are listed with different content", () => {
  const before = identified();
  const stored = storedAs(eventOf(before), before.contentHash);
  const other = identified({ guid: "id-2", title: "Neu" });
  const versionWith = (keys: string[]) => {
    const decision = decideRevision(other, stored, context({ keys: new Set(keys) }));
    assert.equal(decision.kind, "record");
    const { event } = decision as { event: RegEvent };
    return [event.external_id, event.version];
  };
  assert.deepEqual(versionWith(["id-1", "id-2"]), ["id-2", 1]);
  assert.deepEqual(versionWith(["id-2"]), ["id-1", 2], "a new id of the publication");
});

Deno.test("decideRevision() uses the stated date, otherwise the date of change, otherwise the time of the fetch", () => {
  const DAY = 24 * HOUR;
  const rows: [name: string, item: Partial<NormalisedItem>, publishedAt: number, isEstimated: boolean][] = [
    ["stated", { publishedAtMs: NOW - DAY }, NOW - DAY, false],
    ["only changed", { publishedAtMs: null, updatedAtMs: NOW - 2 * DAY }, NOW - 2 * DAY, false],
    ["none", { publishedAtMs: null }, NOW, true],
    ["a day ahead", { publishedAtMs: NOW + DAY }, NOW + DAY, false],
    ["more than a day ahead", { publishedAtMs: NOW + DAY + 1 }, NOW, true],
  ];
  for (const [name, change, publishedAt, isEstimated] of rows) {
    const event = eventOf(identified(change));
    assert.deepEqual([event.published_at, event.published_at_estimated], [publishedAt, isEstimated], name);
  }
});

Deno.test("decideRevision() keeps the date of the first version of an undated publication", () => {
  const before = identified({ publishedAtMs: null });
  const stored = storedAs(eventOf(before), before.contentHash);
  const later = context({ nowMs: NOW + HOUR });
  const decision = decideRevision(identified({ publishedAtMs: null, title: "Neu" }), stored, later);
  assert.equal(decision.kind === "record" && decision.event.published_at, NOW);
});
