// Previews a saved document. Without rules from a source, its format is detected or its rules are guessed.
import type { Reading } from "../../domain/source/extraction_rules.ts";
import { decodeText } from "./decode.ts";
import { parseDocument, type ParseOptions } from "./document.ts";
import { describeGuess, guessJson } from "./guess_extraction_rules.ts";
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

/**
 * Reads a document according to its source's rules. Without rules, feeds, sitemaps and SPARQL results are detected, and
 * the rules of other JSON are guessed, which is reported as a problem. Throws {@link DocumentError}.
 */
export function previewDocument(bytes: Uint8Array, options: ParseOptions): ParsedDocument {
  const reading = options.reading ?? null;
  if (reading === null || reading.kind === "page") {
    if (kindOfMap(decodeText(bytes, options.contentType).text) !== null) {
      const { contentType, maxItems } = options;
      return describeSitemap(readSitemap(bytes, { contentType, maxEntries: maxItems }));
    }
  }
  if (reading !== null) return parseDocument(bytes, options);
  try {
    return parseDocument(bytes, options);
  } catch (error) {
    const text = decodeText(bytes, options.contentType).text;
    if (!(error instanceof DocumentError) || !/^\s*[{[]/.test(text)) throw error;
    const { value } = parseJson(text, 2);
    const guessed = guessReading(value);
    if (guessed === null) throw error;
    const document = parseDocument(bytes, { ...options, reading: guessed });
    if (guessed.kind !== "json") return document;
    const reason = `not a feed: read with guessed rules, ${
      describeGuess(guessed)
    }; --source ID applies the rules of a source`;
    return { ...document, problems: [{ item: "document", reason }, ...document.problems] };
  }
}

function guessReading(value: unknown): Extract<Reading, { kind: "json" | "sparql" }> | null {
  const { head, results } = value as { head?: { vars?: unknown }; results?: { bindings?: unknown } };
  if (Array.isArray(head?.vars) && Array.isArray(results?.bindings)) {
    return { kind: "sparql", fields: SPARQL_FIELDS, dateFormat: null };
  }
  return guessJson(value);
}
