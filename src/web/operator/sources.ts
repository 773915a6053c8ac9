// GET /operator/sources: every source with its state, problems first.
import { type ListedSource, listSources } from "../../domain/source/listed_source.ts";
import { emptyState } from "../components/empty_state.ts";
import { notice } from "../components/notice.ts";
import { table } from "../components/table.ts";
import { timeAgo } from "../components/time.ts";
import { type Html, markup, type Part } from "../html.ts";
import { type OperatorCall, operatorPage, type PageRoute } from "../page_route.ts";
import { badgesOf } from "./looks.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";

/** The states in the order of the list. */
const ORDER: readonly ListedSource["state"][] = [
  "failing",
  "blocked",
  "empty",
  "partial",
  "silent",
  "new",
  "ok",
  "off",
  "gone",
];

export function sourcesPage({ store, acts }: OperatorPagesOptions): PageRoute {
  return operatorPage({
    method: "GET",
    path: "/operator/sources",
    async handle(call) {
      const { texts: { operator: t }, format, nowMs } = call;
      const sources = listSources(acts, await store.listSources(), nowMs).toSorted((a, b) =>
        ORDER.indexOf(a.state) - ORDER.indexOf(b.state)
      );
      const names = new Map(acts.sources.map(({ id, nameEn }) => [id, nameEn]));
      const held = sources.filter(({ held_back }) => held_back > 0);
      const body = markup`<h1>${t.sources.title}</h1>
${
        held.map(({ id, held_back }) =>
          notice(
            markup`<a href="${hrefOfSource(id)}#held">${names.get(id) ?? id}</a>${call.texts.common.colon} ${
              format.plural(held_back, {
                one: t.sources.heldOne,
                other: t.sources.held(format.number(held_back)),
              })
            }`,
            "warn",
          )
        )
      }
${
        table({
          caption: t.sources.title,
          columns: [
            { label: t.sources.source },
            { label: t.state },
            { label: t.sources.events, kind: "number" },
            { label: t.sources.lastNew },
            { label: t.sources.lastSuccess },
            { label: t.sources.next },
          ],
          rows: sources.map((source) => sourceCells(source, names.get(source.id), call)),
          empty: emptyState({ title: t.sources.none, text: t.sources.noneText }),
        })
      }`;
      return { kind: "page", title: t.sources.title, section: "sources", body };
    },
  });
}

export function hrefOfSource(id: string): string {
  return `/operator/sources/${encodeURIComponent(id)}`;
}

function sourceCells(source: ListedSource, name: string | undefined, call: OperatorCall): Part[] {
  const { texts, format } = call;
  const { operator: t } = texts;
  return [
    markup`<a href="${hrefOfSource(source.id)}">${name ?? source.id}</a><br><code>${source.id}</code>`,
    markup`${badgesOf(texts).source(source.state)}${reasonOf(source)}`,
    format.number(source.events),
    timeOr(source.last_new_at, t.never, call),
    timeOr(source.last_success_at, t.never, call),
    source.enabled ? timeOr(source.next_due_at, t.sources.atStart, call) : "–",
  ];
}

function reasonOf({ reason }: ListedSource): Html | null {
  return reason === null ? null : markup`<br><small class="soft" lang="en">${reason}</small>`;
}

/** A relative time, or a word for none. */
export function timeOr(atMs: number | null, none: string, call: OperatorCall): Part {
  return atMs === null ? none : timeAgo(atMs, call);
}
