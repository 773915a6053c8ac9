// What the strategies share that ask for more than one document: their time, their days, short names of items.
import { createHash } from "node:crypto";
import type { Windows } from "../../domain/source/extraction_rules.ts";
import type { Clock } from "../../domain/ports/ports.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { FetchError, settingsKey } from "./fetch_types.ts";

const DAY_MS = 86_400_000;
/** No further document of a fetch is asked for after so long, ms. */
export const MAX_FETCH_MS = 300_000;
/** Windows of one fetch; the first fetch of a source that asks day by day has the most. What is left is the next one's. */
const MAX_WINDOWS = 1_000;

/** The longest that one request of a walk may take, ms: endpoints such as Cellar's answer within 60 s, or not at all. */
export const WINDOW_REQUEST_MS = 65_000;

/** Days that a request asks for: from the beginning of one to the beginning of another, Unix ms. */
export interface Window {
  sinceMs: number;
  untilMs: number;
}

/** Whether a fetch has taken so long that nothing more is asked for. */
export function isTimeOver(clock: Clock, startedMs: number): boolean {
  return clock.nowMs() - startedMs > MAX_FETCH_MS;
}

/** Throws a {@link FetchError} when a fetch has taken so long that nothing more is asked for. */
export function requireTime(clock: Clock, startedMs: number): void {
  if (isTimeOver(clock, startedMs)) {
    throw new FetchError(
      `took more than ${MAX_FETCH_MS / 60_000} minutes: read fewer pages or days at a time`,
    );
  }
}

/**
 * The days from the last fetch, or the first days, to now in windows, the oldest first, {@link MAX_WINDOWS} at most.
 * `lastMs` is null at the first.
 */
export function planWindows(
  { days, overlapDays, firstDays }: Windows,
  lastMs: number | null,
  nowMs: number,
): Window[] {
  const untilMs = endOfDay(nowMs);
  // A last fetch that lies ahead was made before the clock was set back.
  const startMs = lastMs === null
    ? nowMs - firstDays * DAY_MS
    : Math.min(lastMs, nowMs) - overlapDays * DAY_MS;
  const windows: Window[] = [];
  const stepMs = days === null ? Infinity : days * DAY_MS;
  for (let sinceMs = Math.floor(startMs / DAY_MS) * DAY_MS; sinceMs < untilMs; sinceMs += stepMs) {
    if (windows.length === MAX_WINDOWS) break;
    windows.push({ sinceMs, untilMs: Math.min(sinceMs + stepMs, untilMs) });
  }
  return windows;
}

function endOfDay(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}

/** From when on days are left to be asked for after the planned windows; null when they reach to now. */
export function daysRemaining(windows: readonly Window[], nowMs: number): number | null {
  const untilMs = windows.at(-1)?.untilMs ?? null;
  return untilMs !== null && untilMs < endOfDay(nowMs) ? untilMs : null;
}

/**
 * The time of the last fetch with which the next one begins at a day: the time of this one at most, so that what is
 * asked for anew each time is asked for anew.
 */
export function lastFetchFrom(sinceMs: number, { overlapDays }: Windows, startedMs: number): number {
  return Math.min(sinceMs + overlapDays * DAY_MS, startedMs);
}

/** What is left for the next fetch, for the operator. */
export function daysLeftReason(sinceMs: number): string {
  const day = new Date(sinceMs).toISOString().slice(0, 10);
  return `the days from ${day} on are read by the next fetch: there are more than can be read in ${
    MAX_FETCH_MS / 60_000
  } minutes`;
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
  // By another identity nothing would be known that the cursor names.
  const identity = source.identity === undefined ? "" : ` ${shortName(source.identity)}`;
  return `${settingsKey(source)} ${shortName(JSON.stringify(source.rules))}${identity}`;
}

/** A text of any length as 16 characters. */
export function shortName(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
