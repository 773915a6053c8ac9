// Reads items from RSS, RDF and Atom without building a tree. An error in one item does not affect others.
import { alternateLink, CONTENT, LISTED, MARKUP, namespaceOf, PLAIN, typedMarkup } from "./elements.ts";
import { foreignRoot } from "../unexpected_format.ts";
import { closeSections, hasClosedSection } from "./close_cdata.ts";
import type { ParsedDocument, ParsedItem, ParseProblem } from "../parsed.ts";
import { DocumentError, documentProblem } from "../parsed.ts";
import { contentMarkup, contentText, findEnd, nextTag, readAttributes, type StartTag } from "./scan_xml.ts";

/** Maximum number of failed searches for end tags per parent element, so that reading takes linear time. */
const MAX_UNCLOSED = 32;

/** The elements that hold the values of a feed or an item, preferred elements first. */
const TITLES = ["title", "atom:title", "dc:title"];
const LANGUAGES = ["language", "dc:language"];
const ATOM_SUMMARIES = ["atom:summary", "atom:content", "dc:description"];
const SUMMARIES = ["description", "content:encoded", "content", ...ATOM_SUMMARIES];
const PUBLICATION_DATES =
  "pubdate atom:published atom:issued atom:created dc:date dcterms:issued dcterms:created"
    .split(" ");

/** The contents of a feed or an item: the first value of each element by name, and the lists. */
interface Fields {
  values: Map<string, string>;
  links: Map<string, string>[];
  categories: string[];
  authors: string[];
  attributes: Map<string, string>;
  unclosed: number;
}

/** Reads an XML feed. Throws {@link DocumentError} if it is not a feed or is truncated before the first item's end. */
export function readXmlFeed(text: string, maxItems: number): ParsedDocument {
  return new XmlFeed(text, maxItems).read();
}

class XmlFeed {
  readonly text: string;
  readonly #prefixes = new Map<string, string>();
  readonly #root: StartTag;
  readonly #format: "rss" | "rdf" | "atom";
  readonly #feed: Fields = newFields();
  readonly #items: ParsedItem[] = [];
  readonly #refused: ParseProblem[] = [];
  /** The name of the item element as written. */
  #itemName: string;
  #skipped = 0;
  #itemsEnd = 0;
  #isCutOutside = false;
  #sawChannel = false;

  constructor(text: string, readonly maxItems: number) {
    const root = rootOf(text);
    this.#root = root;
    const [prefix, local] = splitName(root.name);
    this.#feed.attributes = readAttributes(root.attributes);
    this.#declare(this.#feed.attributes);
    if (local !== "rss" && local !== "rdf" && local !== "feed") throw foreignRoot(root.name, text, "a feed");
    this.#format = local === "feed" ? "atom" : local;
    this.#itemName = this.#format === "atom" ? prefix + "entry" : "item";
    this.text = closeSections(text, root.end, this.#itemName);
  }

  read(): ParsedDocument {
    const isClosed = this.#readFeed();
    const complete = this.#items.length + this.#skipped + this.#refused.length;
    if (complete === 0 && !isClosed) {
      throw new DocumentError("the XML is truncated before the first complete item");
    }
    if (complete === 0 && this.#format !== "atom" && !this.#sawChannel) {
      const name = this.#format === "rdf" ? "RDF" : "RSS";
      throw new DocumentError(`this is ${name} without a channel and without items, not a feed`);
    }
    const problems: ParseProblem[] = [...this.#refused];
    if (this.#isCutOutside) {
      const reason = "a CDATA section outside the items never ends, so it is closed before the next item";
      problems.push({ ...documentProblem(reason), isMeant: true });
    }
    if (this.#skipped > 0) {
      problems.push(
        documentProblem(`items beyond the first ${this.maxItems} (${this.#skipped} in total) are ignored`),
      );
    }
    if (!isClosed) problems.push(documentProblem(`the document is truncated after item ${complete}`));
    const { values, attributes, links } = this.#feed;
    const ttl = Number(values.get("ttl"));
    return {
      format: this.#format,
      title: first(values, TITLES),
      language: first(values, LANGUAGES) ?? attributes.get("xml:lang") ?? null,
      baseUrl: attributes.get("xml:base") || first(values, ["link"]) || alternateLink(links),
      ttlMinutes: Number.isFinite(ttl) && ttl > 0 ? ttl : null,
      next: null,
      items: this.#items,
      problems,
    };
  }

  /** Reads the children of the root and of the channel. Returns whether the root is closed. */
  #readFeed(): boolean {
    let at = this.#root.end;
    if (this.#root.empty) return true;
    while (true) {
      const tag = nextTag(this.text, at);
      if (tag === null) return false;
      at = tag.end;
      if (tag.kind === "end") {
        if (tag.name === this.#root.name) return true;
        continue;
      }
      const name = this.#name(tag);
      if (name === (this.#format === "atom" ? "atom:entry" : "item")) {
        this.#itemName = tag.name;
        const end = this.#readItem(tag);
        if (end === -1) return false;
        at = end;
      } else if (name === "channel") {
        this.#sawChannel = true;
        this.#feed.attributes = new Map([...this.#feed.attributes, ...readAttributes(tag.attributes)]);
      } else {
        at = this.#readChild(tag, name, this.#feed);
      }
    }
  }

  /** Reads an item. Returns the offset after it, or -1 if the text is truncated within it. */
  #readItem(start: StartTag): number {
    const fields = newFields();
    fields.attributes = readAttributes(start.attributes);
    let at = start.end;
    while (!start.empty) {
      const tag = nextTag(this.text, at);
      if (tag === null) return -1;
      if (tag.name === start.name) {
        // An item without an end tag ends where the next one begins.
        at = tag.kind === "end" ? tag.end : tag.start;
        break;
      }
      if (tag.kind === "end") {
        if (tag.name === "channel" || tag.name === this.#root.name) {
          at = tag.start;
          break;
        }
        at = tag.end;
      } else {
        at = this.#readChild(tag, this.#name(tag), fields);
      }
    }
    this.#end(fields, start.start, at);
    return at;
  }

  #end(fields: Fields, start: number, end: number): void {
    this.#isCutOutside ||= hasClosedSection(this.text, this.#itemsEnd, start);
    this.#itemsEnd = end;
    const number = this.#items.length + this.#refused.length + 1;
    if (number > this.maxItems) this.#skipped++;
    else if (hasClosedSection(this.text, start, end)) {
      const reason = "a CDATA section in it is not closed, so its text cannot be separated from what follows";
      this.#refused.push({ item: `item ${number}`, reason });
    } else this.#items.push(this.#item(fields));
  }

  /** Stores the content of a child element. Returns the offset after it. */
  #readChild(tag: StartTag, name: string, fields: Fields): number {
    if (name === "atom:link" || (name === "link" && tag.attributes !== "")) {
      const attributes = readAttributes(tag.attributes);
      if (attributes.has("href")) fields.links.push(attributes);
    }
    let content = "";
    let after = tag.end;
    if (!tag.empty && fields.unclosed < MAX_UNCLOSED) {
      const end = findEnd(this.text, tag.end, tag.name, this.#itemName);
      if (end === -1) {
        // Without an end tag, the content ends at the next tag, so that siblings are not lost.
        fields.unclosed++;
        content = this.text.slice(tag.end, nextTag(this.text, tag.end)?.start);
      } else {
        content = this.text.slice(tag.end, end);
        after = this.text.indexOf(">", end) + 1 || this.text.length;
      }
    }
    this.#store(tag, name, content, fields);
    return after;
  }

  #store(tag: StartTag, name: string, content: string, fields: Fields): void {
    const list = LISTED.get(name);
    if (list !== undefined) {
      const value = this.#listed(tag, name, content);
      if (value !== "") fields[list].push(value);
      return;
    }
    const markup = MARKUP.get(name);
    if ((markup === undefined && !PLAIN.has(name)) || fields.values.has(name)) return;
    const value = markup === undefined ? contentText(content) : this.#markup(tag, markup, content, fields);
    if (value !== "") fields.values.set(name, value);
  }

  #markup(tag: StartTag, kind: "html" | "text", content: string, fields: Fields): string {
    if (tag.attributes === "") return contentMarkup(content, kind);
    const attributes = readAttributes(tag.attributes);
    const source = attributes.get("src");
    if (source) fields.links.push(new Map([["rel", CONTENT], ["href", source]]));
    return typedMarkup(attributes, kind, content);
  }

  #listed(tag: StartTag, name: string, content: string): string {
    if (name === "atom:category") {
      const attributes = readAttributes(tag.attributes);
      return attributes.get("label") || attributes.get("term") || contentText(content);
    }
    if (name !== "atom:author") return contentText(content);
    const start = nextTag(content, 0);
    if (start?.kind !== "start" || !start.name.endsWith("name")) return "";
    const end = findEnd(content, start.end, start.name, start.name);
    return end === -1 ? "" : contentText(content.slice(start.end, end));
  }

  #item({ values, attributes, links, categories, authors }: Fields): ParsedItem {
    return {
      guid: first(values, ["guid", "atom:id"]) ?? attributes.get("rdf:about") ??
        first(values, ["dc:identifier"]),
      link: first(values, ["link"]) ?? alternateLink(links),
      title: first(values, TITLES),
      summary: first(values, this.#format === "atom" ? ATOM_SUMMARIES : SUMMARIES),
      publishedText: first(values, PUBLICATION_DATES),
      updatedText: first(values, ["atom:updated", "atom:modified", "dcterms:modified"]),
      categories,
      authors,
      language: attributes.get("xml:lang") ?? first(values, LANGUAGES),
      baseUrl: attributes.get("xml:base") || null,
    };
  }

  /** Returns the name of an element by its namespace ("title", "atom:link"). Keeps the prefix of unknown namespaces. */
  #name({ name, attributes }: StartTag): string {
    const [prefix, local] = splitName(name);
    let namespace = prefix === "" && this.#format === "atom" ? "atom" : this.#prefixes.get(prefix);
    if (attributes.includes("xmlns")) {
      const own = this.#declare(readAttributes(attributes));
      namespace = prefix === "" ? own ?? namespace : this.#prefixes.get(prefix);
    }
    return namespace === undefined ? prefix + local : namespace === "" ? local : `${namespace}:${local}`;
  }

  /** Stores the prefixes that attributes declare. Returns the default namespace that they declare, if it is known. */
  #declare(attributes: Map<string, string>): string | undefined {
    let own: string | undefined;
    for (const [attribute, address] of attributes) {
      const known = attribute.startsWith("xmlns") ? namespaceOf(address) : undefined;
      if (known === undefined) continue;
      if (attribute === "xmlns") own = known;
      else this.#prefixes.set(attribute.slice(6) + ":", known);
    }
    return own;
  }
}

function newFields(): Fields {
  return { values: new Map(), links: [], categories: [], authors: [], attributes: new Map(), unclosed: 0 };
}

function first(values: Map<string, string>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = values.get(name);
    if (value !== undefined) return value;
  }
  return null;
}

function splitName(name: string): [prefix: string, local: string] {
  const lower = name.toLowerCase();
  const colon = lower.indexOf(":");
  return [lower.slice(0, colon + 1), lower.slice(colon + 1)];
}

function rootOf(text: string): StartTag {
  let tag = nextTag(text, 0);
  while (tag?.kind === "end") tag = nextTag(text, tag.end);
  if (tag === null) throw new DocumentError("the XML is truncated before its first element");
  return tag;
}
