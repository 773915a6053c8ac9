// Parses times in options: a duration before now, a date, a date and time, or Unix ms.
import { readDuration } from "../config/parse_values.ts";
import { NOT_A_TIME, readTime, type TimeBound } from "../domain/sent_time.ts";
import { CommandError, EXIT } from "../server/command_context.ts";

const LONGEST_MS = 100 * 366 * 86_400_000;
/** A number that is more likely a duration without its unit than a time in January 1970. */
const BARE_NUMBER = /^[1-9]\d{0,8}$/;

/**
 * Parses the value of `option` into Unix ms. Accepts `36h` or `7d` (before now), and the times that the API accepts,
 * except small numbers. `bound` says what a date without a time means. For anything else, throws a {@link CommandError}
 * (exit code 2).
 */
export function readSince(option: string, text: string, nowMs: number, bound: TimeBound = "since"): number {
  const back = readDuration(text, { minMs: 1, maxMs: LONGEST_MS });
  if ("value" in back) return nowMs - back.value;
  const read = readTime(text, bound);
  if ("ms" in read && !BARE_NUMBER.test(text)) return read.ms;
  throw new CommandError(
    "problem" in read && read.problem !== NOT_A_TIME
      ? `${option} ${text} ${read.problem}`
      : `${option} must be a duration before now (36h, 7d), a date or time in UTC (2026-07-31, ` +
        `"2026-07-31 12:00"), or Unix milliseconds, not ${text}`,
    EXIT.usage,
  );
}
