// GET /console/subscriptions: the customer's subscriptions with their health, those that need attention first.
import * as z from "zod";
import type { CallApi } from "../../../http/api_call.ts";
import { badge } from "../../components/badge.ts";
import { emptyState } from "../../components/empty_state.ts";
import { fieldsOf } from "../../components/fields.ts";
import { getForm } from "../../components/form.ts";
import { paging } from "../../components/paging.ts";
import { table } from "../../components/table.ts";
import { timeAgo } from "../../components/time.ts";
import { type Html, markup, type Part } from "../../html.ts";
import { type CustomerCall, customerPage, type PageRoute } from "../../page_route.ts";
import { readVocabulary, type Vocabulary } from "../vocabulary.ts";
import { subscriptionApi, type SubscriptionRecord, type UsageReport } from "./subscription_api.ts";
import {
  filterWords,
  type ListQuery,
  type ListView,
  nameOf,
  STATE_LOOKS,
  stateOf,
  STATES,
  SUBSCRIPTIONS_PATH,
  subscriptionUrl,
  viewOfList,
} from "./subscription_view.ts";

const listQuery = z.object({
  q: z.string().max(200).optional(),
  state: z.enum(STATES).optional(),
  page: z.coerce.number().int().min(1).max(1_000_000).optional(),
});

/** From this number on, the list can be searched. */
const SEARCHABLE = 6;

export function listPage({ callApi }: { callApi: CallApi }): PageRoute {
  return customerPage({
    method: "GET",
    path: SUBSCRIPTIONS_PATH,
    query: listQuery,
    async handle(call) {
      const { customer, language, texts, query: { good } } = call;
      const api = subscriptionApi(callApi, customer);
      const query: ListQuery = { q: good.q ?? "", state: good.state ?? null, page: good.page ?? 1 };
      const all = await api.list();
      const content = {
        call,
        query,
        all,
        view: viewOfList(all, query),
        usage: await api.usage(),
        vocabulary: await readVocabulary(callApi, customer, language),
      };
      return {
        kind: "page",
        title: texts.subscriptions.title,
        section: "subscriptions",
        body: renderList(content),
      };
    },
  });
}

interface ListContent {
  call: CustomerCall;
  query: ListQuery;
  all: readonly SubscriptionRecord[];
  view: ListView;
  usage: UsageReport;
  vocabulary: Vocabulary;
}

function renderList(content: ListContent): Html {
  const { call: { texts, format }, all, usage: { subscriptions: { active, limit } } } = content;
  const text = texts.subscriptions;
  const create = markup`<a class="button primary" href="${SUBSCRIPTIONS_PATH}/new">${text.create}</a>`;
  const guide = markup`<a href="/docs/webhooks">${text.guide}</a>`;
  if (all.length === 0) {
    return markup`<h1>${text.title}</h1>
<p class="lead">${text.lead}</p>
${emptyState({ title: text.empty.title, text: text.empty.text, actions: [create, guide] })}`;
  }
  return markup`<div class="page-head"><h1>${text.title}</h1>${create}</div>
<p class="soft">${text.active(format.number(active), format.number(limit))} · ${guide}</p>
${all.length < SEARCHABLE ? null : markup`${searchForm(content)}${countLine(content)}`}
${listTable(content)}`;
}

function searchForm({ call: { texts, typed, query: { errors } }, query }: ListContent): Html {
  const { list, states } = texts.subscriptions;
  const fields = fieldsOf({ texts, typed, errors });
  return markup`<div class="list-search">${
    getForm({
      action: SUBSCRIPTIONS_PATH,
      fields: markup`<div class="grid">${
        fields.text("q", list.search, { type: "search", maxLength: 200, value: query.q })
      }${
        fields.select("state", list.state, {
          options: STATES.map((state) => ({ value: state, label: states[state] })),
          none: list.anyState,
        })
      }</div>`,
      submit: texts.common.actions.search,
      tone: "plain",
    })
  }</div>`;
}

function countLine({ call: { texts, format }, view: { total } }: ListContent): Html | null {
  if (total === 0) return null;
  const text = format.plural(total, texts.subscriptions.count)(format.number(total));
  return markup`<p class="count-line soft">${text}</p>`;
}

function listTable({ call, query, view, vocabulary }: ListContent): Html {
  const { texts, format } = call;
  const { list, states, empty } = texts.subscriptions;
  if (view.shown.length === 0) return emptyState({ title: empty.noMatch, text: empty.noMatchText });
  const said = { texts, format, vocabulary };
  const rows = view.shown.map((one) => {
    const state = stateOf(one);
    return [
      markup`<a href="${subscriptionUrl(one.id)}">${nameOf(one)}</a><span class="below">${
        shortened(one.webhook_url)
      }</span>`,
      shortened(filterWords(one, said).join("; ")),
      badge({ ...STATE_LOOKS[state], text: states[state] }),
      lastEvents(one, call),
      waiting(one, call),
    ];
  });
  return markup`${
    table({
      caption: texts.subscriptions.title,
      columns: [
        { label: list.subscription },
        { label: list.filters },
        { label: list.state },
        { label: list.health },
        { label: list.deliveries },
      ],
      rows,
    })
  }
${paging(texts, { newer: pageUrl(query, view.newerPage), older: pageUrl(query, view.olderPage) })}`;
}

/** Longer texts are on the page of the subscription. */
const MAX_SHOWN = 160;

function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).toWellFormed()}…`;
}

function lastEvents({ failing_since, last_success_at }: SubscriptionRecord, call: CustomerCall): Html {
  const { health } = call.texts.subscriptions;
  const success = last_success_at === null ? health.never : timeAgo(last_success_at, call);
  return markup`${
    failing_since === null
      ? null
      : markup`<span class="line">${health.failingSince}${call.texts.common.colon} ${
        timeAgo(failing_since, call)
      }</span>`
  }<span class="line">${health.lastSuccess}${call.texts.common.colon} ${success}</span>`;
}

function waiting({ pending, held }: SubscriptionRecord, { texts, format }: CustomerCall): Part {
  const { health } = texts.subscriptions;
  const parts = [
    ...(pending === 0 ? [] : [health.pendingCount(format.number(pending))]),
    ...(held === 0 ? [] : [health.heldCount(format.number(held))]),
  ];
  return parts.length === 0 ? health.nothingWaits : parts.join(", ");
}

function pageUrl({ q, state }: ListQuery, page: number | null): string | null {
  if (page === null) return null;
  const query = new URLSearchParams();
  if (q !== "") query.set("q", q);
  if (state !== null) query.set("state", state);
  if (page > 1) query.set("page", String(page));
  return query.size === 0 ? SUBSCRIPTIONS_PATH : `${SUBSCRIPTIONS_PATH}?${query}`;
}
