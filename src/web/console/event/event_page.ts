// GET /console/events/{id}: one version of a publication, what changed, which dates concern it, and who was told.
import type * as z from "zod";
import type { Customer } from "../../../domain/customer/customer.ts";
import { AppError } from "../../../domain/error_codes.ts";
import type { RegEvent } from "../../../domain/event/event.ts";
import type { Explanation } from "../../../domain/event/explanation.ts";
import type { Provenance } from "../../../domain/event/provenance.ts";
import type { CallApi } from "../../../http/api_call.ts";
import type { deliveryList } from "../../../wire/delivery_log.ts";
import type { subscriptionResponse } from "../../../wire/subscription.ts";
import type { eventVersions } from "../../../wire/versions.ts";
import { type CustomerCall, customerPage, type PageRoute, redirect } from "../../page_route.ts";
import { textsFor } from "../feed/feed_view.ts";
import { readVocabulary } from "../vocabulary.ts";
import { renderEvent, renderUnknownEvent } from "./event_html.ts";
import type { Deliveries, DeliveryRecord, Versions } from "./event_content.ts";
import { EVENT_PATH, eventUrl } from "./event_url.ts";

export type Explain = (found: { event: RegEvent; provenance: Provenance }) => Explanation;

interface EventPageOptions {
  callApi: CallApi;
  explain: Explain;
}

const DELIVERIES_SHOWN = 20;

export function eventPage({ callApi, explain }: EventPageOptions): PageRoute {
  return customerPage({
    method: "GET",
    path: EVENT_PATH,
    async handle(call) {
      const { customer, language, typed, texts } = call;
      const id = call.params["id"] ?? "";
      const api = apiOf(callApi, customer);
      const found = await api.event(id);
      if (found === null) {
        return {
          kind: "page",
          status: 404,
          title: texts.event.unknown.title,
          section: "feed",
          body: renderUnknownEvent(call),
        };
      }
      const to = typed.get("to");
      if (to !== "" && to !== id) return redirect(comparisonUrl(call, to));
      const { event, provenance } = found;
      const [versions, vocabulary] = [
        await api.versions(id),
        await readVocabulary(callApi, customer, language),
      ];
      const before = await beforeOf(typed.get("from"), event, versions.all, api);
      const deliveries = await api.deliveries(id, typed.get("deliveries"));
      return {
        kind: "page",
        title: textsFor(event, language).title,
        section: "feed",
        body: renderEvent({
          call,
          vocabulary,
          event,
          provenance,
          versions,
          before,
          newest: versions.newest,
          explanation: explain(found),
          deliveries,
          subscriptionNames: await api.subscriptionNames(deliveries.all),
        }),
      };
    },
  });
}

/** Returns the URL of a comparison whose newer version was chosen in the form. */
function comparisonUrl({ typed }: CustomerCall, to: string): string {
  const query = new URLSearchParams();
  for (const name of ["from", "view", "text"]) if (typed.get(name) !== "") query.set(name, typed.get(name));
  return `${eventUrl(to)}?${query}#changes`;
}

/** Returns the version to compare with: the chosen one, or the previous one. */
async function beforeOf(
  from: string,
  event: RegEvent,
  versions: readonly RegEvent[],
  api: EventApi,
): Promise<RegEvent | null> {
  const id = from === "" || from === event.id ? event.supersedes : from;
  if (id === null) return null;
  const before = versions.find((one) => one.id === id) ?? (await api.event(id))?.event ?? null;
  const isSame = before?.source_id === event.source_id && before.external_id === event.external_id;
  return isSame ? before : null;
}

type EventApi = ReturnType<typeof apiOf>;

function apiOf(callApi: CallApi, customer: Customer) {
  const get = (path: string, query: Record<string, string | number> = {}) =>
    callApi(customer, { method: "GET", path, query });
  return {
    async event(id: string): Promise<{ event: RegEvent; provenance: Provenance } | null> {
      const answer = await orNull(get(`/v1/events/${encodeURIComponent(id)}`), 404);
      return answer === null ? null : answer.json as { event: RegEvent; provenance: Provenance };
    },
    async versions(id: string): Promise<Versions> {
      const answer = await get(`/v1/events/${id}/versions`);
      const { versions: records } = answer.json as z.infer<typeof eventVersions>;
      const all = records.map(({ event }) => event);
      return { all, records, hasEarlier: answer.next !== null, newest: all.at(-1) ?? null };
    },
    async deliveries(event: string, before: string): Promise<Deliveries> {
      const query = { event, limit: DELIVERIES_SHOWN };
      const continued = before === "" ? null : await orNull(get("/v1/deliveries", { ...query, before }), 400);
      const answer = continued ?? await get("/v1/deliveries", query);
      const { deliveries: all } = answer.json as z.infer<typeof deliveryList>;
      return { all, next: answer.next };
    },
    /** Returns the names of the deliveries' subscriptions; deleted ones have none. */
    async subscriptionNames(deliveries: readonly DeliveryRecord[]): Promise<Map<string, string>> {
      const names = new Map<string, string>();
      for (const id of new Set(deliveries.map(({ subscription_id }) => subscription_id))) {
        const answer = await orNull(get(`/v1/subscriptions/${id}`), 404);
        if (answer === null) continue;
        const { subscription } = answer.json as z.infer<typeof subscriptionResponse>;
        names.set(id, subscription.name ?? hostOf(subscription.webhook_url));
      }
      return names;
    },
  };
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

/** Returns null instead of throwing an error of the API with this status. */
async function orNull<T>(answer: Promise<T>, status: number): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof AppError && error.status === status) return null;
    throw error;
  }
}
