// Times as people read them, with the exact time in the title.
import { type Html, markup } from "../html.ts";
import type { Format } from "../texts/format.ts";

interface Clocked {
  format: Format;
  nowMs: number;
}

/** A time relative to now, such as `3 hours ago`. */
export function timeAgo(ms: number, { format, nowMs }: Clocked): Html {
  const exact = format.dateTime(ms);
  return markup`<time datetime="${isoOf(ms)}" title="${exact}">${format.relative(ms, nowMs)}</time>`;
}

/** An exact time in UTC. */
export function exactTime(ms: number, { format }: Pick<Clocked, "format">): Html {
  return markup`<time datetime="${isoOf(ms)}">${format.dateTime(ms)}</time>`;
}

/** A date without a time. Takes Unix ms or `2026-08-02`. */
export function dateOnly(day: number | string, { format }: Pick<Clocked, "format">): Html {
  const iso = typeof day === "string" ? day : isoOf(day).slice(0, 10);
  return markup`<time datetime="${iso}">${format.date(day)}</time>`;
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
