// Tests of src/ingest/parse/newest_items.ts through the door of its folder.
import assert from "node:assert/strict";
import { parseDocument } from "../../../src/ingest/parse/document.ts";

type Row = [id: string, date: string | null];

const FORMATS: Readonly<Record<string, (rows: readonly Row[]) => string>> = {
  rss: (rows) =>
    `<rss version="2.0"><channel>${
      rows.map(([id, date]) =>
        `<item><guid>${id}</guid><title>${id}</title>${
          date === null ? "" : `<pubDate>${date}</pubDate>`
        }</item>`
      ).join("")
    }</channel></rss>`,
  "json feed": (rows) =>
    JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      items: rows.map(([id, date]) => ({
        id,
        title: id,
        ...(date === null ? {} : { date_published: date }),
      })),
    }),
};

for (const [format, write] of Object.entries(FORMATS)) {
  Deno.test(`${format}: of too many items the newest are taken, whatever their order, and the others are counted`, () => {
    const cases: [what: string, rows: Row[], expected: string[], which: string][] = [
      ["oldest first", [["a", "2026-07-01"], ["b", "2026-07-02"], ["c", "2026-07-03"]], ["b", "c"], "newest"],
      ["newest first", [["c", "2026-07-03"], ["b", "2026-07-02"], ["a", "2026-07-01"]], ["c", "b"], "newest"],
      ["mixed", [["b", "2026-07-02"], ["a", "2026-07-01"], ["c", "2026-07-03"]], ["b", "c"], "newest"],
      ["of one day", [["a", "2026-07-01"], ["b", "2026-07-01"], ["c", "2026-07-01"]], ["a", "b"], "newest"],
      ["no dates", [["a", null], ["b", null], ["c", null]], ["a", "b"], "first"],
      [
        "one without, after an old one",
        [["a", "2026-07-01"], ["b", null], ["c", "2026-07-03"]],
        ["a", "c"],
        "newest",
      ],
      [
        "one without, after a new one",
        [["c", "2026-07-03"], ["b", null], ["a", "2026-07-01"]],
        ["c", "b"],
        "newest",
      ],
      [
        "one without, at the top",
        [["b", null], ["a", "2026-07-01"], ["c", "2026-07-03"]],
        ["b", "c"],
        "newest",
      ],
      ["no date at all", [["a", "soon"], ["b", "later"], ["c", "never"]], ["a", "b"], "first"],
      ["in the source's zone", [["a", "2026-07-01 12:00"], ["b", "2026-07-01T11:00:00Z"], [
        "c",
        "2026-07-02",
      ]], [
        "b",
        "c",
      ], "newest"],
    ];
    for (const [what, rows, expected, which] of cases) {
      const document = parseDocument(new TextEncoder().encode(write(rows)), {
        contentType: null,
        maxItems: 2,
        timezone: "Europe/Brussels",
      });
      assert.deepEqual(document.items.map(({ guid }) => guid), expected, what);
      const reason = `1 of its 3 items are left out: only the ${which} 2 of a document are read`;
      assert.deepEqual(document.problems, [{ item: "document", reason, isMeant: true }], what);
    }
  });
}

Deno.test("no more than ten times as many items as are taken are read", () => {
  const rows = Array.from(
    { length: 25 },
    (_, at): Row => [`${at}`, `2026-07-${String(at + 1).padStart(2, "0")}`],
  );
  const text = FORMATS["rss"]?.(rows) ?? "";
  const { items, problems } = parseDocument(new TextEncoder().encode(text), {
    contentType: null,
    maxItems: 2,
  });
  assert.deepEqual(items.map(({ guid }) => guid), ["18", "19"]);
  assert.deepEqual(problems.map(({ reason }) => reason), [
    "18 of its 20 items are left out: only the newest 2 of a document are read",
    "5 items beyond the first 20 are ignored",
  ]);
});
