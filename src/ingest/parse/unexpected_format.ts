// Describes a document with an unexpected format, and names the fetch strategy that reads it.
import { withoutMailAddresses } from "../../domain/customer/mail.ts";
import { DocumentError } from "./parsed.ts";

const MAX_TITLE_SEARCH = 65_536;
const MAX_QUOTE = 80;

const HTML_ELEMENTS = new Set(
  ("html head body title meta link script style div span p a b br h1 h2 h3 table ul ol img form center font iframe " +
    "main header section article nav footer")
    .split(" "),
);
/** Formats by root element, with the fetch strategy that reads each, or null if none does. */
const KNOWN_ROOTS = new Map<string, [what: string, strategy: string | null]>([
  ["opml", ["an OPML list of feeds", null]],
  ["urlset", ["a sitemap", "sitemap"]],
  ["sitemapindex", ["a sitemap index", "sitemap"]],
  ["error", ["an error message in XML", null]],
  ["rss", ["a feed", "feed"]],
  ["feed", ["a feed", "feed"]],
  ["rdf", ["a feed", "feed"]],
  ["sparql", ["the XML of a SPARQL endpoint", "sparql"]],
]);
const BINARY: [start: number[], name: string][] = [
  [[0x25, 0x50, 0x44, 0x46], "a PDF file"],
  [[0x1f, 0x8b], "data compressed with gzip"],
  [[0x50, 0x4b, 0x03, 0x04], "a ZIP archive"],
  [[0x89, 0x50, 0x4e, 0x47], "a PNG image"],
  [[0xff, 0xd8, 0xff], "a JPEG image"],
  [[0x47, 0x49, 0x46, 0x38], "a GIF image"],
];

/** Returns the name of a binary format that the first bytes identify; otherwise null. */
export function binaryFormat(bytes: Uint8Array): string | null {
  return BINARY.find(([start]) => start.every((byte, at) => bytes[at] === byte))?.[1] ?? null;
}

/** Creates the error for XML or HTML with an unexpected root element. */
export function foreignRoot(rootName: string, text: string, wanted: "a feed" | "a sitemap"): DocumentError {
  const name = rootName.slice(rootName.indexOf(":") + 1).toLowerCase();
  if (HTML_ELEMENTS.has(name)) {
    const title = /<title[^<>]*>([^<]*)/i.exec(text.slice(0, MAX_TITLE_SEARCH))?.[1]?.trim() ?? "";
    const titled = title === "" ? "" : ` (title: ${quote(title)})`;
    return new DocumentError(`this is an HTML page, not ${wanted}${readBy("html")}`, titled);
  }
  const known = KNOWN_ROOTS.get(name);
  if (known === undefined) {
    return new DocumentError(`this is XML, but not ${wanted}`, ` (root element: ${quote(rootName)})`);
  }
  const [what, strategy] = known;
  return new DocumentError(`this is ${what}, not ${wanted}${strategy === null ? "" : readBy(strategy)}`);
}

function readBy(strategy: string): string {
  return `; fetch_strategy = "${strategy}" reads it`;
}

/** Creates the error for text of an unexpected format. `wanted` is "a feed", "JSON" or "a page". */
export function foreignText(text: string, wanted: string): DocumentError {
  const kind = /^\s*[{[]/.test(text) ? "JSON" : /^\s*</.test(text) ? "a page of HTML or XML" : "plain text";
  return new DocumentError(`this is ${kind}, not ${wanted}`, ` (it begins: ${quote(text)})`);
}

function quote(text: string): string {
  // The quotation is logged, and the log must not contain email addresses.
  const words = withoutMailAddresses(text.slice(0, MAX_QUOTE * 4).replace(/[\s\p{Cc}]+/gu, " ")).trim();
  return `"${words.length > MAX_QUOTE ? words.slice(0, MAX_QUOTE) + "…" : words}"`;
}
