// Reads items from RSS, RDF and Atom without building a tree. An error in one item does not affect others.
import { alternateLink, CONTENT, LISTED, MARKUP, namespaceOf, PLAIN, typedMarkup } from "./elements.ts";
import { foreignRoot } from "../unexpected_format.ts";
import { closeSections } from "./close_cdata.ts";
import { DocumentError, type ParsedDocument, type ParsedItem, type ParseProblem } from "../parsed.ts";
import { contentMarkup, contentText, findEnd, nextTag, readAttributes, type StartTag } from "./scan_xml.ts";

/** Maximum number of unclosed elements of one parent whose ends are searched, so that reading stays linear. */
const MAX_UNCLOSED = 32;

/** The contents of a feed or an item: the first value of each element by name, and the lists. */
interface Fields {
  values: Map<string, string>;
  links: Map<string, string>[];
  categories: string[];
  authors: string[];
  attributes: Map<string, string>;
  unclosed: number;
}

/** Reads the XML of a feed; throws a {@link DocumentError} when its root element is none of a feed. */
export function readXmlFeed(text: string, maxItems: number): ParsedDocument {
  return new XmlFeed(text, maxItems).read();
}

class XmlFeed {
  readonly #prefixes = new Map<string, string>();
  readonly #names = new Map<string, string>();
  readonly #root: StartTag;
  readonly #format: "rss" | "rdf" | "atom";
  readonly #feed: Fields = newFields();
  readonly #items: ParsedItem[] = [];
  /** The items' element as it is written. */
  #itemName: string;
  #skipped = 0;
  #sawChannel = false;
  readonly text: string;
  /** Where sections were ended that never end, the first of them that was not come to yet, and how many no item held. */
  readonly #cuts: readonly number[];
  #nextCut = 0;
  #cutsOutside = 0;
  readonly #refused: ParseProblem[] = [];

  constructor(text: string, readonly maxItems: number) {
    const root = rootOf(text);
    this.#root = root;
    const [prefix, local] = splitName(root.name);
    const attributes = readAttributes(root.attributes);
    this.#declare(attributes);
    if (local !== "rss" && local !== "rdf" && local !== "feed") throw foreignRoot(root.name, text, "a feed");
    this.#format = local === "feed" ? "atom" : local;
    this.#feed.attributes = attributes;
    this.#itemName = this.#format === "atom" ? prefix + "entry" : "item";
    const mended = closeSections(text, root.end, this.#itemName);
    this.text = mended.text;
    this.#cuts = mended.cuts;
  }

  read(): ParsedDocument {
    const closed = this.#readFeed();
    const complete = this.#items.length + this.#skipped + this.#refused.length;
    const isEmpty = complete === 0;
    if (isEmpty && !closed) throw new DocumentError("the XML is truncated before the first complete item");
    if (isEmpty && this.#format !== "atom" && !this.#sawChannel) {
      const name = this.#format === "rdf" ? "RDF" : "RSS";
      throw new DocumentError(`this is ${name} without a channel and without items, not a feed`);
    }
    const problems: ParseProblem[] = [...this.#refused];
    if (this.#cutsOutside > 0) {
      const reason = "a CDATA section outside of its items is not closed: it was closed before the next item";
      problems.push({ item: "document", reason, isMeant: true });
    }
    if (this.#skipped > 0) {
      const reason = `${this.#skipped} items beyond the first ${this.maxItems} are ignored`;
      problems.push({ item: "document", reason });
    }
    if (!closed) {
      problems.push({ item: "document", reason: `the document is truncated after item ${complete}` });
    }
    const values = this.#feed.values;
    const ttl = Number(values.get("ttl"));
    return {
      format: this.#format,
      title: first(values, "title", "atom:title"),
      language: first(values, "language", "dc:language") ?? this.#feed.attributes.get("xml:lang") ?? null,
      baseUrl: this.#feed.attributes.get("xml:base") || first(values, "link") ||
        alternateLink(this.#feed.links),
      ttlMinutes: Number.isFinite(ttl) && ttl > 0 ? ttl : null,
      next: null,
      items: this.#items,
      problems,
    };
  }

  /** Reads the root's children and the channel's alike; says whether the root was closed. */
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
        // The first value counts, so a second channel's attributes do not matter.
        const own = readAttributes(tag.attributes);
        this.#feed.attributes = new Map([...this.#feed.attributes, ...own]);
      } else {
        at = this.#readChild(tag, name, this.#feed);
      }
    }
  }

  /** Reads an item behind its start tag; the offset behind it, or -1 when the text breaks off within. */
  #readItem(start: StartTag): number {
    const fields = newFields();
    if (start.attributes !== "") fields.attributes = readAttributes(start.attributes);
    let at = start.end;
    while (!start.empty) {
      const tag = nextTag(this.text, at);
      if (tag === null) return -1;
      if (tag.name === start.name) {
        // An item that begins within an item ends it: its own end is missing.
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

  /** Adds the item between two offsets. */
  #end(fields: Fields, start: number, end: number): void {
    this.#passCuts(start);
    const isCut = (this.#cuts[this.#nextCut] ?? end) < end;
    if (this.#items.length + this.#refused.length >= this.maxItems) this.#skipped++;
    else if (isCut) {
      const reason = "a CDATA section in it is not closed: its text cannot be separated from what follows";
      this.#refused.push({ item: `item ${this.#items.length + this.#refused.length + 1}`, reason });
    } else this.#items.push(this.#item(fields));
    while ((this.#cuts[this.#nextCut] ?? end) < end) this.#nextCut++;
  }

  /** Counts the sections before an offset that were ended and that no item held. */
  #passCuts(before: number): void {
    while ((this.#cuts[this.#nextCut] ?? before) < before) {
      this.#nextCut++;
      this.#cutsOutside++;
    }
  }

  /** Takes what a child element says and gives the offset behind it. */
  #readChild(tag: StartTag, name: string, fields: Fields): number {
    if (name === "atom:link" || (name === "link" && tag.attributes !== "")) {
      const attributes = readAttributes(tag.attributes);
      if (attributes.has("href")) fields.links.push(attributes);
    }
    let content = "";
    let behind = tag.end;
    if (!tag.empty && fields.unclosed < MAX_UNCLOSED) {
      const end = findEnd(this.text, tag.end, tag.name, this.#itemName);
      if (end === -1) {
        // Its end is missing: the content ends at the next tag, so that its siblings are not lost.
        fields.unclosed++;
        content = this.text.slice(tag.end, nextTag(this.text, tag.end)?.start);
      } else {
        content = this.text.slice(tag.end, end);
        behind = this.text.indexOf(">", end) + 1;
        if (behind === 0) behind = this.text.length;
      }
    }
    this.#take(tag, name, content, fields);
    return behind;
  }

  #take(tag: StartTag, name: string, content: string, fields: Fields): void {
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

  #item(fields: Fields): ParsedItem {
    const { values, attributes } = fields;
    return {
      guid: first(values, "guid", "atom:id") ?? attributes.get("rdf:about") ?? first(values, "dc:identifier"),
      link: first(values, "link") ?? alternateLink(fields.links),
      title: first(values, "title", "atom:title", "dc:title"),
      summary: this.#format === "atom"
        ? first(values, "atom:summary", "atom:content", "dc:description")
        : first(
          values,
          "description",
          "content:encoded",
          "content",
          "atom:summary",
          "atom:content",
          "dc:description",
        ),
      publishedText: first(
        values,
        "pubdate",
        "atom:published",
        "atom:issued",
        "atom:created",
        "dc:date",
        "dcterms:issued",
        "dcterms:created",
      ),
      updatedText: first(values, "atom:updated", "atom:modified", "dcterms:modified"),
      categories: fields.categories,
      authors: fields.authors,
      language: attributes.get("xml:lang") ?? first(values, "language", "dc:language"),
      baseUrl: attributes.get("xml:base") || null,
    };
  }

  /** The name of an element by its namespace: "title", "atom:link", "dc:date"; unknown namespaces keep the prefix. */
  #name(tag: StartTag): string {
    if (tag.attributes.includes("xmlns")) {
      const own = this.#declare(readAttributes(tag.attributes));
      if (own !== undefined && !tag.name.includes(":")) return join(own, tag.name.toLowerCase());
    }
    let name = this.#names.get(tag.name);
    if (name === undefined) {
      const [prefix, local] = splitName(tag.name);
      const namespace = prefix === "" && this.#format === "atom" ? "atom" : this.#prefixes.get(prefix);
      name = namespace === undefined ? prefix + local : join(namespace, local);
      this.#names.set(tag.name, name);
    }
    return name;
  }

  /** Remembers the prefixes that the attributes declare; gives the default namespace if they set a known one. */
  #declare(attributes: Map<string, string>): string | undefined {
    let own: string | undefined;
    for (const [attribute, address] of attributes) {
      if (!attribute.startsWith("xmlns")) continue;
      const known = namespaceOf(address);
      if (known === undefined) continue;
      if (attribute === "xmlns") {
        own = known;
      } else {
        this.#prefixes.set(attribute.slice(6) + ":", known);
        this.#names.clear();
      }
    }
    return own;
  }
}

function newFields(): Fields {
  return { values: new Map(), links: [], categories: [], authors: [], attributes: NONE, unclosed: 0 };
}

const NONE: Map<string, string> = new Map();

function first(values: Map<string, string>, ...names: string[]): string | null {
  for (const name of names) {
    const value = values.get(name);
    if (value !== undefined) return value;
  }
  return null;
}

function join(namespace: string, local: string): string {
  return namespace === "" ? local : `${namespace}:${local}`;
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
