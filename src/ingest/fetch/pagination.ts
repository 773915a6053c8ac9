// Shared by the strategies with several documents: time limit, windows of days, short names of items.
import { createHash } from "node:crypto";
import type { Windows } from "../../domain/source/extraction_rules.ts";
import type { Clock } from "../../domain/ports/ports.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { FetchError, settingsKey } from "./fetch_types.ts";

const DAY_MS = 86_400_000;
/** After this time a fetch requests no further document, ms. */
export const MAX_FETCH_MS = 300_000;
/** Maximum number of windows of one fetch; the next one continues. */
const MAX_WINDOWS = 1_000;

/** Timeout of a request for a window, ms: endpoints such as Cellar respond within 60 s or not at all. */
export const WINDOW_REQUEST_MS = 65_000;

/** The days of a request, from the start of one to the start of another, Unix ms. */
export interface Window {
  sinceMs: number;
  untilMs: number;
}

/** Whether a fetch has used up its time. */
export function isTimeOver(clock: Clock, startedMs: number): boolean {
  return clock.nowMs() - startedMs > MAX_FETCH_MS;
}

/** Throws {@link FetchError} if a fetch has used up its time. */
export function requireTime(clock: Clock, startedMs: number): void {
  if (isTimeOver(clock, startedMs)) {
    throw new FetchError(
      `took more than ${MAX_FETCH_MS / 60_000} minutes: read fewer pages or days at a time`,
    );
  }
}

/** The windows from the last fetch (null: the first days) to now, the oldest first, at most {@link MAX_WINDOWS}. */
export function planWindows(
  { days, overlapDays, firstDays }: Windows,
  lastMs: number | null,
  nowMs: number,
): Window[] {
  const untilMs = endOfDay(nowMs);
  // A last fetch in the future was made before the clock was set back.
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

/** The first day after the planned windows; null when they reach to now. */
export function daysRemaining(windows: readonly Window[], nowMs: number): number | null {
  const untilMs = windows.at(-1)?.untilMs ?? null;
  return untilMs !== null && untilMs < endOfDay(nowMs) ? untilMs : null;
}

/** The time of last fetch with which the next one begins at a day, at most the time of this one. */
export function lastFetchFrom(sinceMs: number, { overlapDays }: Windows, startedMs: number): number {
  return Math.min(sinceMs + overlapDays * DAY_MS, startedMs);
}

/** Why days remain for the next fetch, for the operator. */
export function daysLeftReason(sinceMs: number): string {
  const day = new Date(sinceMs).toISOString().slice(0, 10);
  return `the days from ${day} on are read by the next fetch: there are more than can be read in ${
    MAX_FETCH_MS / 60_000
  } minutes`;
}

/** Splits a window into two of whole days; null for a single day. */
export function halveWindow({ sinceMs, untilMs }: Window): [Window, Window] | null {
  const days = Math.round((untilMs - sinceMs) / DAY_MS);
  if (days < 2) return null;
  const middleMs = sinceMs + Math.floor(days / 2) * DAY_MS;
  return [{ sinceMs, untilMs: middleMs }, { sinceMs: middleMs, untilMs }];
}

/** The settings and rules that a cursor depends on. */
export function rulesKey(source: SourceSettings): string {
  // The cursor names items by their identity.
  const identity = source.identity === undefined ? "" : ` ${shortName(source.identity)}`;
  return `${settingsKey(source)} ${shortName(JSON.stringify(source.rules))}${identity}`;
}

/** A text of any length as 16 characters. */
export function shortName(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
