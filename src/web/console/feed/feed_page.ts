// GET /console: the feed, with every filter in the URL. POST /console/read: marks everything as read.
import * as z from "zod";
import type { Customer } from "../../../domain/customer/customer.ts";
import { AppError, type FieldError } from "../../../domain/error_codes.ts";
import type { RegEvent } from "../../../domain/event/event.ts";
import type { FeedNews, FeedVisitStore } from "../../../domain/ports/store/feed_visits.ts";
import type { CallApi } from "../../../http/api_call.ts";
import type { eventCount } from "../../../wire/event.ts";
import { customerPage, type PageRoute, redirect } from "../../page_route.ts";
import { localPath } from "../../session/local_path.ts";
import { readVocabulary } from "../vocabulary.ts";
import type { Count, FeedListing, News, RelaxedFilter } from "./feed_content.ts";
import { renderFeed } from "./feed_html.ts";
import {
  apiQuery,
  FEED_PATH,
  type FeedQuery,
  feedUrl,
  needsCleanUrl,
  readFeedQuery,
  withFilters,
} from "./feed_query.ts";
import { type FeedChip, feedChips, feedDays } from "./feed_view.ts";

/** The value of `after` that precedes every event. */
const BEFORE_ALL = "evt_00000000000000000000000000";
/** How many filters are tried without, to say which one to remove. */
const MAX_TRIED = 12;

interface FeedOptions {
  callApi: CallApi;
  feed: FeedVisitStore;
}

export function feedPages({ callApi, feed: store }: FeedOptions): PageRoute[] {
  const list = customerPage({
    method: "GET",
    path: FEED_PATH,
    async handle(call) {
      const { typed, customer, language, format, texts, nowMs } = call;
      const query = readFeedQuery(typed);
      if (needsCleanUrl(typed) && query.unknown.length === 0) return redirect(feedUrl(query));
      const api = apiOf(callApi, customer);
      const news = await store.visitFeed(customer.id, nowMs);
      const [vocabulary, listed] = [await readVocabulary(callApi, customer, language), await api.list(query)];
      const valid = withFilters(query, Object.fromEntries(listed.errors.map(({ field }) => [field, []])));
      const reader = { language, vocabulary, format };
      const chips = feedChips(valid, texts, reader);
      const isArrival = valid.filters.has("after");
      const newSeq = news.after?.seq ?? 0;
      const newIds = new Set(await store.newEvents(newSeq, listed.events.map(({ id }) => id)));
      const total = await api.count(valid);
      return {
        kind: "page",
        title: texts.feed.title,
        section: "feed",
        scripts: ["feed"],
        body: renderFeed({
          call,
          vocabulary,
          query,
          chips,
          errors: [
            ...listed.errors,
            ...query.unknown.map((field) => ({ field, message: "is not a filter" })),
          ],
          days: feedDays(listed.events, { newIds, by: isArrival ? "arrival" : "publication" }, reader),
          shown: listed.events.length,
          total,
          news: await newsOf(news, valid, api),
          next: listed.next,
          isEmptyStore: news.last === null,
          relaxed: total.count === 0 && chips.length > 1 ? await relaxed(chips, api) : [],
        }),
      };
    },
  });
  const read = customerPage({
    method: "POST",
    path: `${FEED_PATH}/read`,
    form: z.strictObject({ event: z.string(), return_to: z.string().optional() }),
    async handle({ form: { value }, customer, nowMs, texts }) {
      if (value === null) return redirect(FEED_PATH);
      await store.markFeedRead(customer.id, { eventId: value.event, nowMs });
      const returnTo = localPath(value.return_to, FEED_PATH);
      const isFeed = returnTo === FEED_PATH || returnTo.startsWith(`${FEED_PATH}?`);
      return redirect(isFeed ? returnTo : FEED_PATH, {
        toast: { text: texts.feed.news.marked, tone: "good" },
      });
    },
  });
  return [list, read];
}

type FeedApi = ReturnType<typeof apiOf>;

function apiOf(callApi: CallApi, customer: Customer) {
  return {
    /** Lists the events. Invalid filters are left out and reported. */
    async list(query: FeedQuery): Promise<FeedListing> {
      let errors: FieldError[] = [];
      for (;;) {
        const invalid = new Set(errors.map(({ field }) => field));
        try {
          const answer = await callApi(customer, {
            method: "GET",
            path: "/v1/events",
            query: apiQuery(query, invalid),
          });
          const { events } = answer.json as { events: RegEvent[] };
          return { events, next: answer.next, errors };
        } catch (error) {
          const found = error instanceof AppError
            ? error.fields.filter(({ field }) => !invalid.has(field))
            : [];
          if (found.length === 0) throw error;
          errors = [...errors, ...found];
        }
      }
    },
    async count({ filters }: Pick<FeedQuery, "filters">): Promise<Count> {
      const query = apiQuery({ filters, paging: {} });
      const answer = await callApi(customer, { method: "GET", path: "/v1/events/count", query });
      return answer.json as z.infer<typeof eventCount>;
    },
  };
}

/** Returns what is new since the previous visit among all events, or null if nothing is. */
async function newsOf(
  { after, sinceMs, last }: FeedNews,
  query: FeedQuery,
  api: FeedApi,
): Promise<News | null> {
  if (last === null || last.id === after?.id) return null;
  const only = { after: [after?.id ?? BEFORE_ALL] };
  const nothing = { filters: new Map(), paging: {}, trail: [], unknown: [] };
  const found = await api.count(withFilters(nothing, only));
  return { ...found, sinceMs, only: withFilters(query, only), lastEventId: last.id };
}

/** Returns the filters without which there would be events, the most helpful first. */
async function relaxed(chips: readonly FeedChip[], api: FeedApi): Promise<RelaxedFilter[]> {
  const tried: RelaxedFilter[] = [];
  for (const chip of chips.slice(0, MAX_TRIED)) tried.push({ ...chip, ...await api.count(chip.without) });
  return tried.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
}
