// A page of HTML or XML as a tree in which selectors find elements and values.
import { DomHandler, type Handler, Parser, type ParserOptions } from "htmlparser2";
import { markup } from "./fields.ts";
import { type PageElement, type PageNode, PageSearch } from "./page_search.ts";
import { DocumentError } from "../parsed.ts";

/** Maximum depth of the tree, as in browsers. Deeper elements are left out, but their text is kept. */
export const MAX_DEPTH = 512;
/** Maximum nesting depth. Deeper pages take too long to parse. */
const MAX_NESTING = 4_000;
const MAX_ELEMENTS = 300_000;

/** A page to query with CSS selectors. `SELECTOR@NAME` selects an attribute, `@NAME` one of the item itself. */
export interface PageTree {
  /** The number of elements that are nested more deeply than {@link MAX_DEPTH}. */
  tooDeep: number;
  /** Whether the page is truncated within the element. */
  isCutWithin(element: PageElement): boolean;
  elements(selector: string): PageElement[];
  values(rule: string, options: ValueOptions): string[];
}

interface ValueOptions {
  /** The element to search, or null to search the whole page. */
  within: PageElement | null;
  as: "markup" | "text";
  most: number;
}

/** Reads a page, valid or not. Throws {@link DocumentError} at the limits. */
export function readPageTree(text: string): PageTree {
  const isXml = /^\s*<\?xml/.test(text) && !/<html[\s>]/i.test(text.slice(0, 2048));
  const { root, tooDeep, cut } = treeOf(text, isXml);
  const search = new PageSearch(root, text.length, isXml);
  const valueOf = (element: PageElement, attribute: string | null, as: "markup" | "text"): string => {
    if (attribute !== null) {
      const value = (element.attribs[attribute] ?? "").trim();
      return as === "markup" ? markup(value) : value;
    }
    const { startIndex, endIndex } = element;
    if (as === "markup" && !isXml && startIndex !== null && endIndex !== null) {
      search.spend(2 * (endIndex - startIndex));
      return text.slice(startIndex, endIndex + 1);
    }
    const words = search.textOf(element).replace(/\s+/g, " ").trim();
    return as === "markup" ? markup(words) : words;
  };
  return {
    tooDeep,
    isCutWithin: (element) => cut.has(element),
    elements: (selector) => search.find(selector, null),
    values(rule, { within, as, most }) {
      const { selector, attribute } = splitRule(rule);
      const values: string[] = [];
      const isEnough = (element: PageElement): boolean => {
        const value = valueOf(element, attribute, as);
        if (value !== "") values.push(value);
        return values.length === most;
      };
      if (selector !== "") search.find(selector, within, isEnough);
      else if (within !== null) isEnough(within);
      return values;
    },
  };
}

function splitRule(rule: string): { selector: string; attribute: string | null } {
  const match = /^(.*?)(?:@([\w:.-]+))?$/s.exec(rule);
  return { selector: match?.[1]?.trim() ?? "", attribute: match?.[2] ?? null };
}

function treeOf(
  text: string,
  isXml: boolean,
): { root: PageNode; tooDeep: number; cut: ReadonlySet<PageNode> } {
  const handler = new DomHandler(undefined, { withStartIndices: true, withEndIndices: true });
  const open = new OpenElements(handler, text, isXml);
  let elements = 0;
  const parser = new OpenEndsParser(open, {
    onparserinit: (own) => handler.onparserinit(own),
    onopentag(name, attributes) {
      if (++elements > MAX_ELEMENTS) {
        throw new DocumentError(`the page has more than ${MAX_ELEMENTS} elements`);
      }
      if (!isXml) open.endBefore(name);
      open.begin(name, attributes);
    },
    onclosetag: () => open.end(),
    ontext: (data) => handler.ontext(data),
    oncdatastart: () => handler.oncdatastart(),
    oncdataend: () => handler.oncdataend(),
    onend: () => handler.onend(),
  }, { xmlMode: isXml });
  parser.write(text);
  const unclosed = open.unclosed;
  const isWhole = isXml
    ? unclosed.length === 0
    : /<\/(?:body|html)\s*>/i.test(text) || unclosed.every(({ name }) => OPTIONAL_ENDS.has(name));
  parser.end();
  return {
    root: handler.root,
    tooDeep: open.tooDeep,
    cut: isWhole ? new Set() : lastBranch(handler.dom, unclosed.filter(({ isShown }) => isShown).length),
  };
}

/** Elements that HTML creates for an end tag if none is open. */
const ENDS_ALONE: ReadonlySet<string> = new Set(["p", "br"]);

/** A parser that skips, in constant time, the end tags of elements that are not open. */
class OpenEndsParser extends Parser {
  constructor(readonly open: OpenElements, handler: Partial<Handler>, options: ParserOptions) {
    super(handler, options);
  }

  override onclosetag(start: number, endIndex: number): void {
    const name = this.open.nameAt(start, endIndex);
    if (this.open.has(name) || ENDS_ALONE.has(name)) return super.onclosetag(start, endIndex);
    this.endIndex = endIndex;
    this.startIndex = endIndex + 1;
  }
}

/** Elements whose end tag is optional (HTML Living Standard, section 13.1.2.4). */
const OPTIONAL_ENDS = new Set(
  "html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th".split(" "),
);

/** Returns the elements that were open at the end of the text: the last node and its last descendants. */
function lastBranch(nodes: readonly PageNode[], depth: number): Set<PageNode> {
  const branch = new Set<PageNode>();
  let among = nodes;
  for (let level = 0; level < depth; level++) {
    const last = among.at(-1);
    if (last === undefined) break;
    branch.add(last);
    among = "children" in last ? last.children : [];
  }
  return branch;
}

/** The open elements that each start tag closes in HTML, unless an element of `within` has been opened since. */
const CLOSED_BY: Readonly<Record<string, { ends: readonly string[]; within: readonly string[] }>> = {
  li: { ends: ["li"], within: ["ul", "ol", "menu"] },
  dt: { ends: ["dt", "dd"], within: ["dl"] },
  dd: { ends: ["dt", "dd"], within: ["dl"] },
  tr: { ends: ["tr"], within: ["table"] },
  td: { ends: ["td", "th"], within: ["tr", "table"] },
  th: { ends: ["td", "th"], within: ["tr", "table"] },
  option: { ends: ["option"], within: ["select"] },
};

interface OpenElement {
  name: string;
  isShown: boolean;
  /** Whether {@link OpenElements.endBefore} has closed the element before the parser. */
  isEnded: boolean;
}

class OpenElements {
  readonly #open: OpenElement[] = [];
  readonly #counts = new Map<string, number>();
  /** The positions in {@link #open} of elements that are not closed, by name. */
  readonly #positions = new Map<string, number[]>();
  #depth = 0;
  tooDeep = 0;

  constructor(readonly handler: DomHandler, readonly text: string, readonly isXml: boolean) {}

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  /** Returns the name of the tag between two offsets, as the parser reads it. */
  nameAt(start: number, end: number): string {
    const name = this.text.slice(start, end);
    return this.isXml ? name : name.toLowerCase();
  }

  /** The elements that are not closed, outermost first. */
  get unclosed(): OpenElement[] {
    return this.#open.filter(({ isEnded }) => !isEnded);
  }

  begin(name: string, attributes: Record<string, string>): void {
    if (this.#open.length >= MAX_NESTING) {
      throw new DocumentError(`the page has more than ${MAX_NESTING} levels`);
    }
    const isShown = this.#depth < MAX_DEPTH;
    this.#open.push({ name, isShown, isEnded: false });
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    const positions = this.#positions.get(name) ?? [];
    positions.push(this.#open.length - 1);
    this.#positions.set(name, positions);
    this.#depth++;
    if (isShown) this.handler.onopentag(name, attributes);
    else this.tooDeep++;
  }

  /**
   * Closes the previous item at the start of the next one (HTML Living Standard, section 13.2.6.4.7). The parser
   * examines only the innermost element, so a list whose items leave an element open would nest deeper with each item.
   */
  endBefore(name: string): void {
    const rule = CLOSED_BY[name];
    if (rule === undefined) return;
    const item = this.#lastOf(rule.ends);
    if (item > this.#lastOf(rule.within)) {
      for (const element of this.#open.slice(item).reverse()) this.#endOne(element);
    }
  }

  end(): void {
    const last = this.#open.pop();
    if (last === undefined) return;
    this.#counts.set(last.name, (this.#counts.get(last.name) ?? 0) - 1);
    this.#endOne(last);
  }

  #endOne(element: OpenElement): void {
    if (element.isEnded) return;
    element.isEnded = true;
    this.#positions.get(element.name)?.pop();
    this.#depth--;
    if (element.isShown) this.handler.onclosetag();
  }

  /** Returns the position of the innermost unclosed element with one of the names, or -1 if there is none. */
  #lastOf(names: readonly string[]): number {
    return Math.max(...names.map((name) => this.#positions.get(name)?.at(-1) ?? -1));
  }
}
