// The check of a subscription before it is created: its URL, and a preview of its events.
import type { FieldError } from "../../../domain/error_codes.ts";
import { dateOnly } from "../../components/time.ts";
import { type Html, markup } from "../../html.ts";
import type { CustomerCall } from "../../page_route.ts";
import { dayOf, textsFor } from "../feed/feed_view.ts";
import { eventUrl } from "../event/event_url.ts";
import type { Preview } from "./preview.ts";

interface CheckedEvent {
  title: string;
  language: string;
  href: string;
  day: string;
  dayText: string;
  /** Names the version of a revision; otherwise empty. */
  version: string;
}

/** The result in words, as the page and its script show it. */
export interface CheckResult {
  url: { isGood: boolean; text: string };
  preview: { text: string; last: string; events: CheckedEvent[] };
}

/** `refused` is why the URL cannot receive webhooks; null if it can. */
export function checkResult(
  { url, refused, preview }: {
    url: string;
    refused: string | null;
    preview: Preview | { errors: readonly FieldError[] };
  },
  { texts, format, language }: CustomerCall,
): CheckResult {
  const { check } = texts.subscriptions;
  const urlText = url === "" ? check.urlMissing : refused === null ? check.urlGood : `URL: ${refused}`;
  const events = "errors" in preview ? [] : preview.last.map((event): CheckedEvent => {
    const { title, language: own } = textsFor(event, language);
    const day = dayOf(event);
    const version = event.version === 1 ? "" : texts.feed.row.revision(event.version);
    return { title, language: own, href: eventUrl(event.id), day, dayText: format.date(day), version };
  });
  return {
    url: { isGood: url !== "" && refused === null, text: urlText },
    preview: {
      text: "errors" in preview ? check.invalid : rateText(preview.inFourWeeks),
      last: events.length === 0 ? "" : check.last,
      events,
    },
  };

  function rateText(inFourWeeks: number): string {
    if (inFourWeeks === 0) return check.none;
    if (inFourWeeks < 4) return format.plural(inFourWeeks, check.perMonth)(format.number(inFourWeeks));
    const perWeek = Math.round(inFourWeeks / 4);
    return format.plural(perWeek, check.perWeek)(format.number(perWeek));
  }
}

/** The panel that shows the result. The script fills an empty one. */
export function checkPanel(result: CheckResult | null, call: CustomerCall): Html {
  const { check } = call.texts.subscriptions;
  const content = result === null ? null : markup`<h2>${check.title}</h2>
<p class="${result.url.isGood ? "good" : "bad"}">${result.url.text}</p>
<p>${result.preview.text}${result.preview.last === "" ? null : ` ${result.preview.last}`}</p>
<ul>${
    result.preview.events.map(({ title, language, href, day, version }) =>
      markup`<li><a href="${href}" lang="${language}">${title}</a> <span class="soft">${
        dateOnly(day, call)
      } ${version}</span></li>`
    )
  }</ul>`;
  return markup`<section id="check" class="check" aria-live="polite" data-title="${check.title}"${
    result === null ? markup` hidden` : null
  }>${content}</section>`;
}
