// The publication cadence of a source: the days with new items, and a sample of its skipped items.
import type { PublicationCadence } from "../../domain/source/source.ts";
import type { DecidedItem } from "../model.ts";

const DAY_MS = 86_400_000;
/** Maximum number of days with new items to keep. */
const MAX_DAYS = 60;
/** Maximum number of skipped items in the sample, which consists of those with the smallest hashes. */
const MAX_SEEN = 256;
const HASH_DIGITS = 8;

/**
 * Returns the cadence after a fetch. Recorded items count as new, as do skipped items that would have been in the last
 * sample if the last fetch had contained them.
 */
export function updateCadence(
  before: PublicationCadence,
  decided: readonly Pick<DecidedItem, "item" | "decision">[],
  nowMs: number,
): PublicationCadence {
  const seen = readSeen(before);
  const largest = seen.size < MAX_SEEN ? Infinity : Math.max(...seen);
  let hasNew = false;
  const skipped = new Set<number>();
  for (const { item, decision } of decided) {
    if (decision.kind === "record") hasNew = true;
    if (decision.kind !== "irrelevant") continue;
    const hash = nameOf(item);
    skipped.add(hash);
    if (!seen.has(hash) && hash < largest) hasNew = true;
  }
  const sample = Uint32Array.from(skipped).sort().subarray(0, MAX_SEEN);
  const kept = decided.length === 0 ? before.seen : Array.from(sample, digitsOf).join("");
  return hasNew
    ? { lastAtMs: nowMs, days: addDay(before.days, Math.floor(nowMs / DAY_MS)), seen: kept }
    : { ...before, seen: kept };
}

/** Returns the skipped items of the last fetch: all of them if `isWhole` is true, otherwise a sample. */
export function seenItems(
  cadence: PublicationCadence,
): { has(item: { title: string; link: string }): boolean; isWhole: boolean } {
  const seen = readSeen(cadence);
  return { has: (item) => seen.has(nameOf(item)), isWhole: seen.size < MAX_SEEN };
}

function readSeen({ seen }: PublicationCadence): Set<number> {
  return new Set((seen.match(/.{8}/g) ?? []).map((digits) => parseInt(digits, 16)));
}

function nameOf({ title, link }: { title: string; link: string }): number {
  return hashOn(hashOn(hashOn(OFFSET, title), "\n"), link) >>> 0;
}

/** Adds a day and removes later ones, which were added before the clock was set back. */
function addDay(days: readonly number[], day: number): number[] {
  return [...days.filter((known) => known < day), day].slice(-MAX_DAYS);
}

/** The offset basis of 32-bit FNV-1a, a hash that is fast enough for every item of every fetch. */
const OFFSET = 0x811c9dc5;

function hashOn(before: number, text: string): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

function digitsOf(hash: number): string {
  return hash.toString(16).padStart(HASH_DIGITS, "0");
}
