// Which events are new to a visitor of the feed.
import assert from "node:assert/strict";
import { type FeedVisit, planFeedVisit } from "../../../src/domain/plans/feed_visit.ts";

const MINUTE = 60_000;
const known: FeedVisit = { readSeq: 5, readAtMs: 1_000, seenSeq: 8, seenAtMs: 100 * MINUTE };

Deno.test("planFeedVisit() keeps what is new during a visit, and starts the next one where the last ended", () => {
  const rows: [
    name: string,
    before: FeedVisit | null,
    lastSeq: number,
    atMinute: number,
    after: FeedVisit,
  ][] = [
    ["first visit", null, 7, 1, { readSeq: 7, readAtMs: MINUTE, seenSeq: 7, seenAtMs: MINUTE }],
    ["a moment later", known, 8, 100.5, known],
    ["a new event", known, 9, 100.5, { ...known, seenSeq: 9, seenAtMs: 100.5 * MINUTE }],
    ["still the same visit", known, 8, 129, { ...known, seenAtMs: 129 * MINUTE }],
    ["the clock was set back", known, 8, 50, known],
    ["the next visit", known, 9, 130, {
      readSeq: 8,
      readAtMs: 100 * MINUTE,
      seenSeq: 9,
      seenAtMs: 130 * MINUTE,
    }],
    ["after everything was marked as read", { ...known, readSeq: 12 }, 13, 200, {
      readSeq: 12,
      readAtMs: 100 * MINUTE,
      seenSeq: 13,
      seenAtMs: 200 * MINUTE,
    }],
  ];
  for (const [name, before, lastSeq, atMinute, after] of rows) {
    assert.deepEqual(planFeedVisit(before, { lastSeq, nowMs: atMinute * MINUTE }), after, name);
  }
  assert.equal(
    planFeedVisit(known, { lastSeq: 8, nowMs: 100.5 * MINUTE }),
    known,
    "nothing is worth storing",
  );
});
