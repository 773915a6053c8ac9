// The page of an event as HTML.
import { citation, isInAct } from "../../../domain/event/article.ts";
import { diffEvents } from "../../../domain/event/diff.ts";
import type { RegEvent } from "../../../domain/event/event.ts";
import type { Reason } from "../../../domain/event/explanation.ts";
import { utcDay } from "../../../domain/utc_day.ts";
import { badge, severityBadge } from "../../components/badge.ts";
import { emptyState } from "../../components/empty_state.ts";
import { type Fact, facts } from "../../components/facts.ts";
import { icon } from "../../components/icon.ts";
import { externalLink } from "../../components/link.ts";
import { notice } from "../../components/notice.ts";
import { type Step, timeline } from "../../components/timeline.ts";
import { dateOnly, exactTime, timeAgo } from "../../components/time.ts";
import { type Html, markup, type Part } from "../../html.ts";
import type { CustomerCall } from "../../page_route.ts";
import type { Language } from "../../texts/texts.ts";
import { FEED_PATH, type FilterName } from "../feed/feed_query.ts";
import { sourceNameOf } from "../feed/feed_view.ts";
import { changesSection } from "./changes_html.ts";
import { deliveriesSection } from "./deliveries_html.ts";
import type { EventContent } from "./event_content.ts";
import { eventUrl } from "./event_url.ts";
import { type ConcerningDates, datesOf, nameOf, textLanguageOf } from "./event_view.ts";

export function renderUnknownEvent({ texts }: CustomerCall): Html {
  const { unknown } = texts.event;
  return markup`<h1>${unknown.title}</h1>${
    emptyState({
      title: unknown.reason,
      text: unknown.text,
      actions: markup`<a class="button primary" href="${FEED_PATH}">${unknown.toFeed}</a>`,
    })
  }`;
}

export function renderEvent(content: EventContent): Html {
  const { call: { texts, typed, language, nowMs }, event, vocabulary, newest } = content;
  const shownLanguage = textLanguageOf(event, typed.get("text"), language);
  const shown = event.translations[shownLanguage] ?? { title: event.title_en, summary: event.summary_en };
  const dates = datesOf(event, shown, { today: utcDay(nowMs), language, vocabulary });
  const isSuperseded = newest !== null && newest.id !== event.id && newest.version > event.version;
  return markup`<p class="back"><a href="${FEED_PATH}">← ${texts.event.backToFeed}</a></p>
<article class="event">
<header>
<p class="marks">${
    severityBadge(event.severity, vocabulary.severityName(event.severity))
  }<span class="type">${vocabulary.eventTypeName(event.event_type)}</span>${versionBadge(content)}${
    event.status === "withdrawn"
      ? badge({ tone: "warn", shape: "cross", text: texts.feed.row.withdrawn })
      : null
  }</p>
<h1${langOf(shownLanguage, language)}>${shown.title}</h1>
${isSuperseded && newest !== null ? supersededNotice(newest, content) : null}
</header>
<div class="event-columns">
<div class="event-main">
${languageLinks(content, shownLanguage)}
${
    shown.summary === ""
      ? markup`<p class="soft">${texts.event.noSummary}</p>`
      : markup`<p class="summary"${langOf(shownLanguage, language)}>${shown.summary}</p>`
  }
<p class="official">${
    externalLink(
      event.url_official,
      markup`${texts.event.official(hostOf(event.url_official))} ${icon("external")}`,
    )
  }</p>
${changesSection(content)}
${datesSection(dates, content, shownLanguage)}
${deliveriesSection(content)}
</div>
<aside class="event-facts" aria-label="${texts.event.facts.label}">
${factList(content)}
${articleList(content)}
${versionSteps(content)}
${reasonDetails(content)}
${provenanceDetails(content)}
</aside>
</div>
</article>`;
}

function langOf(code: string, language: string): Html | null {
  return code === language ? null : markup` lang="${code}"`;
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? "";
}

function versionBadge({ call: { texts }, event, newest }: EventContent): Html | null {
  if (newest === null || newest.version === 1) return null;
  return badge({ tone: "accent", shape: "half", text: texts.event.versionOf(event.version, newest.version) });
}

function supersededNotice(newest: RegEvent, { call: { texts, format } }: EventContent): Html {
  const link = markup`<a href="${eventUrl(newest.id)}">${
    texts.event.newerVersion(newest.version, format.date(newest.ingested_at))
  }</a>`;
  return notice(markup`${icon("triangle")} ${texts.event.superseded} ${link}`, "warn");
}

/** Links to the texts in the event's other languages. */
function languageLinks({ event, vocabulary, call: { texts } }: EventContent, shown: string): Html | null {
  if (event.language_versions.length < 2) return null;
  return markup`<nav class="text-languages" aria-label="${texts.event.textLanguages}"><ul>${
    event.language_versions.map((code) =>
      markup`<li><a href="${eventUrl(event.id)}?text=${code}"${
        code === shown ? markup` aria-current="true"` : null
      }>${vocabulary.languageName(code)}</a></li>`
    )
  }</ul></nav>`;
}

function datesSection(dates: ConcerningDates, { call }: EventContent, shownLanguage: string): Html {
  const { texts, format, nowMs, language } = call;
  const text = texts.event.dates;
  const today = utcDay(nowMs);
  const when = (on: string): Html => {
    const days = Math.round((Date.parse(on) - Date.parse(today)) / 86_400_000);
    const distance = days === 0 ? text.today : format.relative(days * 86_400_000, 0);
    return markup`${dateOnly(on, call)}<br><span class="soft">${distance}</span>`;
  };
  const named = dates.named.map(({ on, context }): DatedFact => [
    when(on),
    markup`<q${langOf(shownLanguage, language)}>${context}</q>`,
  ]);
  const act = dates.act.map(({ on, what, basis, references }): DatedFact => [
    when(on),
    markup`${what} <span class="soft">${text.basis(references.join(", "), basis)}</span>`,
  ]);
  return markup`<section id="dates"><h2>${text.title}</h2>
${notice(text.notKnown, "neutral")}
<h3>${text.named}</h3>
${named.length === 0 ? markup`<p class="soft">${text.noneNamed}</p>` : dateList(named)}
<h3>${text.act}</h3>
${
    act.length === 0
      ? markup`<p class="soft">${dates.articlesFrom === null ? text.noArticles : text.noneInAct}</p>`
      : markup`${dates.articlesFrom === "topics" ? markup`<p class="soft">${text.byTopics}</p>` : null}${
        dateList(act)
      }`
  }
</section>`;
}

type DatedFact = readonly [when: Html, what: Html];

function dateList(rows: readonly DatedFact[]): Html {
  return markup`<dl class="facts dates">${
    rows.map(([when, what]) => markup`<div><dt>${when}</dt><dd>${what}</dd></div>`)
  }</dl>`;
}

function filterLink(name: FilterName, value: string, label: Part): Html {
  return markup`<a href="${FEED_PATH}?${name}=${encodeURIComponent(value)}">${label}</a>`;
}

function factList({ call, event, vocabulary }: EventContent): Html {
  const { texts } = call;
  const text = texts.event.facts;
  const published = event.published_at_estimated
    ? markup`${exactTime(event.published_at, call)} <span class="soft">${text.estimated}</span>`
    : event.published_at_precision === "date"
    ? dateOnly(event.published_on ?? event.published_at, call)
    : exactTime(event.published_at, call);
  const topics = event.topics.map((id) =>
    markup`<li>${filterLink("topics", id, vocabulary.topicName(id))}</li>`
  );
  const rows: (Fact | null)[] = [
    [text.source, filterLink("source", event.source_id, sourceNameOf(event, vocabulary))],
    [text.published, published],
    [text.recorded, exactTime(event.ingested_at, call)],
    [text.topics, topics.length === 0 ? text.none : markup`<ul class="plain-list">${topics}</ul>`],
    [text.languages, call.format.list(event.language_versions.map(vocabulary.languageName))],
  ];
  return facts(rows);
}

function articleList({ call, event }: EventContent): Html {
  const { texts, language } = call;
  const text = texts.event.articles;
  const items = event.ai_act_articles.map((reference) => {
    if (!isInAct(reference)) return markup`<li>${reference}</li>`;
    const { title, url, change } = citation(reference, language);
    return markup`<li>${externalLink(url, markup`<strong>${reference}</strong>`)}${
      title === "" ? null : markup` <span lang="en">${title}</span>`
    }${change === null ? null : markup` <span class="soft">${text[change]}</span>`} <span class="small">${
      filterLink(
        "article",
        reference,
        markup`${text.events}<span class="visually-hidden"> ${text.on(reference)}</span>`,
      )
    }</span></li>`;
  });
  return markup`<section><h2>${text.title}</h2>${
    items.length === 0 ? markup`<p class="soft">${text.none}</p>` : markup`<ul class="articles">${items}</ul>`
  }</section>`;
}

function versionSteps({ call, event, versions, newest }: EventContent): Html {
  const { texts, language } = call;
  const text = texts.event.versions;
  const steps = versions.records.map(({ event: one, diff_to_previous: diff }, at): Step => ({
    title: one.id === event.id
      ? text.version(one.version)
      : markup`<a href="${eventUrl(one.id)}">${text.version(one.version)}</a>`,
    when: markup`${timeAgo(one.ingested_at, call)}${
      one.id === newest?.id ? markup` · ${text.newest}` : null
    }`,
    text: diff === null ? text.first : changeSummary(diff.summary, versions.all[at - 1], one, language),
    isCurrent: one.id === event.id,
    ...(one.status === "withdrawn" ? { tone: "warn" as const } : {}),
  }));
  return markup`<section><h2>${text.title}</h2>${timeline(steps.reverse())}${
    versions.hasEarlier ? markup`<p class="soft">${text.earlier}</p>` : null
  }</section>`;
}

/** Describes the changes of a version in the reader's language, if the version before it is known. */
function changeSummary(
  english: string,
  previous: RegEvent | undefined,
  next: RegEvent,
  language: Language,
): Part {
  if (language === "en") return english;
  return previous === undefined
    ? markup`<span lang="en">${english}</span>`
    : diffEvents(previous, next, language).summary;
}

function reasonDetails({ call: { texts, language }, explanation, vocabulary }: EventContent): Html {
  const text = texts.event.reasons;
  const valueOf = ({ field, value }: Reason): string =>
    field === "relevant" ? value === "true" ? text.yes : text.no : nameOf(field, value, vocabulary);
  const items = explanation.reasons.map((reason) =>
    markup`<li><strong>${text.fields[reason.field]}${texts.common.colon} ${
      valueOf(reason)
    }</strong><br><span${langOf("en", language)}>${reason.why}</span>${
      reason.words.length === 0
        ? null
        : markup` <span class="evidence">${reason.words.map((word) => markup`<q>${word}</q> `)}</span>`
    }</li>`
  );
  const { same_rules, stored_rules_version, rules_version } = explanation;
  return markup`<section><h2>${text.title}</h2><details><summary>${text.show}</summary>
${same_rules ? null : markup`<p class="soft">${text.otherRules(stored_rules_version, rules_version)}</p>`}
<ul class="reasons">${items}</ul></details></section>`;
}

function provenanceDetails({ call, provenance }: EventContent): Html {
  const text = call.texts.event.provenance;
  const status = provenance.http_status === null ? text.file : String(provenance.http_status);
  return markup`<section><h2>${text.title}</h2><details><summary>${text.show}</summary>${
    facts([
      [text.document, markup`<code>${provenance.document}</code>`],
      [text.fetched, exactTime(provenance.fetched_at, call)],
      [text.status, status],
      [text.hash, markup`<code>${provenance.document_sha256}</code>`],
      [text.rules, provenance.rules_version],
    ])
  }</details></section>`;
}
