// Finds the event type of an item by the first rule of data/event_types.json that matches.
import type { EventType } from "../domain/event/event.ts";
import { buildSignalIndex, findSignals, type Signal } from "./pattern_hits.ts";
import { EVENT_TYPE_DATA } from "./data.ts";
import type { Item } from "./item.ts";
import { lazy } from "./memoize.ts";
import { buildPatternIndex, findPatterns } from "./phrases/find_patterns.ts";

export interface EventTypeResult {
  type: EventType;
  why: string;
  /** The evidence, or null if no rule matches. */
  signal: Signal | null;
}

const { rules, otherwise } = EVENT_TYPE_DATA;
const INDEX = lazy(() => buildSignalIndex(rules));
const UNLESS = lazy(() =>
  buildPatternIndex(rules.flatMap((rule, value) => rule.unless.map((pattern) => ({ pattern, value }))))
);

/** Finds the event type, which is `other` if no rule matches. */
export function findEventType(item: Item): EventTypeResult {
  const signals = findSignals(INDEX(), item);
  const excluded = new Set(findPatterns(UNLESS(), item.title).map((hit) => hit.value));
  for (const [number, { type, why }] of rules.entries()) {
    const signal = signals.get(number);
    if (signal !== undefined && !excluded.has(number)) return { type, why, signal };
  }
  return { ...otherwise, signal: null };
}
