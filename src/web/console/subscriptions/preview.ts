// A preview of what a subscription would get: how many events a week, and the last ones.
import { AppError, type FieldError } from "../../../domain/error_codes.ts";
import type { EventType, RegEvent } from "../../../domain/event/event.ts";
import { EVERY_EVENT, passesOf, toSearch } from "../../../domain/event/event_filter.ts";
import { parseSearch } from "../../../domain/event/search.ts";
import type { Topic } from "../../../domain/event/topic.ts";
import type { TypedValues } from "../../session/typed_values.ts";
import type { SubscriptionApi } from "./subscription_api.ts";
import { filtersOf } from "./subscription_input.ts";

export interface Preview {
  /** Number of events in four weeks, estimated if there are more than are read. */
  inFourWeeks: number;
  /** The last events, newest first. */
  last: RegEvent[];
}

const DAY_MS = 86_400_000;
const PERIOD_MS = 28 * DAY_MS;
/** Number of events that a preview reads. */
const MAX_READ = 200;
const SHOWN = 5;

type Exclusions = ReturnType<typeof filtersOf>["exclude"];

/** The parameters of `GET /v1/events` and the fields of a subscription, where the names differ. */
const FIELD_OF: Readonly<Record<string, string>> = { source: "source_filter", language: "event_language" };

/** Reads the newest events that pass the filters of a form. */
export async function previewOf(
  typed: TypedValues,
  { api, topics, nowMs }: { api: SubscriptionApi; topics: readonly Topic[]; nowMs: number },
): Promise<Preview | { errors: FieldError[] }> {
  const { exclude, ...filters } = filtersOf(typed);
  const search = exclude.q === null ? null : parseSearch(exclude.q);
  if (search !== null && "problem" in search) {
    return { errors: [{ field: "exclude.q", message: search.problem }] };
  }
  try {
    const { json, next } = await api.listEvents({
      topics: orUndefined(filters.topics),
      source: orUndefined(filters.source_filter),
      severity_min: filters.severity_min,
      event_type: orUndefined(filters.event_type),
      article: orUndefined(filters.article),
      language: orUndefined(filters.event_language),
      q: filters.q,
      limit: MAX_READ,
    });
    const { events } = json as { events: RegEvent[] };
    return estimate(events, { exclude, topics, nowMs, isWhole: next === null });
  } catch (error) {
    if (!(error instanceof AppError) || error.status !== 400) throw error;
    return {
      errors: error.fields.map(({ field, message }) => ({ field: FIELD_OF[field] ?? field, message })),
    };
  }
}

function orUndefined(values: string[]): string[] | undefined {
  return values.length === 0 ? undefined : values;
}

/** Estimates from the newest events that pass the filters. `isWhole` is whether there are no older ones. */
export function estimate(
  events: readonly RegEvent[],
  { exclude, topics, nowMs, isWhole }: {
    exclude: Exclusions;
    topics: readonly Topic[];
    nowMs: number;
    isWhole: boolean;
  },
): Preview {
  const filter = {
    ...EVERY_EVENT,
    exclude: {
      topics: exclude.topics,
      sources: exclude.source,
      eventTypes: exclude.event_type as EventType[],
      articles: exclude.article,
      search: toSearch(exclude.q),
    },
  };
  const kept = events.filter((event) => passesOf(event, topics)(filter));
  const startMs = nowMs - PERIOD_MS;
  const recent = kept.filter(({ published_at }) => published_at >= startMs).length;
  const oldestMs = events.at(-1)?.published_at ?? startMs;
  // If the events that were read do not reach back four weeks, their rate is extended to four weeks.
  const coveredMs = isWhole || oldestMs <= startMs ? PERIOD_MS : Math.max(DAY_MS, nowMs - oldestMs);
  return { inFourWeeks: Math.round(recent * PERIOD_MS / coveredMs), last: kept.slice(0, SHOWN) };
}
