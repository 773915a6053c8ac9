// One source: its state, the history of its fetches, its held events, a dry run, and a fetch on request.
import * as z from "zod";
import { AppError } from "../../domain/error_codes.ts";
import type { RegEvent } from "../../domain/event/event.ts";
import type { FetchRecord } from "../../domain/source/fetch_record.ts";
import { type ListedSource, listSources } from "../../domain/source/listed_source.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { integerParameter } from "../../http/parameters.ts";
import { confirmDialog } from "../components/dialog.ts";
import { emptyState } from "../components/empty_state.ts";
import { type Fact, facts } from "../components/facts.ts";
import { hiddenField, postForm } from "../components/form.ts";
import { externalLink } from "../components/link.ts";
import { table } from "../components/table.ts";
import { timeAgo } from "../components/time.ts";
import { type Html, markup, type Part } from "../html.ts";
import { type OperatorCall, operatorPage, type PageRoute } from "../page_route.ts";
import { olderLink, PAGE_ROWS, pageOf } from "./list_page.ts";
import { badgesOf } from "./looks.ts";
import { actThen } from "./operator_act.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";
import { hrefOfSource, timeOr } from "./sources.ts";
import { dateOf, kindOf, MAX_ITEMS } from "./event_cells.ts";

const MAX_MS = 8.64e15;

export function sourcePages(options: OperatorPagesOptions): PageRoute[] {
  return [showPage(options), fetchForm(options), releaseForm(options)];
}

/** Finds a source of the config, or one that was removed from it. Throws `not_found`. */
export async function requireSource(
  { store, acts }: OperatorPagesOptions,
  { params, nowMs }: OperatorCall,
): Promise<{ source: ListedSource; settings: SourceSettings | null }> {
  const id = params["id"] ?? "";
  const settings = acts.sources.find((one) => one.id === id) ?? null;
  const states = (await store.listSources()).filter((state) => state.id === id);
  const [source] = listSources({ sources: settings === null ? [] : [settings] }, states, nowMs);
  if (source === undefined) throw new AppError("not_found", `There is no source ${id}.`);
  return { source, settings };
}

function showPage(options: OperatorPagesOptions): PageRoute {
  const { store } = options;
  return operatorPage({
    method: "GET",
    path: "/operator/sources/{id}",
    query: z.object({
      before: integerParameter({ min: 0, max: MAX_MS, description: "Only fetches before this time" })
        .optional(),
    }),
    async handle(call) {
      const { source, settings } = await requireSource(options, call);
      const { before } = call.query.good;
      const fetches = await store.listFetches(source.id, {
        limit: PAGE_ROWS + 1,
        ...(before === undefined ? {} : { beforeMs: before }),
      });
      const held = (await store.listHeldEvents(source.id)).map((json): RegEvent => JSON.parse(json));
      const title = settings?.nameEn ?? source.id;
      const body =
        markup`<p class="crumb"><a href="/operator/sources">${call.texts.operator.sources.title}</a></p>
<h1>${title}</h1>
${settings === null ? null : actionsOf(source, call)}
${facts(sourceFacts(source, settings, call))}
${held.length === 0 ? null : heldSection(source.id, held, call)}
${historySection(source.id, fetches, { call, before })}`;
      return { kind: "page", title, section: "sources", body };
    },
  });
}

/** A disabled source can be tested, but not fetched. */
function actionsOf({ id, enabled }: ListedSource, call: OperatorCall): Html {
  const { operator: t } = call.texts;
  const button = (act: "test" | "fetch") =>
    postForm(call, {
      action: `${hrefOfSource(id)}/${act}`,
      submit: t.source[act],
      tone: "plain",
      layout: "inline",
    });
  return markup`<div class="actions-row">${button("test")}${enabled ? button("fetch") : null}</div>`;
}

function sourceFacts(
  source: ListedSource,
  settings: SourceSettings | null,
  call: OperatorCall,
): (Fact | null)[] {
  const { texts, format } = call;
  const { operator: t } = texts;
  const english = (text: string) => markup`<span lang="en">${text}</span>`;
  return [
    [
      t.state,
      markup`${badgesOf(texts).source(source.state)}${
        source.state_since === null ? null : markup` ${t.source.since} ${timeAgo(source.state_since, call)}`
      }`,
    ],
    source.reason === null ? null : [t.reason, english(source.reason)],
    settings === null ? null : [t.source.location, locationOf(settings)],
    settings === null ? null : [t.source.strategy, markup`<code>${settings.fetchStrategy}</code>`],
    [t.sources.events, format.number(source.events)],
    [t.sources.lastNew, timeOr(source.last_new_at, t.never, call)],
    [t.sources.lastSuccess, timeOr(source.last_success_at, t.never, call)],
    source.enabled ? [t.sources.next, timeOr(source.next_due_at, t.sources.atStart, call)] : null,
    source.consecutive_failures === 0
      ? null
      : [t.source.failures, format.number(source.consecutive_failures)],
    ...source.gaps.map(({ part, reason, since }): Fact => [
      t.source.missing,
      markup`<span lang="en">${part}: ${reason}</span> (${timeAgo(since, call)})`,
    ]),
    ...source.moves.map(({ to, adopted_at }): Fact => [
      t.source.moved,
      markup`${withoutQuery(to)} ${adopted_at === null ? null : markup`(${t.source.changeUrl})`}`,
    ]),
  ];
}

/** The path of a folder, or the URL without its query, which may contain a key. */
function locationOf({ fetchStrategy, location }: SourceSettings): Part {
  return fetchStrategy === "files" ? markup`<code>${location}</code>` : withoutQuery(location);
}

function withoutQuery(location: string): Part {
  const url = URL.parse(location);
  return url === null ? location : externalLink(`${url.origin}${url.pathname}`);
}

function heldSection(id: string, held: readonly RegEvent[], call: OperatorCall): Html {
  const { texts, format } = call;
  const { operator: t } = texts;
  const number = format.number(held.length);
  const action = `${hrefOfSource(id)}/release`;
  const choice = (end: "deliver" | "discard") =>
    confirmDialog(call, {
      id: end,
      action,
      open: t.held[end].open,
      title: t.held[end].title(number),
      text: t.held[end].text,
      submit: t.held[end].submit(number),
      tone: end === "deliver" ? "plain" : "danger",
      fields: [hiddenField("end", end), hiddenField("seen", String(held.length))],
    });
  return markup`<section id="held"><h2>${
    format.plural(held.length, { one: t.held.titleOne, other: t.held.title(number) })
  }</h2>
<p>${t.held.text}</p>
<div class="actions-row">${choice("deliver")}${choice("discard")}</div>
${
    table({
      caption: t.held.caption,
      columns: [
        { label: t.event.title },
        { label: t.event.change },
        { label: t.event.severity },
        { label: t.event.topics },
        { label: t.event.articles },
        { label: t.event.published },
      ],
      rows: held.slice(0, MAX_ITEMS).map((event) => heldCells(event, call)),
    })
  }${
    held.length > MAX_ITEMS
      ? markup`<p class="soft">${t.held.more(format.number(held.length - MAX_ITEMS))}</p>`
      : null
  }
</section>`;
}

function heldCells(event: RegEvent, call: OperatorCall): Part[] {
  const { texts: { operator: t }, language } = call;
  return [
    externalLink(event.url_official, markup`<span lang="${event.language}">${event.title_en}</span>`),
    event.version === 1 ? t.event.isNew : t.event.revised(event.version),
    kindOf(event, language),
    event.topics.join(", "),
    event.ai_act_articles.join(", "),
    dateOf(event, call),
  ];
}

function historySection(
  id: string,
  fetches: readonly FetchRecord[],
  { call, before }: { call: OperatorCall; before: number | undefined },
): Html {
  const { texts, format } = call;
  const { operator: t } = texts;
  const { page, last } = pageOf(fetches);
  return markup`<h2>${t.source.history}</h2>
${
    table({
      caption: t.source.history,
      columns: [
        { label: t.source.started },
        { label: t.source.outcome },
        { label: t.source.duration, kind: "number" },
        { label: t.counts.new, kind: "number" },
        { label: t.counts.revised, kind: "number" },
        { label: t.counts.unchanged, kind: "number" },
        { label: t.counts.skipped, kind: "number" },
        { label: t.counts.refused, kind: "number" },
      ],
      rows: page.map(({ startedAtMs, endedAtMs, outcome, cause, counts }) => [
        timeAgo(startedAtMs, call),
        markup`${badgesOf(texts).outcome(outcome)}${
          cause === null ? null : markup`<br><small class="soft">${t.causes[cause]}</small>`
        }`,
        format.duration(Math.max(1_000, endedAtMs - startedAtMs)),
        format.number(counts.new),
        format.number(counts.revised),
        format.number(counts.unchanged),
        format.number(counts.skipped),
        format.number(counts.refused),
      ]),
      empty: emptyState({ title: t.source.noHistory, text: t.source.noHistoryText }),
    })
  }
${
    olderLink(texts, {
      path: hrefOfSource(id),
      filters: {},
      before: before === undefined ? undefined : String(before),
      next: last === null ? null : String(last.startedAtMs),
    })
  }`;
}

function fetchForm(options: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: "/operator/sources/{id}/fetch",
    async handle(call) {
      const { source: { id } } = await requireSource(options, call);
      return await actThen(call, {
        to: hrefOfSource(id),
        work: async (by) => {
          await options.acts.requestFetch(id, by);
          return call.texts.operator.source.fetchDone;
        },
      });
    },
  });
}

function releaseForm(options: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "POST",
    path: "/operator/sources/{id}/release",
    form: z.strictObject({
      end: z.enum(["deliver", "discard"]),
      seen: integerParameter({ min: 1, max: 1e9, description: "The number of events that were shown" }),
    }),
    async handle(call) {
      const { source: { id } } = await requireSource(options, call);
      const release = call.form.value;
      if (release === null) {
        throw new AppError("invalid_input", "The form is not complete.", call.form.errors);
      }
      const { texts: { operator: t }, format } = call;
      return await actThen(call, {
        to: hrefOfSource(id),
        work: async (by) => {
          const events = await options.acts.releaseHeld(id, release, by);
          return t.held[release.end].done(format.number(events));
        },
      });
    },
  });
}
