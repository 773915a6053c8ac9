// Finds the event type of an item: the first rule of data/event_types.json that matches.
import type { EventType } from "../domain/event/event.ts";
import { buildSignalIndex, ItemSignals, type Signal } from "./pattern_hits.ts";
import { EVENT_TYPE_DATA, type EventTypeRule } from "./data.ts";
import type { Item } from "./item.ts";
import { lazy } from "./compute_once.ts";
import { buildPatternIndex, findPatterns } from "./phrases/find_patterns.ts";

/** An event type with its evidence. */
export interface EventTypeResult {
  type: EventType;
  why: string;
  /** Null if no rule matches. */
  signal: Signal | null;
}

const INDEX = lazy(() => buildSignalIndex(EVENT_TYPE_DATA.rules));

const UNLESS = lazy(() =>
  buildPatternIndex(
    EVENT_TYPE_DATA.rules.flatMap((rule, value) => rule.unless.map((pattern) => ({ pattern, value }))),
  )
);

/** Finds the event type; `other` if no rule matches. */
export function findEventType(item: Item): EventTypeResult {
  const signals = new ItemSignals(INDEX(), item);
  let excluded: ReadonlySet<number> | null = null;
  const { rules } = EVENT_TYPE_DATA;
  for (let number = 0; number < rules.length; number++) {
    const signal = signals.of(number);
    if (signal === null) continue;
    const rule = rules[number] as EventTypeRule;
    if (rule.unless.length > 0) {
      excluded ??= new Set(findPatterns(UNLESS(), item.title).map((hit) => hit.value));
      if (excluded.has(number)) continue;
    }
    return { type: rule.type, why: rule.why, signal };
  }
  return { ...EVENT_TYPE_DATA.otherwise, signal: null };
}
