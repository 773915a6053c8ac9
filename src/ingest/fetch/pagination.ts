// Shared by the fetch strategies that fetch several documents: the time limit, windows of days and short names.
import { createHash } from "node:crypto";
import type { Windows } from "../../domain/source/extraction_rules.ts";
import type { Clock } from "../../domain/ports/ports.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import type { FailedPart } from "../partial_failures.ts";
import { FetchError, settingsKey } from "./fetch_types.ts";
import { utcDay } from "../../domain/utc_day.ts";

const DAY_MS = 86_400_000;
/** Time after which a fetch requests no further documents, in ms. */
export const MAX_FETCH_MS = 300_000;
/** Maximum number of windows of one fetch. The next fetch reads the rest. */
const MAX_WINDOWS = 1_000;

/** Timeout of a request for a window, in ms. Endpoints such as Cellar respond within 60 s or not at all. */
export const WINDOW_REQUEST_MS = 65_000;

/** The days that a request covers, from the start of one day to the start of a later one, in Unix ms. */
export interface Window {
  sinceMs: number;
  untilMs: number;
}

export function isTimeOver(clock: Clock, startedMs: number): boolean {
  return clock.nowMs() - startedMs > MAX_FETCH_MS;
}

/** Throws {@link FetchError} if a fetch has used up its time. */
export function requireTime(clock: Clock, startedMs: number): void {
  if (isTimeOver(clock, startedMs)) {
    throw new FetchError(
      `took more than ${MAX_FETCH_MS / 60_000} minutes: read fewer pages or days at a time`,
      { category: "timeout" },
    );
  }
}

/**
 * Returns up to {@link MAX_WINDOWS} windows, oldest first. They begin `overlapDays` before `lastMs`, or `firstDays` ago
 * if `lastMs` is null.
 */
export function planWindows(
  { days, overlapDays, firstDays }: Windows,
  lastMs: number | null,
  nowMs: number,
): Window[] {
  const untilMs = endOfDay(nowMs);
  // A time in the future was stored before the clock was set back.
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

/** Splits a window into two windows of whole days. Returns null for a single day. */
export function halveWindow({ sinceMs, untilMs }: Window): [Window, Window] | null {
  const days = Math.round((untilMs - sinceMs) / DAY_MS);
  if (days < 2) return null;
  const middleMs = sinceMs + Math.floor(days / 2) * DAY_MS;
  return [{ sinceMs, untilMs: middleMs }, { sinceMs: middleMs, untilMs }];
}

/** The windows of one fetch. Days beyond its limits on time and windows are left for the next fetch. */
export class WindowQueue {
  /** The first day left for the next fetch, in Unix ms, or null if none is left. */
  leftFromMs: number | null = null;
  readonly #startedMs: number;
  readonly #windows: Window[];
  readonly #firstMs: number;
  readonly #endMs: number;

  /** `lastMs` is the time of the last fetch in Unix ms, or null for the first fetch. */
  constructor(readonly rules: Windows, lastMs: number | null, readonly clock: Clock) {
    this.#startedMs = clock.nowMs();
    this.#windows = planWindows(rules, lastMs, this.#startedMs);
    this.#firstMs = this.#windows[0]?.sinceMs ?? 0;
    this.#endMs = this.#windows.at(-1)?.untilMs ?? 0;
  }

  get current(): Window | undefined {
    return this.#windows[0];
  }

  /** Moves to the next window. Returns undefined if none remains or time has run out. */
  next(): Window | undefined {
    this.#windows.shift();
    return this.#open();
  }

  /** Splits the current window, which must span at least two days. Returns its first half if time remains. */
  halve(): Window | undefined {
    const [current] = this.#windows;
    if (current !== undefined) this.#windows.splice(0, 1, ...halveWindow(current) ?? []);
    return this.#open();
  }

  #open(): Window | undefined {
    const isDone = this.current === undefined && this.#endMs >= endOfDay(this.#startedMs);
    if (isDone || (this.current !== undefined && !isTimeOver(this.clock, this.#startedMs))) {
      return this.current;
    }
    this.leaveRest();
    return undefined;
  }

  /** Leaves the remaining days for the next fetch. Throws {@link FetchError} if no window was read in time. */
  leaveRest(): void {
    const sinceMs = this.current?.sinceMs ?? this.#endMs;
    if (sinceMs <= this.#firstMs) requireTime(this.clock, this.#startedMs);
    this.leftFromMs = sinceMs;
  }

  /** Tells the operator which days are left for the next fetch. */
  leftOut(): FailedPart[] {
    if (this.leftFromMs === null) return [];
    const day = utcDay(this.leftFromMs);
    const minutes = MAX_FETCH_MS / 60_000;
    const reason =
      `the next fetch reads the days from ${day} on, because one fetch takes at most ${minutes} minutes ` +
      `and covers at most ${MAX_WINDOWS} windows (window_days)`;
    return [{ part: "document", reason }];
  }

  /** The time to store as that of the last fetch, in Unix ms. The next fetch continues from there. */
  get lastFetchMs(): number {
    return this.leftFromMs === null ? this.#startedMs : this.#lastFetchBefore(this.leftFromMs);
  }

  /** The {@link lastFetchMs} if the current window fails, or null if it is the first or no window remains. */
  get progressMs(): number | null {
    const { current } = this;
    return current === undefined || current.sinceMs <= this.#firstMs
      ? null
      : this.#lastFetchBefore(current.sinceMs);
  }

  #lastFetchBefore(sinceMs: number): number {
    return Math.min(sinceMs + this.rules.overlapDays * DAY_MS, this.#startedMs);
  }
}

export function rulesKey(source: SourceSettings): string {
  // The cursor names items by their identity, which depends on the configured identity rule.
  const identity = source.identity === undefined ? "" : ` ${shortName(source.identity)}`;
  return `${settingsKey(source)} ${shortName(JSON.stringify(source.rules))}${identity}`;
}

/** Returns the first 16 hexadecimal digits of a string's SHA-256 hash. */
export function shortName(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
