// The elements of feeds: their namespaces, their contents, and the link of an item.
import { trimEndOf } from "../../../domain/trim_end.ts";
import { contentMarkup } from "./scan_xml.ts";

/** Internal prefixes of namespaces, by URI without scheme and trailing "/" or "#". */
const NAMESPACES = new Map<string, string>([
  ["www.w3.org/2005/atom", "atom"],
  ["purl.org/atom/ns", "atom"],
  ["purl.org/rss/1.0", ""],
  ["channel.netscape.com/rdf/simple/0.9", ""],
  ["my.netscape.com/rdf/simple/0.9", ""],
  ["www.w3.org/1999/02/22-rdf-syntax-ns", "rdf"],
  ["purl.org/dc/elements/1.1", "dc"],
  ["purl.org/dc/elements/1.0", "dc"],
  ["purl.org/dc/terms", "dcterms"],
  ["purl.org/rss/1.0/modules/content", "content"],
]);

/** Elements that may contain markup, with the type of their text if they have no `type` attribute. */
export const MARKUP = new Map<string, "html" | "text">([
  ["title", "html"],
  ["description", "html"],
  ["content:encoded", "html"],
  ["content", "html"],
  ["dc:title", "html"],
  ["dc:description", "html"],
  ["atom:title", "text"],
  ["atom:summary", "text"],
  ["atom:content", "text"],
]);

export const PLAIN: ReadonlySet<string> = new Set(
  ("link guid pubdate language ttl dc:date dc:identifier dc:language dcterms:issued dcterms:created dcterms:modified " +
    "atom:id atom:published atom:issued atom:created atom:updated atom:modified").split(" "),
);

/** Elements that can occur several times. */
export const LISTED = new Map<string, "categories" | "authors">([
  ["category", "categories"],
  ["dc:subject", "categories"],
  ["atom:category", "categories"],
  ["author", "authors"],
  ["dc:creator", "authors"],
  ["atom:author", "authors"],
]);

/** Returns the prefix of a namespace, or undefined for a namespace that is not read. */
export function namespaceOf(address: string): string | undefined {
  return NAMESPACES.get(trimEndOf(address.toLowerCase().replace(/^https?:\/\//, ""), "/#"));
}

/** Returns the link to the publication, preferably to a page. Links with relations such as `enclosure` are ignored. */
export function alternateLink(links: readonly Map<string, string>[]): string | null {
  let best: string | null = null;
  let bestRank = Infinity;
  for (const link of links) {
    const href = link.get("href") ?? "";
    const rank = linkRank(link);
    if (href !== "" && rank < bestRank) [best, bestRank] = [href, rank];
  }
  return best;
}

function linkRank(link: Map<string, string>): number {
  const relation = link.get("rel")?.toLowerCase().replace(/^.*[/#]/, "");
  const type = link.get("type")?.toLowerCase();
  const page = type === undefined || type === "text/html" || type === "application/xhtml+xml";
  if (relation === "alternate") return page ? 0 : 2;
  if (relation === undefined || relation === "") return page ? 1 : 3;
  return relation === CONTENT ? 4 : Infinity;
}

/** Internal relation for the `src` of an Atom entry's content (RFC 4287, section 4.1.3.2). */
export const CONTENT = "content-src";

/** Returns the markup of an element by its `type` (Atom 1.0) or `mode` (Atom 0.3), or "" if its content is not text. */
export function typedMarkup(
  attributes: Map<string, string>,
  kind: "html" | "text",
  content: string,
): string {
  const type = attributes.get("type")?.toLowerCase() ?? "text";
  const mode = attributes.get("mode")?.toLowerCase();
  if (kind === "html") return contentMarkup(content, kind);
  if (mode === "base64") return "";
  if (mode === "escaped" || type === "html" || type === "text/html") return contentMarkup(content, "html");
  const readable = type === "text" || type === "xhtml" || type.startsWith("text/") ||
    type.endsWith("xhtml+xml");
  return readable ? contentMarkup(content, "text") : "";
}
