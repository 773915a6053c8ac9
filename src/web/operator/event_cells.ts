// The cells of tables of events that are not delivered yet: held ones, and those of a dry run.
import { DEFINED_EVENT_TYPES, DEFINED_SEVERITIES, termName } from "../../domain/event/definitions.ts";
import type { PreviewedItem } from "../../domain/source/source_preview.ts";
import { severityBadge } from "../components/badge.ts";
import { dateOnly, exactTime } from "../components/time.ts";
import { type Html, markup, type Part } from "../html.ts";
import { type OperatorCall } from "../page_route.ts";
import type { Language } from "../texts/texts.ts";

/** Maximum number of held events and of items of a dry run on a page. */
export const MAX_ITEMS = 200;

/** The severity, and below it the event type. */
export function kindOf(
  { severity, event_type }: Pick<PreviewedItem, "severity" | "event_type">,
  language: Language,
): Html {
  const known = DEFINED_SEVERITIES.find(({ id }) => id === severity);
  const name = termName(DEFINED_SEVERITIES, severity, language);
  return markup`${known === undefined ? severity : severityBadge(known.id, name)}<br><small class="soft">${
    termName(DEFINED_EVENT_TYPES, event_type, language)
  }</small>`;
}

export function dateOf(
  { published_at, published_on, published_at_precision }: Pick<
    PreviewedItem,
    "published_at" | "published_on" | "published_at_precision"
  >,
  call: OperatorCall,
): Part {
  if (published_at_precision === "date" && published_on !== null) return dateOnly(published_on, call);
  return published_at === null ? "–" : exactTime(published_at, call);
}
