// The output of `source parse`: a source to paste into the config with a sample of its items, or the items alone.
import { formatCount } from "../../domain/format_count.ts";
import { harmless } from "../../domain/control_characters.ts";
import {
  type DocumentDescription,
  PLACEHOLDER_URL,
  type SourceSuggestion,
} from "../../ingest/normalise/describe_document.ts";
import { tableFor, type Viewer } from "../print.ts";
import { formatTime } from "../../domain/format_time.ts";
import { cut, publishedCell } from "../table.ts";
import { wrapText } from "../wrap_text.ts";

/** Number of items in the sample. */
const MAX_SAMPLE = 5;
const TITLE_WIDTH = 100;
/** Maximum length of a title in the sample, so that its line has at most 80 characters. */
const SAMPLE_WIDTH = 66;
const MAX_ID_CHARACTERS = 40;

type Items = DocumentDescription["items"];

/** Returns a `[[sources]]` table followed by a sample of its items as comments. `url` is the URL that the user states. */
export function suggestedSource(
  { format, language, items }: DocumentDescription,
  suggestion: SourceSuggestion,
  url: string | null,
): string {
  const { fetchStrategy: strategy, title, rules, others } = suggestion;
  if (strategy === "sparql") {
    return "# A SPARQL result does not contain its query, so no source can be suggested. config.example.toml shows a\n" +
      `# source with a query.\n\n${sampleOf(items)}`;
  }
  const statedUrl = url ?? suggestion.url;
  const host = statedUrl === null ? null : nameOfHost(new URL(statedUrl));
  const name = title ?? host ?? "My source";
  const setUrl = statedUrl === null ? " # the document does not state its URL: set it" : "";
  const lines = [
    `# Suggested by \`regfeed source parse\` for ${
      formatCount(items.length, "item")
    } (${format}). Check each value.`,
    "[[sources]]",
    `id = ${quote(idOf(name) || idOf(host ?? "") || "my-source")} # do not change it later`,
    `name_en = ${quote(cut(name, TITLE_WIDTH))}`,
    `fetch_strategy = ${quote(strategy)}`,
    `url = ${quote(statedUrl ?? PLACEHOLDER_URL)}${setUrl}`,
    'schedule = "*/30 * * * *"',
    'timezone = "UTC" # of dates that state none',
    language === null
      ? '#languages = ["en"] # not stated by the document'
      : `languages = [${quote(language)}]`,
    "enabled = false # set it to true after `regfeed check` and `regfeed source test`",
    ...(rules.length === 0 ? [] : [`[sources.${strategy}]`, ...rules.map(harmless)]),
  ];
  const lacksLink = rules.length > 0 && !rules.some((rule) => rule.startsWith("link ="));
  if (lacksLink) {
    const id = /^id = "(.*)"$/m.exec(rules.join("\n"))?.[1] ?? others[0] ?? "id";
    lines.push(
      "# Required: the URL of an item. {…} is one of its values.",
      `#link = ${quote(`https://www.example.org/{${id}}`)}`,
    );
    // Without an id, the config would be invalid.
    const titlePath = rules.find((rule) => rule.startsWith("title = "))?.slice("title = ".length);
    if (!rules.some((rule) => rule.startsWith("id =")) && titlePath !== undefined) {
      lines.push(`id = ${harmless(titlePath)} # replace it by a value that never changes, or by link`);
    }
  }
  if (others.length > 0) {
    lines.push(
      ...wrapText(others.join(", "), { width: 80, indent: 0, first: "Further values of the items: " })
        .trimEnd().split("\n").map((line) => `# ${line}`),
    );
  }
  return `${lines.join("\n")}\n\n${
    sampleOf(lacksLink ? items.map((item) => ({ ...item, link: null })) : items)
  }`;
}

/** Returns the name of a host without its port, or null if it is an IP address or a name without dots. */
function nameOfHost({ hostname }: URL): string | null {
  const isName = hostname.includes(".") && !/^[\d.]+$/.test(hostname);
  return isName ? hostname.replace(/^www\./, "") : null;
}

function sampleOf(items: Items): string {
  const dateOf = ({ published_at, published_on }: Items[number]) =>
    published_at === null ? "no date   " : published_on ?? formatTime(published_at).slice(0, 10);
  const sample = items.slice(0, MAX_SAMPLE).map((item) => {
    const link = cut(item.link ?? "no link", 2 * TITLE_WIDTH);
    return `# ${dateOf(item)}  ${cut(item.title, SAMPLE_WIDTH)}\n#             ${link}\n`;
  });
  const rest = items.length - sample.length;
  return `${sample.join("")}${rest === 0 ? "" : `# … and ${rest} more; --json prints all\n`}`;
}

/** Returns a source's id made of the words of a name. */
function idOf(name: string): string {
  const words = name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().match(/[a-z0-9]+/g) ?? [];
  let id = "";
  for (const word of words) {
    if (`${id}-${word}`.length > MAX_ID_CHARACTERS) break;
    id = id === "" ? word : `${id}-${word}`;
  }
  return id;
}

/** Returns a basic string of TOML, which has the escapes of JSON. */
function quote(text: string): string {
  return JSON.stringify(harmless(text).toWellFormed());
}

/** Formats the items that the rules of a source find. */
export function itemsTable(items: Items, viewer: Viewer): string {
  const rows = items.map(({ title, link, published_at, ...date }) => [
    published_at === null ? "no date" : publishedCell({ published_at, ...date }),
    cut(title, TITLE_WIDTH),
    link ?? "no link",
  ]);
  return tableFor(viewer, ["PUBLISHED (UTC)", "TITLE", "LINK"], rows, { drop: ["LINK"], cut: "TITLE" });
}
