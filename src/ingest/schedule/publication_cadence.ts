// When a source has something new: what its cadence is read from.
import type { PublicationCadence } from "../../domain/source/source.ts";
import type { DecidedItem } from "../model.ts";

const DAY_MS = 86_400_000;
/** So many days with something new are remembered. */
const MAX_DAYS = 60;
/** So many of the items that were passed over are remembered: those with the smallest hashes, which is a fair sample. */
const MAX_SEEN = 256;
const HASH_DIGITS = 8;

/**
 * The news after a fetch. New is what became an event or a version of one, and what was passed over now and was
 * not in the last document; an item that only has another id or date is not.
 */
export function updateCadence(
  before: PublicationCadence,
  decided: readonly Pick<DecidedItem, "item" | "decision">[],
  nowMs: number,
): PublicationCadence {
  const seen = readSeen(before);
  const largest = seen.size < MAX_SEEN ? Infinity : Math.max(...seen);
  let hasNew = false;
  const passedOver = new Set<number>();
  for (const { item, decision } of decided) {
    if (decision.kind === "record") hasNew = true;
    if (decision.kind !== "irrelevant") continue;
    const hash = nameOf(item);
    passedOver.add(hash);
    if (!seen.has(hash) && hash < largest) hasNew = true;
  }
  const sample = Uint32Array.from(passedOver).sort().subarray(0, MAX_SEEN);
  const kept = decided.length === 0 ? before.seen : Array.from(sample, digitsOf).join("");
  return hasNew
    ? { lastAtMs: nowMs, days: addDay(before.days, Math.floor(nowMs / DAY_MS)), seen: kept }
    : { ...before, seen: kept };
}

/** The items that the last document held and that were passed over; of many a sample, which is not whole. */
export function seenItems(
  news: PublicationCadence,
): { has(item: { title: string; link: string }): boolean; isWhole: boolean } {
  const seen = readSeen(news);
  return { has: (item) => seen.has(nameOf(item)), isWhole: seen.size < MAX_SEEN };
}

function readSeen({ seen }: PublicationCadence): Set<number> {
  return new Set((seen.match(/.{8}/g) ?? []).map((digits) => parseInt(digits, 16)));
}

function nameOf({ title, link }: { title: string; link: string }): number {
  return hashOn(hashOn(hashOn(OFFSET, title), "\n"), link) >>> 0;
}

/** A day that lies before the last one is that of a clock that was set back. */
function addDay(days: readonly number[], day: number): number[] {
  return [...days.filter((known) => known < day), day].slice(-MAX_DAYS);
}

/** FNV-1a, 32 bits: short, and fast enough for every item of every fetch. */
const OFFSET = 0x811c9dc5;

/** The hash of a text that goes on with this one. */
function hashOn(before: number, text: string): number {
  let hash = before;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash;
}

function digitsOf(hash: number): string {
  return hash.toString(16).padStart(HASH_DIGITS, "0");
}
