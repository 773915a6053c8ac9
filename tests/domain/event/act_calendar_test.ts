// The Act's calendar: which dates concern which references.
import assert from "node:assert/strict";
import { actDatesOf } from "../../../src/domain/event/act_calendar.ts";
import { AI_ACT, isInAct } from "../../../src/domain/event/article.ts";
import calendar from "../../../src/domain/event/act_calendar.json" with { type: "json" };

Deno.test("actDatesOf() follows Articles 111 and 113 of the Act as amended in 2026", () => {
  const rows: [reference: string, dates: string[]][] = [
    ["Art. 4", ["2025-02-02"]],
    ["Art. 5", ["2025-02-02", "2026-12-02"]],
    ["Art. 5(1)(a)", ["2025-02-02"]],
    ["Art. 5(1)(ba)", ["2026-12-02"]],
    ["Art. 6(1)", ["2027-12-02", "2028-08-02"]],
    ["Art. 6(5)", ["2026-08-02"]],
    ["Art. 26", ["2027-12-02", "2028-08-02"]],
    ["Art. 30", ["2025-08-02"]],
    ["Art. 50", ["2026-08-02", "2026-12-02"]],
    ["Art. 50(2)", ["2026-08-02", "2026-12-02"]],
    ["Art. 50(4)", ["2026-08-02"]],
    ["Art. 53(1)(d)", ["2025-08-02", "2027-08-02"]],
    ["Art. 75a", ["2026-08-02"]],
    ["Art. 78", ["2025-08-02"]],
    ["Art. 99(4)", ["2025-08-02"]],
    ["Art. 101", ["2026-08-02", "2026-08-02"]],
    ["Art. 105", ["2026-07-27"]],
    ["Art. 113", []],
    ["Annex III", ["2027-12-02"]],
    ["Annex IV", []],
    ["Recital 60", []],
  ];
  for (const [reference, dates] of rows) {
    assert.deepEqual(actDatesOf([reference]).map(({ on }) => on), dates, reference);
  }
  const [chapter, grace] = actDatesOf(["Art. 51", "Art. 53(1)", "Art. 4"]).slice(1);
  assert.deepEqual([chapter?.references, grace?.basis], [["Art. 51", "Art. 53(1)"], "Art. 111(3)"]);
});

Deno.test("the calendar is in order, refers to the Act only, and has a date for every article from 1 to 112", () => {
  assert.deepEqual(calendar.dates, calendar.dates.toSorted((a, b) => a.date.localeCompare(b.date)));
  for (const { covers, except, basis, what_en, what_de, what_fr } of calendar.dates) {
    for (const one of [...covers.flatMap((range) => range.split(" to ")), ...except, basis]) {
      assert.ok(isInAct(one), one);
    }
    assert.equal(new Set([what_en, what_de, what_fr]).size, 3);
  }
  const undated = [...AI_ACT.articles.keys()].filter((number) => actDatesOf([`Art. ${number}`]).length === 0);
  assert.deepEqual(undated, ["113"]);
});
