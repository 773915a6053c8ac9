// The feed as HTML.
import { utcDay } from "../../../domain/utc_day.ts";
import { badge, severityBadge } from "../../components/badge.ts";
import { dialog } from "../../components/dialog.ts";
import { emptyState } from "../../components/empty_state.ts";
import { fieldsOf } from "../../components/fields.ts";
import { filters } from "../../components/filters.ts";
import { formProblem, hiddenField, postForm } from "../../components/form.ts";
import { paging } from "../../components/paging.ts";
import { type Html, markup } from "../../html.ts";
import type { CustomerCall } from "../../page_route.ts";
import {
  articleField,
  eventTypeField,
  languageField,
  severityField,
  sourceField,
  topicField,
  topicOptions,
} from "../filter_fields.ts";
import type { Count, FeedContent } from "./feed_content.ts";
import {
  FEED_FILTERS,
  FEED_PATH,
  feedUrl,
  nextPage,
  previousPage,
  subscribeUrl,
  withFilters,
} from "./feed_query.ts";
import { type FeedDay, type FeedRow, feedShortcuts } from "./feed_view.ts";

/** Numbers of events per page to choose from. */
const PAGE_SIZES = ["25", "50", "100", "200"];
const USUAL_SIZE = "50";
/** Number of references that a row shows. */
const MAX_ARTICLES = 4;

/** The parameters with a visible field, which shows its error itself. */
const SHOWN_FIELDS = [...Object.keys(FEED_FILTERS).filter((name) => name !== "after"), "limit"];

export function renderFeed(content: FeedContent): Html {
  const { call: { texts }, query, next, errors } = content;
  const newer = previousPage(query);
  const older = next === null ? null : feedUrl(nextPage(query, next));
  const isArrival = query.filters.has("after");
  const links = isArrival
    ? paging(texts, { newer: older, older: null })
    : paging(texts, { newer: newer === null ? null : feedUrl(newer), older });
  const problem = formProblem(texts, errors, {
    message: texts.common.form.queryProblem,
    fields: SHOWN_FIELDS,
  });
  return markup`<div class="feed-head"><h1>${texts.feed.title}</h1>${searchForm(content)}</div>
${newsLine(content)}
${shortcutLinks(content)}
${problem}
${filterForm(content)}
${countLine(content)}
${content.days.length === 0 ? emptyFeed(content) : content.days.map((day) => daySection(day, content))}
${links}
${keyboardHelp(content)}`;
}

/** The search has its own form, which keeps the other filters. */
function searchForm({ call: { texts, typed }, query, vocabulary }: FeedContent): Html {
  const { search, searchHint, anyTopic } = texts.feed;
  const topics = query.filters.get("topics") ?? [];
  // The choice of one topic cannot show several, which are then kept.
  const isChoice = topics.length < 2;
  const { filters } = withFilters(query, { q: [], ...(isChoice ? { topics: [] } : {}) });
  const choice = markup`<label class="visually-hidden" for="topic">${texts.feed.filters.topics}</label>
<select id="topic" name="topics"><option value="">${anyTopic}</option>${
    topicOptions(vocabulary).map(({ value, label }) =>
      markup`<option value="${value}"${value === topics[0] ? markup` selected` : null}>${label}</option>`
    )
  }</select>`;
  const kept = [...filters].map(([name, values]) => hiddenField(name, values.join(",")));
  const limit = query.paging.limit === undefined ? null : hiddenField("limit", query.paging.limit);
  return markup`<form class="search" role="search" method="get" action="${FEED_PATH}">${kept}${limit}
<label class="visually-hidden" for="search">${search}</label>
<input type="search" id="search" name="q" value="${
    typed.get("q")
  }" placeholder="${searchHint}" maxlength="200">
${isChoice ? choice : null}
<button class="button plain">${texts.common.actions.search}</button></form>`;
}

function newsLine({ call, news, query }: FeedContent): Html | null {
  const { texts, format, nowMs } = call;
  const text = texts.feed.news;
  if (news === null) return null;
  const since = markup`<time datetime="${new Date(news.sinceMs).toISOString()}">${
    text.moment(
      utcDay(news.sinceMs) === utcDay(nowMs) ? null : format.weekday(news.sinceMs),
      format.time(news.sinceMs),
    )
  }</time>`;
  const count = countText(news, call);
  const isShown = query.filters.get("after")?.[0] === news.only.filters.get("after")?.[0];
  const link = isShown
    ? markup`<a href="${feedUrl(withFilters(query, { after: [] }))}">${text.showAll}</a>`
    : markup`<a href="${feedUrl(news.only)}">${text.showOnly}</a>`;
  const mark = postForm(call, {
    action: `${FEED_PATH}/read`,
    fields: [
      hiddenField("event", news.lastEventId),
      hiddenField("return_to", feedUrl(withFilters(query, { after: [] }))),
    ],
    submit: text.markRead,
    tone: "plain",
    layout: "inline",
  });
  return markup`<div class="news"><p><strong>${
    format.plural(news.count, text.count)(count)
  }</strong> ${since}</p>
<div class="news-acts">${link} ${mark}</div></div>`;
}

function countText({ count, exact }: Count, { format }: Pick<CustomerCall, "format">): string {
  return exact ? format.number(count) : `${format.number(count)}+`;
}

function shortcutLinks({ call: { texts, nowMs }, query }: FeedContent): Html {
  return markup`<nav class="shortcuts" aria-label="${texts.feed.shortcuts.label}"><ul>${
    feedShortcuts(query, texts, nowMs).map(({ label, href, isCurrent }) =>
      markup`<li><a href="${href}"${isCurrent ? markup` aria-current="true"` : null}>${label}</a></li>`
    )
  }</ul></nav>`;
}

function filterForm(content: FeedContent): Html {
  const { call, vocabulary, query, chips, errors } = content;
  const { texts, typed, format } = call;
  const names = texts.feed.filters;
  const fields = fieldsOf({ texts, typed, errors, isFilter: true });
  const fieldCall = { fields, typed, texts, format, vocabulary, invalid: errors.map(({ field }) => field) };
  const after = query.filters.get("after")?.[0];
  const day = (name: "since" | "until") => {
    // A time that a date field cannot hold stays as text, so that it does not change when the form is sent again.
    const isDay = /^(\d{4}-\d\d-\d\d)?$/.test(typed.get(name));
    return fields.text(name, names[name], { type: isDay ? "date" : "text" });
  };
  return filters(texts, {
    action: FEED_PATH,
    clearHref: feedUrl(withFilters({ ...query, filters: new Map() }, {})),
    isOpen: errors.length > 0,
    act: subscribeLink(content),
    chips: chips.map(({ label, without }) => ({ label, href: feedUrl(without) })),
    fields: markup`<div class="grid">${
      fields.text("q", names.q, { type: "search", maxLength: 200, hint: names.qHint })
    }
${severityField(fieldCall, "severity_min", names.severity)}
${articleField(fieldCall, "article", names.article)}
${day("since")}${day("until")}
${
      fields.select("limit", names.limit, {
        options: [...new Set([...PAGE_SIZES, typed.get("limit", USUAL_SIZE)])]
          .map((size) => ({ value: size === USUAL_SIZE ? "" : size, label: size })),
      })
    }</div>
${topicField(fieldCall, "topics", names.topics)}
${eventTypeField(fieldCall, "event_type", names.type)}
${sourceField(fieldCall, "source", names.source)}
${languageField(fieldCall, "language", names.language)}
${fields.flag("latest", names.latest)}
${after === undefined ? null : hiddenField("after", after)}`,
  });
}

/** A link to a new subscription with these filters; null if none of them is one of a subscription. */
function subscribeLink({ call: { texts }, query }: FeedContent): Html | null {
  const href = subscribeUrl(query);
  return href === null ? null : markup`<a href="${href}">${texts.feed.subscribe}</a>`;
}

function countLine({ call, total, query, shown }: FeedContent): Html | null {
  if (shown === 0) return null;
  const { texts, format } = call;
  const text = format.plural(total.count, texts.feed.count)(countText(total, call));
  return markup`<p class="count-line soft">${text}${
    query.filters.has("after") ? ` · ${texts.feed.byArrival}` : null
  }</p>`;
}

function daySection({ day, rows }: FeedDay, { call }: FeedContent): Html {
  const { format, nowMs, texts } = call;
  const relative = day === utcDay(nowMs)
    ? texts.feed.today
    : day === utcDay(nowMs - 86_400_000)
    ? texts.feed.yesterday
    : null;
  return markup`<section class="day"><h2><time datetime="${day}">${format.weekday(day)}</time>${
    relative === null ? null : markup` <span class="soft">${relative}</span>`
  }</h2>
<ol class="rows">
${rows.map((row) => eventRow(row, call))}
</ol></section>
`;
}

function eventRow(row: FeedRow, { texts, language }: CustomerCall): Html {
  const { row: text } = texts.feed;
  const more = row.articles.length - MAX_ARTICLES;
  const details = [
    markup`<span>${row.sourceName}</span>`,
    row.time === null ? null : markup`<span>${text.time(row.time)}</span>`,
    row.topicNames.length === 0 ? null : markup`<span>${row.topicNames.join(" · ")}</span>`,
    row.articles.length === 0
      ? null
      : markup`<span>${row.articles.slice(0, MAX_ARTICLES).join(", ")}${
        more > 0 ? ` +${more}` : null
      }</span>`,
  ];
  return markup`<li class="row${row.isNew ? " new" : ""}"><p class="marks">${
    severityBadge(row.severity, row.severityName)
  }<span class="type">${row.typeName}</span>${
    row.version > 1 ? badge({ tone: "accent", shape: "half", text: text.revision(row.version) }) : null
  }${row.isWithdrawn ? badge({ tone: "warn", shape: "cross", text: text.withdrawn }) : null}${
    row.isSuperseded ? badge({ tone: "neutral", shape: "ring", text: text.superseded }) : null
  }${row.isNew ? badge({ tone: "good", shape: "diamond", text: text.isNew }) : null}</p>
<h3><a href="${FEED_PATH}/events/${row.id}"${
    row.titleLanguage === language ? null : markup` lang="${row.titleLanguage}"`
  }>${row.title}</a></h3>
<p class="details">${details}</p></li>
`;
}

function emptyFeed({ call, chips, relaxed, isEmptyStore, query }: FeedContent): Html {
  const { texts } = call;
  const { empty } = texts.feed;
  if (isEmptyStore) {
    return emptyState({
      title: empty.noEvents,
      text: empty.noEventsText,
      actions: markup`<a class="button plain" href="/status">${texts.common.nav.status}</a>`,
    });
  }
  if (chips.length === 1 && query.filters.has("after")) {
    return emptyState({
      title: empty.nothingNew,
      text: empty.nothingNewText,
      actions: markup`<a class="button plain" href="${FEED_PATH}">${texts.feed.news.showAll}</a>`,
    });
  }
  const suggestions = relaxed.map((one) =>
    markup`<li><a href="${feedUrl(one.without)}">${empty.without(one.label)}</a> <span class="soft">${
      call.format.plural(one.count, texts.feed.count)(countText(one, call))
    }</span></li>`
  );
  return emptyState({
    title: empty.noMatch,
    text: suggestions.length > 0 ? empty.removeOne : empty.removeAll,
    actions: markup`${
      suggestions.length === 0 ? null : markup`<ul class="suggestions">${suggestions}</ul>`
    }<a class="button plain" href="${FEED_PATH}">${texts.common.actions.clear}</a>`,
  });
}

/** Hidden until the script that reads the keys runs. */
function keyboardHelp({ call: { texts } }: FeedContent): Html {
  const { keyboard } = texts.feed;
  const rows: [keys: string[], what: string][] = [
    [["j"], keyboard.next],
    [["k"], keyboard.previous],
    [["Enter", "o"], keyboard.open],
    [["/"], keyboard.search],
    [["?"], keyboard.help],
  ];
  return markup`<div class="keyboard" hidden>${
    dialog(texts, {
      id: "shortcuts",
      open: keyboard.title,
      title: keyboard.title,
      content: markup`<dl class="facts">${
        rows.map(([keys, what]) =>
          markup`<div><dt>${keys.map((key) => markup`<kbd>${key}</kbd> `)}</dt><dd>${what}</dd></div>`
        )
      }</dl>`,
    })
  }</div>`;
}
