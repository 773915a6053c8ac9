// What the strategies share that ask for more than one document: their time, their days, short names of items.
import { createHash } from "node:crypto";
import type { Windows } from "../domain/reading.ts";
import type { Clock } from "../domain/ports.ts";
import type { SourceSettings } from "../domain/source.ts";
import { FetchError, settingsKey } from "./fetched.ts";

const DAY_MS = 86_400_000;
/** No further document of a fetch is asked for after so long, ms. */
export const WALK_MS = 300_000;
/** Windows of one fetch; the first fetch of a source that asks day by day has the most. */
const MAX_WINDOWS = 1_000;

/** The longest that one request of a walk may take, ms: endpoints such as Cellar's answer within 60 s, or not at all. */
export const WALKED_REQUEST_MS = 65_000;

/** Days that a request asks for: from the beginning of one to the beginning of another, Unix ms. */
export interface Window {
  sinceMs: number;
  untilMs: number;
}

/** Throws a {@link FetchError} when a fetch has taken so long that nothing more is asked for. */
export function requireTime(clock: Clock, startedMs: number): void {
  if (clock.nowMs() - startedMs > WALK_MS) {
    throw new FetchError(
      `took more than ${WALK_MS / 60_000} minutes: fewer pages or days at a time would fit`,
    );
  }
}

/** The days from the last fetch, or the first days, to now in windows, the oldest first. `lastMs` is null at the first. */
export function planWindows(
  { days, overlapDays, firstDays }: Windows,
  lastMs: number | null,
  nowMs: number,
): Window[] {
  const untilMs = (Math.floor(nowMs / DAY_MS) + 1) * DAY_MS;
  // A last fetch that lies ahead was made before the clock was set back.
  const startMs = lastMs === null
    ? nowMs - firstDays * DAY_MS
    : Math.min(lastMs, nowMs) - overlapDays * DAY_MS;
  const windows: Window[] = [];
  const stepMs = days === null ? Infinity : days * DAY_MS;
  for (let sinceMs = Math.floor(startMs / DAY_MS) * DAY_MS; sinceMs < untilMs; sinceMs += stepMs) {
    if (windows.length === MAX_WINDOWS) windows.shift();
    windows.push({ sinceMs, untilMs: Math.min(sinceMs + stepMs, untilMs) });
  }
  return windows;
}

/** A window in two halves of whole days; null for a single day. */
export function halveWindow({ sinceMs, untilMs }: Window): [Window, Window] | null {
  const days = Math.round((untilMs - sinceMs) / DAY_MS);
  if (days < 2) return null;
  const middleMs = sinceMs + Math.floor(days / 2) * DAY_MS;
  return [{ sinceMs, untilMs: middleMs }, { sinceMs: middleMs, untilMs }];
}

/** What a walked source's cursor holds for: with other rules everything is read anew. */
export function rulesKey(source: SourceSettings): string {
  return `${settingsKey(source)} ${shortName(JSON.stringify(source.rules))}`;
}

/** A text of any length as 16 characters. */
export function shortName(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
