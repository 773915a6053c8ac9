// The cadence of a source counts new, revised and newly skipped publications.
import assert from "node:assert/strict";
import type { PublicationCadence } from "../../../src/domain/source/source.ts";
import { updateCadence } from "../../../src/ingest/schedule/publication_cadence.ts";
import type { DecidedItem } from "../../../src/ingest/model.ts";

const DAY = 86_400_000;
const NONE: PublicationCadence = { lastAtMs: null, days: [], seen: "" };

const items = (kind: string, titles: readonly (string | number)[]) =>
  titles.map((title) =>
    ({ item: { title: `${title}`, link: "https://board.example" }, decision: { kind } }) as unknown as Pick<
      DecidedItem,
      "item" | "decision"
    >
  );
const skipped = (...titles: (string | number)[]) => items("irrelevant", titles);
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

Deno.test("updateCadence() counts new and revised events, and newly skipped items", () => {
  const first = updateCadence(NONE, skipped("a", "b"), 5 * DAY + 1);
  assert.deepEqual([first.lastAtMs, first.days], [5 * DAY + 1, [5]]);
  const same = updateCadence(first, [...skipped("b", "a"), ...items("unchanged", ["c"])], 6 * DAY);
  assert.deepEqual(same, first, "in any order");
  assert.equal(updateCadence(same, skipped("b"), 6 * DAY).lastAtMs, first.lastAtMs, "a removed item");
  assert.deepEqual(updateCadence(same, skipped("b", "c"), 6 * DAY).days, [5, 6]);
  assert.deepEqual(updateCadence(same, items("record", ["d"]), 7 * DAY).days, [5, 7]);
  assert.deepEqual(updateCadence(same, [], 8 * DAY), same, "an unchanged document");
});

Deno.test("updateCadence() keeps a sample of long lists and a limited number of days", () => {
  let history = updateCadence(NONE, skipped(...numbers(0, 5_000)), DAY);
  assert.ok(history.seen.length <= 256 * 8);
  assert.equal(updateCadence(history, skipped(...numbers(0, 5_000)), 2 * DAY).lastAtMs, DAY);
  let noticed = 0;
  for (const start of numbers(1, 21)) {
    const items = skipped(...numbers(start * 200, start * 200 + 5_000));
    const next = updateCadence(history, items, (1 + start) * DAY);
    if (next.lastAtMs !== history.lastAtMs) noticed++;
    history = next;
  }
  assert.ok(noticed >= 18, `${noticed} of 20 times with new items`);
  for (const day of numbers(30, 200)) history = updateCadence(history, items("record", [day]), day * DAY);
  assert.equal(history.days.length, 60);
  assert.equal(history.days.at(-1), 199);
  const { days } = updateCadence(history, items("record", ["x"]), 150 * DAY);
  assert.deepEqual(days.at(-1), 150, "the clock was set back");
});
