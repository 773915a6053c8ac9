// Previews a saved document. Without rules from a source, its format is detected or its rules are guessed.
import type { Reading } from "../../domain/source/extraction_rules.ts";
import { decodeText } from "./decode.ts";
import { parseDocument, type ParseOptions } from "./document.ts";
import { guessHtml } from "./guess_html_rules.ts";
import { guessJson } from "./guess_json_rules.ts";
import { DocumentError, type ParsedDocument } from "./parsed.ts";
import { parseJson } from "./formats/read_json.ts";
import { describeSitemap, kindOfMap, readSitemap } from "./formats/read_sitemap.ts";

/** Common variable names in SPARQL results about documents. */
const SPARQL_FIELDS = {
  id: ["celex", "ecli", "eli", "id", "work", "uri"],
  link: ["url", "link", "eli", "work", "uri", "s"],
  title: ["title", "label", "name"],
  summary: ["summary", "abstract", "description"],
  published: ["date", "published", "issued"],
  updated: ["modified", "updated"],
  categories: ["type", "subject"],
  language: ["title@lang"],
};

/** The beginning of the problem that reports guessed rules. */
export const GUESSED = "not a feed: read with guessed rules";

type GuessedReading = Extract<Reading, { kind: "json" | "html" | "sparql" }>;

/** A document, and the rules that were guessed to read it; null if its format needs none or they were given. */
export interface PreviewedDocument extends ParsedDocument {
  guessed: GuessedReading | null;
  /** The values of the items that no guessed rule reads, as paths. */
  others: string[];
}

const NOTHING_GUESSED = { guessed: null, others: [] };

/**
 * Reads a document according to its source's rules. Without rules, feeds, sitemaps and SPARQL results are detected, and
 * the rules of other JSON and of HTML listings are guessed, which is reported as a problem. Throws
 * {@link DocumentError}.
 */
export function previewDocument(bytes: Uint8Array, options: ParseOptions): PreviewedDocument {
  const reading = options.reading ?? null;
  if (reading === null || reading.kind === "page") {
    if (kindOfMap(decodeText(bytes, options.contentType).text) !== null) {
      const { contentType, maxItems } = options;
      const map = readSitemap(bytes, { contentType, maxEntries: maxItems });
      return { ...describeSitemap(map), ...NOTHING_GUESSED };
    }
  }
  if (reading !== null) return { ...parseDocument(bytes, options), ...NOTHING_GUESSED };
  try {
    return { ...parseDocument(bytes, options), ...NOTHING_GUESSED };
  } catch (error) {
    if (!(error instanceof DocumentError)) throw error;
    const { text } = decodeText(bytes, options.contentType);
    const guess = guessReading(text);
    if (guess === null) throw /^\s*</.test(text) ? withoutList(error) : error;
    const { reading: guessed, others } = guess;
    const document = parseDocument(bytes, { ...options, reading: guessed });
    if (guessed.kind === "sparql") return { ...document, guessed, others };
    const reason = `${GUESSED}, ${describeGuess(guessed)}; --source ID applies the rules of a source`;
    return { ...document, guessed, others, problems: [{ item: "document", reason }, ...document.problems] };
  }
}

function withoutList({ summary, message }: DocumentError): DocumentError {
  return new DocumentError(
    `${summary}; it has no list of links whose rules can be guessed`,
    message.slice(summary.length),
  );
}

function guessReading(text: string): { reading: GuessedReading; others: string[] } | null {
  if (!/^\s*[{[]/.test(text)) {
    const reading = /<a\s/i.test(text) ? guessHtml(text) : null;
    return reading === null ? null : { reading, others: [] };
  }
  const { value } = parseJson(text, 2);
  const { head, results } = value as { head?: { vars?: unknown }; results?: { bindings?: unknown } };
  if (Array.isArray(head?.vars) && Array.isArray(results?.bindings)) {
    return { reading: { kind: "sparql", fields: SPARQL_FIELDS, dateFormat: null }, others: [] };
  }
  return guessJson(value);
}

/** Returns the rules in config syntax, on one line. */
function describeGuess(reading: Extract<GuessedReading, { kind: "json" | "html" }>): string {
  return guessedLines(reading).join(", ");
}

/** Returns the rules as lines of the strategy's table in the config. */
export function guessedLines(reading: Extract<GuessedReading, { kind: "json" | "html" }>): string[] {
  const items = reading.kind === "html" ? { item: [reading.item] } : { items: reading.items };
  return Object.entries({ ...items, ...reading.fields }).map(([key, values]) => {
    const written = values.map((value) => JSON.stringify(value)).join(", ");
    return `${key} = ${values.length === 1 ? written : `[${written}]`}`;
  });
}
