// What a fetch of a source would store, as `source test` and the operator's pages show it.
import type { Reason } from "../event/explanation.ts";
import type { DatePrecision, RegEvent } from "../event/event.ts";

/** An item with the values that would be stored, under the names of the event's fields. */
export interface PreviewedItem {
  outcome: "new" | "revised" | "unchanged" | "translated" | "passed over";
  title: string;
  url: string | null;
  notes: readonly string[];
  published_at: number | null;
  published_at_precision: DatePrecision;
  published_on: string | null;
  language: string;
  event_type: string;
  severity: string;
  topics: readonly string[];
  ai_act_articles: readonly string[];
  /** Present if the item would be recorded. */
  event?: RegEvent;
  /** Present on request. */
  reasons?: readonly Reason[];
}

export interface SourcePreview {
  id: string;
  ok: boolean;
  new: number;
  revised: number;
  unchanged: number;
  translated: number;
  passed_over: number;
  refused: readonly { item: string; reason: string }[];
  /** The number of new events that would cause no notification; absent if 0. */
  unnotified?: number;
  notes?: readonly string[];
  error?: string;
  items: readonly PreviewedItem[];
}
