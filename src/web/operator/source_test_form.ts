// POST /operator/sources/{id}/test: what a fetch would store now.
import { DeadlineError } from "../../domain/ports/ports.ts";
import type { PreviewedItem, SourcePreview } from "../../domain/source/source_preview.ts";
import { emptyState } from "../components/empty_state.ts";
import { facts } from "../components/facts.ts";
import { externalLink } from "../components/link.ts";
import { notice } from "../components/notice.ts";
import { table } from "../components/table.ts";
import { type Html, markup } from "../html.ts";
import { type OperatorCall, operatorPage, type PageRoute } from "../page_route.ts";
import type { OperatorPagesOptions } from "./operator_port.ts";
import { hrefOfSource } from "./sources.ts";
import { dateOf, kindOf, MAX_ITEMS } from "./event_cells.ts";
import { requireSource } from "./source.ts";

/** Time limit of a dry run, ms. */
const TEST_MS = 60_000;

export function sourceTestForm(options: OperatorPagesOptions): PageRoute {
  const { acts, clock } = options;
  return operatorPage({
    method: "POST",
    path: "/operator/sources/{id}/test",
    async handle(call) {
      const { source, settings } = await requireSource(options, call);
      const { operator: t } = call.texts;
      const title = t.test.title(settings?.nameEn ?? source.id);
      const preview = await clock.within(TEST_MS, () => acts.previewSource(source.id)).catch((error) => {
        if (error instanceof DeadlineError) return null;
        throw error;
      });
      const body = markup`<p class="crumb"><a href="${hrefOfSource(source.id)}">${
        settings?.nameEn ?? source.id
      }</a></p>
<h1>${title}</h1>
<p class="lead">${t.test.lead}</p>
${preview === null ? notice(t.test.tooSlow, "bad") : previewParts(preview, call)}`;
      return { kind: "page", title, section: "sources", body };
    },
  });
}

const OUTCOMES: readonly PreviewedItem["outcome"][] = [
  "new",
  "revised",
  "translated",
  "unchanged",
  "passed over",
];

/** Puts the items that would be stored first. */
function inOrder(items: readonly PreviewedItem[]): PreviewedItem[] {
  return items.toSorted((a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome));
}

function previewParts(preview: SourcePreview, call: OperatorCall): Html {
  const { texts: { operator: t }, format, language } = call;
  const { items, refused, notes = [], error } = preview;
  const number = (value: number) => format.number(value);
  const remarks = notes.map((note) => notice(markup`<span lang="en">${note}</span>`));
  const failure = error === undefined ? null : notice(markup`<span lang="en">${error}</span>`, "bad");
  // Without a document, counts of zero would look like a result.
  if (failure !== null && items.length + refused.length === 0) return markup`${failure}${remarks}`;
  return markup`${failure}${
    facts([
      [t.counts.new, number(preview.new)],
      [t.counts.revised, number(preview.revised)],
      [t.counts.unchanged, number(preview.unchanged)],
      [t.counts.translated, number(preview.translated)],
      [t.counts.skipped, number(preview.passed_over)],
      [t.counts.refused, number(refused.length)],
    ])
  }${remarks}
<h2>${t.test.items}</h2>
${
    table({
      caption: t.test.items,
      columns: [
        { label: t.event.title },
        { label: t.test.outcome },
        { label: t.event.severity },
        { label: t.event.topics },
        { label: t.event.articles },
        { label: t.event.published },
      ],
      rows: inOrder(items).slice(0, MAX_ITEMS).map((item) => [
        markup`${
          item.url === null ? markup`<span lang="${item.language}">${item.title}</span>` : externalLink(
            item.url,
            markup`<span lang="${item.language}">${item.title}</span>`,
          )
        }${item.notes.map((note) => markup`<br><small class="soft" lang="en">${note}</small>`)}`,
        t.outcomes[item.outcome],
        kindOf(item, language),
        item.topics.join(", "),
        item.ai_act_articles.join(", "),
        dateOf(item, call),
      ]),
      empty: emptyState({ title: t.test.none, text: t.test.noneText }),
    })
  }${
    items.length > MAX_ITEMS
      ? markup`<p class="soft">${t.held.more(number(items.length - MAX_ITEMS))}</p>`
      : null
  }${
    refused.length === 0 ? null : markup`<h2>${t.test.refused}</h2>${
      table({
        caption: t.test.refused,
        columns: [{ label: t.event.title }, { label: t.reason }],
        rows: refused.slice(0, MAX_ITEMS).map((
          { item, reason },
        ) => [item, markup`<span lang="en">${reason}</span>`]),
      })
    }`
  }`;
}
