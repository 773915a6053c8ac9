// The times that an operator names: a stretch back from now, a date, or a moment.
import { readDuration } from "../config/parse_values.ts";
import { CommandError } from "../server/call.ts";
import { EXIT } from "../server/call.ts";

/** A date, or a moment as the tables print it or as ISO 8601 has it; without a zone it is UTC. */
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/;
/** Unix ms of our time have thirteen figures; Unix seconds have ten. */
const UNIX_MS = /^\d{12,14}$/;
const LONGEST_MS = 100 * 366 * 86_400_000;

/**
 * Reads what `option` was given, in Unix ms: `36h` or `7d` (so long before now), `2026-07-31`, `2026-07-31 12:00` (UTC),
 * `2026-07-31T12:00:00+02:00`, Unix ms. Throws a {@link CommandError} (exit code 2).
 */
export function readSince(option: string, text: string, nowMs: number): number {
  const back = readDuration(text, { minMs: 1, maxMs: LONGEST_MS });
  if ("value" in back) return nowMs - back.value;
  if (UNIX_MS.test(text)) return Number(text);
  const [, date = "", time = "00:00", zone = "Z"] = MOMENT.exec(text) ?? [];
  const atMs = Date.parse(`${date}T${time}${zone}`);
  const midnight = new Date(`${date}T00:00Z`);
  // A day that its month does not have would be taken for one of the next month.
  if (!Number.isNaN(atMs) && midnight.toISOString().startsWith(date)) return atMs;
  throw new CommandError(
    `${option} must be a duration before now (36h, 7d), a date or time in UTC (2026-07-31, ` +
      `"2026-07-31 12:00"), or Unix milliseconds, not ${text}`,
    EXIT.usage,
  );
}
