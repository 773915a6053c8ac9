// What changed between two versions, as HTML: a redline inline or side by side, and the changed values.
import type { RegEvent } from "../../../domain/event/event.ts";
import { type DiffPart, inlineDiff, sideBySideDiff } from "../../components/diff.ts";
import { getForm, hiddenField } from "../../components/form.ts";
import { notice } from "../../components/notice.ts";
import { type Tab, tabs } from "../../components/tabs.ts";
import { type Html, markup, type Part } from "../../html.ts";
import type { EventContent } from "./event_content.ts";
import { eventUrl } from "./event_url.ts";
import { comparedLanguage, compareVersions, type Comparison, type FieldComparison } from "./event_view.ts";

/** Returns the comparison, or null if the publication has only one version. */
export function changesSection(content: EventContent): Html | null {
  const { call: { texts, typed, language, format }, event, before, versions, vocabulary } = content;
  const text = texts.event.changes;
  if (versions.all.length < 2) return null;
  const problem = before === null && typed.get("from") !== "" ? notice(text.unknownVersion, "bad") : null;
  const head = markup`<h2>${text.title}</h2>${problem}`;
  if (before === null) {
    return markup`<section id="changes">${head}<p>${text.first}</p>${versionForm(content)}</section>`;
  }
  const dateText = (one: RegEvent) =>
    one.published_at_precision === "date"
      ? format.date(one.published_on ?? one.published_at)
      : format.dateTime(one.published_at);
  const shownLanguage = comparedLanguage(before, event, typed.get("text"), language);
  const comparison = compareVersions(before, event, { language, shownLanguage, vocabulary, dateText });
  return markup`<section id="changes">${head}
<p>${comparison.summary}.</p>
${viewTabs(content)}
${redlines(comparison, before, content)}
${comparison.fields.length === 0 ? null : changedFields(comparison.fields, content)}
${otherLanguages(comparison, content)}
${versionForm(content)}
</section>`;
}

function isSideBySide({ call: { typed } }: EventContent): boolean {
  return typed.get("view") === "side";
}

/** Returns the URL of the page with other parameters of the comparison. */
function comparisonUrl({ call: { typed }, event }: EventContent, change: Record<string, string>): string {
  const query = new URLSearchParams();
  for (const name of ["from", "view", "text"]) {
    const value = change[name] ?? typed.get(name);
    if (value !== "") query.set(name, value);
  }
  return `${eventUrl(event.id)}${query.size === 0 ? "" : `?${query}`}#changes`;
}

function viewTabs(content: EventContent): Html {
  const text = content.call.texts.event.changes;
  const isSide = isSideBySide(content);
  const all: Tab[] = [
    { label: text.inline, href: comparisonUrl(content, { view: "" }), isCurrent: !isSide },
    { label: text.sideBySide, href: comparisonUrl(content, { view: "side" }), isCurrent: isSide },
  ];
  return tabs(text.view, all);
}

function redlines(
  { title, summaryText, language: code }: Comparison,
  before: RegEvent,
  content: EventContent,
): Html {
  const { call: { texts, language }, event } = content;
  const text = texts.event.changes;
  const names = { before: text.version(before.version), after: text.version(event.version) };
  const one = (heading: string, parts: readonly DiffPart[]): Part => {
    if (parts.length === 0) return null;
    if (parts.every(({ kind }) => kind === "same")) {
      return markup`<h3>${heading}</h3><p class="soft">${text.same}</p>`;
    }
    const shown = isSideBySide(content) ? sideBySideDiff(parts, names, texts) : inlineDiff(parts, texts);
    return markup`<h3>${heading}</h3><div class="redline"${
      code === language ? null : markup` lang="${code}"`
    }>${shown}</div>`;
  };
  return markup`${one(text.titleText, title)}${one(text.summaryText, summaryText)}`;
}

function changedFields(fields: readonly FieldComparison[], { call: { texts } }: EventContent): Html {
  const text = texts.event.changes;
  const values = (kind: "added" | "removed", all: readonly string[]) =>
    all.map((value) => {
      const { begin, end } = texts.common.diff[kind];
      const content =
        markup`<span class="visually-hidden"> ${begin} </span>${value}<span class="visually-hidden"> ${end} </span>`;
      return kind === "added"
        ? markup`<li><ins>${content}</ins></li>`
        : markup`<li><del>${content}</del></li>`;
    });
  return markup`<h3>${text.values}</h3><dl class="facts">${
    fields.map(({ field, removed, added }) =>
      markup`<div><dt>${text.fields[field]}</dt><dd><ul class="plain-list">${values("removed", removed)}${
        values("added", added)
      }</ul></dd></div>`
    )
  }</dl>`;
}

function otherLanguages({ otherLanguages: codes }: Comparison, content: EventContent): Html | null {
  if (codes.length === 0) return null;
  const { call: { texts }, vocabulary } = content;
  const links = codes.map((code) =>
    markup`<li><a href="${comparisonUrl(content, { text: code })}">${vocabulary.languageName(code)}</a></li>`
  );
  return markup`<p>${texts.event.changes.alsoIn}</p><ul class="inline-list">${links}</ul>`;
}

/** A form that chooses the two versions. The newer one is in the path, so the page redirects to it. */
function versionForm({ call: { texts, typed, format }, event, before, versions }: EventContent): Html {
  const text = texts.event.changes;
  const select = (name: string, label: string, chosen: string | undefined) =>
    markup`<div class="field"><label for="compare-${name}">${label}</label><select id="compare-${name}" name="${name}">${
      versions.all.toReversed().map(({ id, version, ingested_at }) =>
        markup`<option value="${id}"${id === chosen ? markup` selected` : null}>${
          text.versionOn(version, format.date(ingested_at))
        }</option>`
      )
    }</select></div>`;
  const kept = ["view", "text"].filter((name) => typed.get(name) !== "")
    .map((name) => hiddenField(name, typed.get(name)));
  const form = getForm({
    action: eventUrl(event.id),
    fields: markup`<div class="grid">${select("from", text.from, before?.id)}${
      select("to", text.to, event.id)
    }</div>${kept}`,
    submit: text.compare,
    tone: "plain",
  });
  return markup`<details class="compare"><summary>${text.choose}</summary>${form}</details>`;
}
