// When a source is due: schedule, back-off, delay and freshness.
import assert from "node:assert/strict";
import {
  nextAfterFailure,
  nextAfterSuccess,
  nextRun,
  pauseOfHost,
} from "../../../src/ingest/schedule/schedule.ts";

const at = (text: string): number => Date.parse(text);
const MINUTE = 60_000;

Deno.test("nextRun() returns the first run after a time, in the schedule's time zone", () => {
  const rows: [schedule: string, timezone: string, after: string, expected: string][] = [
    ["*/30 * * * *", "UTC", "2026-07-31T12:00:00Z", "2026-07-31T12:30:00Z"],
    ["*/30 * * * *", "UTC", "2026-07-31T12:29:59.999Z", "2026-07-31T12:30:00Z"],
    ["0 8 * * *", "Europe/Brussels", "2026-07-31T05:00:00Z", "2026-07-31T06:00:00Z"],
    ["0 8 * * *", "Europe/Brussels", "2026-12-31T05:00:00Z", "2026-12-31T07:00:00Z"],
    // 02:30 does not exist on the day that summer time begins.
    ["30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00Z"],
    ["0 0 * * 1", "America/New_York", "2026-07-31T12:00:00Z", "2026-08-03T04:00:00Z"],
    ["* * * * * *", "UTC", "2026-07-31T12:00:00.100Z", "2026-07-31T12:00:01Z"],
  ];
  for (const [schedule, timezone, after, expected] of rows) {
    const next = nextRun({ schedule, timezone }, at(after));
    assert.equal(next, at(expected), `${schedule} ${timezone} ${after}`);
  }
});

Deno.test("nextAfterFailure() retries after 5 minutes, then twice as long, up to the schedule's interval or a day", () => {
  const nowMs = at("2026-07-31T12:00:00Z");
  const rows: [schedule: string, waits: number[]][] = [
    ["* * * * *", [5, 5, 5, 5]],
    ["*/30 * * * * *", [5, 5, 5, 5]],
    ["*/12 * * * *", [5, 10, 12, 12]],
    ["*/30 * * * *", [5, 10, 20, 30, 30]],
    ["0 */6 * * *", [5, 10, 20, 40, 80, 160, 320, 360, 360]],
    ["0 6 * * *", [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440]],
    ["0 6 * * 1", [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440]],
    // Irregular: the last run was at 12:00, the next is at 12:20.
    ["0,20 9,12 * * *", [5, 10, 20, 20]],
    // The next run is years ahead.
    ["0 0 29 2 *", [5, 10, 20, 40]],
  ];
  for (const [schedule, expected] of rows) {
    const waits = expected.map((_, index) => {
      const failed = { nowMs, failures: index + 1, retryAtMs: null };
      return (nextAfterFailure({ schedule, timezone: "UTC" }, failed).nextDueAtMs - nowMs) / MINUTE;
    });
    assert.deepEqual(waits, expected, schedule);
  }
  const many = { nowMs, failures: 100_000, retryAtMs: null };
  const { nextDueAtMs } = nextAfterFailure({ schedule: "0 6 * * 1", timezone: "UTC" }, many);
  assert.equal(nextDueAtMs - nowMs, 1_440 * MINUTE);
});

Deno.test("nextAfterFailure() waits for a later Retry-After, up to a day, whatever the schedule is", () => {
  const nowMs = at("2026-07-31T12:00:00Z");
  const rows: [schedule: string, retryMinutes: number, expectedMinutes: number][] = [
    ["* * * * *", 1, 5],
    ["* * * * *", 90, 90],
    ["0 6 * * *", 90, 90],
    ["* * * * *", 9_000, 1_440],
  ];
  for (const [schedule, retry, expected] of rows) {
    const failed = { nowMs, failures: 1, retryAtMs: nowMs + retry * MINUTE };
    const next = nextAfterFailure({ schedule, timezone: "UTC" }, failed);
    assert.equal((next.nextDueAtMs - nowMs) / MINUTE, expected, `${schedule} ${retry}`);
  }
});

Deno.test("nextRun() delays the runs of each source by a constant time within the limit", () => {
  const startMs = at("2026-07-31T12:00:00Z");
  const offsets = new Set<number>();
  for (const [schedule, intervalMs] of [["*/30 * * * *", 30 * MINUTE], ["*/2 * * * * *", 2_000]] as const) {
    for (let number = 0; number < 50; number++) {
      const maxMs = 5 * MINUTE;
      const jittered = { schedule, timezone: "UTC", jitter: { seed: `source-${number}`, maxMs } };
      const plain = { schedule, timezone: "UTC" };
      let [run, slot] = [startMs, startMs];
      for (let round = 0; round < 5; round++) {
        const next = nextRun(jittered, run);
        slot = nextRun(plain, round === 0 ? startMs - 1 : slot);
        const offset = next - slot;
        assert.ok(offset >= 0 && offset <= Math.min(maxMs, intervalMs / 4), `${schedule} ${offset}`);
        if (intervalMs > maxMs) offsets.add(offset);
        if (round > 0) assert.equal(next - run, intervalMs, "runs have the interval of the schedule");
        assert.equal(nextRun(jittered, next - 1), next, "at any time");
        run = next;
      }
    }
  }
  assert.ok(offsets.size > 40, "different delays");
});

Deno.test("nextRun() runs every slot of an irregular schedule once, with any delay", () => {
  const jitter = { seed: "board", maxMs: 10 * MINUTE };
  let run = at("2026-07-31T00:00:00Z") - 1;
  const hours: number[] = [];
  for (let round = 0; round < 8; round++) {
    run = nextRun({ schedule: "0,10 8,9 * * *", timezone: "UTC", jitter }, run);
    hours.push(new Date(run).getUTCHours());
  }
  assert.deepEqual(hours, [8, 8, 9, 9, 8, 8, 9, 9]);
});

Deno.test("nextAfterSuccess() returns the first run after the freshness lifetime, which is limited", () => {
  const nowMs = at("2026-07-31T12:00:00Z");
  const halfHourly = { schedule: "*/30 * * * *", timezone: "UTC" };
  const rows: [freshMinutes: number | null, maxMinutes: number, expectedMinutes: number][] = [
    [null, 360, 30],
    [10, 360, 30],
    [30, 360, 30],
    [31, 360, 60],
    [90, 360, 90],
    [1_440, 360, 360],
    [525_600, 360, 360],
    [90, 0, 30],
    [-60, 360, 30],
  ];
  for (const [fresh, max, expected] of rows) {
    const { nextDueAtMs } = nextAfterSuccess(halfHourly, {
      nowMs,
      freshUntilMs: fresh === null ? null : nowMs + fresh * MINUTE,
      maxFreshMs: max * MINUTE,
    });
    assert.equal((nextDueAtMs - nowMs) / MINUTE, expected, `${fresh} within ${max}`);
  }
});

Deno.test("pauseOfHost() returns Retry-After up to a day, or else the back-off up to half an hour", () => {
  const nowMs = at("2026-07-31T12:00:00Z");
  const minutes = (failures: number, retryAtMs: number | null) =>
    (pauseOfHost({ nowMs, failures, retryAtMs }) - nowMs) / MINUTE;
  assert.deepEqual([1, 2, 3, 4, 500].map((failures) => minutes(failures, null)), [5, 10, 20, 30, 30]);
  assert.equal(minutes(1, nowMs + 90 * MINUTE), 90);
  assert.equal(minutes(1, nowMs + 9_000 * MINUTE), 1_440);
});
