// Documents with too many items: the newest ones are kept.
import assert from "node:assert/strict";
import { parseDocument } from "../../../src/ingest/parse/document.ts";
import { atom, bytesOf, jsonFeed, rss } from "./feeds.ts";

/** Items as "ID DATE", or as "ID" if they have no date. */
type Rows = readonly string[];

const split = (rows: Rows) => rows.map((row) => row.split(/ (.*)/s) as [id: string, date?: string]);
const FORMATS: Readonly<Record<string, (rows: Rows) => string>> = {
  rss: (rows) =>
    rss(
      split(rows).map(([id, date]) =>
        `<item><guid>${id}</guid><title>${id}</title>${date ? `<pubDate>${date}</pubDate>` : ""}</item>`
      ).join(""),
    ),
  atom: (rows) =>
    atom(
      split(rows).map(([id, date]) =>
        `<entry><id>${id}</id><title>${id}</title>${date ? `<published>${date}</published>` : ""}</entry>`
      ).join(""),
    ),
  "json feed": (rows) =>
    jsonFeed(split(rows).map(([id, date]) => ({ id, title: id, ...(date ? { date_published: date } : {}) }))),
};

function read(text: string) {
  const options = { contentType: null, maxItems: 2, timezone: "Europe/Brussels" };
  const { items, problems } = parseDocument(bytesOf(text), options);
  assert.deepEqual([problems[0]?.item, problems[0]?.isMeant], ["document", true]);
  return [items.map(({ guid }) => guid), problems.map(({ reason }) => reason)];
}

for (const [format, write] of Object.entries(FORMATS)) {
  Deno.test(`${format}: the newest of too many items are kept, in any order, and the others are counted`, () => {
    const cases: [what: string, rows: Rows, expected: Rows, which?: string][] = [
      ["oldest first", ["a 2026-07-01", "b 2026-07-02", "c 2026-07-03"], ["b", "c"]],
      ["newest first", ["c 2026-07-03", "b 2026-07-02", "a 2026-07-01"], ["c", "b"]],
      ["unordered", ["b 2026-07-02", "a 2026-07-01", "c 2026-07-03"], ["b", "c"]],
      ["of one day", ["a 2026-07-01", "b 2026-07-01", "c 2026-07-01"], ["a", "b"]],
      ["without dates", ["a", "b", "c"], ["a", "b"], "first"],
      ["one without a date after an old one", ["a 2026-07-01", "b", "c 2026-07-03"], ["a", "c"]],
      ["one without a date after a new one", ["c 2026-07-03", "b", "a 2026-07-01"], ["c", "b"]],
      ["one without a date at the top", ["b", "a 2026-07-01", "c 2026-07-03"], ["b", "c"]],
      ["invalid dates", ["a soon", "b later", "c never"], ["a", "b"], "first"],
      ["in the time zone", ["a 2026-07-01 12:00", "b 2026-07-01T11:00:00Z", "c 2026-07-02"], ["b", "c"]],
    ];
    for (const [what, rows, expected, which = "newest"] of cases) {
      const reason = `only the ${which} 2 of its 3 items are read`;
      assert.deepEqual(read(write(rows)), [expected, [reason]], what);
    }
  });
}

Deno.test("at most ten times the kept number of items are read", () => {
  const rows = Array.from({ length: 25 }, (_, at) => `${at} 2026-07-${String(at + 1).padStart(2, "0")}`);
  assert.deepEqual(read(FORMATS["rss"]?.(rows) ?? ""), [["18", "19"], [
    "only the newest 2 of its 20 items are read",
    "items beyond the first 20 (5 in total) are ignored",
  ]]);
});
