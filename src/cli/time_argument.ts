// Parses times in options: a duration before now, a date, a date and time, or Unix ms.
import { readDuration } from "../config/parse_values.ts";
import { CommandError, EXIT } from "../server/command_context.ts";

/** A date, or a date and time, in the form that tables use or in ISO 8601. The default time zone is UTC. */
const MOMENT = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)(Z|[+-]\d\d:\d\d)?)?$/;
/** Unix ms have 13 digits today. Unix seconds, which have 10, do not match. */
const UNIX_MS = /^\d{12,14}$/;
const LONGEST_MS = 100 * 366 * 86_400_000;

/**
 * Parses the value of `option` into Unix ms. Accepts `36h` or `7d` (before now), `2026-07-31`, `2026-07-31 12:00`,
 * `2026-07-31T12:00:00+02:00` and Unix ms. For anything else, throws a {@link CommandError} (exit code 2).
 */
export function readSince(option: string, text: string, nowMs: number): number {
  const back = readDuration(text, { minMs: 1, maxMs: LONGEST_MS });
  if ("value" in back) return nowMs - back.value;
  if (UNIX_MS.test(text)) return Number(text);
  const [, date = "", time = "00:00", zone = "Z"] = MOMENT.exec(text) ?? [];
  const atMs = Date.parse(`${date}T${time}${zone}`);
  const midnight = new Date(`${date}T00:00Z`);
  // Rejects days such as 31 June, which Date would treat as 1 July.
  if (!Number.isNaN(atMs) && midnight.toISOString().startsWith(date)) return atMs;
  throw new CommandError(
    `${option} must be a duration before now (36h, 7d), a date or time in UTC (2026-07-31, ` +
      `"2026-07-31 12:00"), or Unix milliseconds, not ${text}`,
    EXIT.usage,
  );
}
