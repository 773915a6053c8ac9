// What the feed shows, as read from the API and the store.
import type { FieldError } from "../../../domain/error_codes.ts";
import type { RegEvent } from "../../../domain/event/event.ts";
import type { ApiAnswer } from "../../../http/api_call.ts";
import type { CustomerCall } from "../../page_route.ts";
import type { Vocabulary } from "../vocabulary.ts";
import type { FeedQuery } from "./feed_query.ts";
import type { FeedChip, FeedDay } from "./feed_view.ts";

export interface Count {
  count: number;
  /** False if there may be more. */
  exact: boolean;
}

export interface FeedListing {
  events: RegEvent[];
  next: ApiAnswer["next"];
  errors: FieldError[];
}

export interface News extends Count {
  sinceMs: number;
  /** The new events only, with the current filters. */
  only: FeedQuery;
  lastEventId: string;
}

export interface RelaxedFilter extends FeedChip, Count {}

export interface FeedContent {
  call: CustomerCall;
  vocabulary: Vocabulary;
  query: FeedQuery;
  chips: readonly FeedChip[];
  errors: readonly FieldError[];
  days: readonly FeedDay[];
  /** Number of events on this page. */
  shown: number;
  total: Count;
  news: News | null;
  next: FeedListing["next"];
  isEmptyStore: boolean;
  relaxed: readonly RelaxedFilter[];
}
