// A page of HTML or XML as a tree in which selectors find elements and values.
import { DomHandler, type Handler, Parser, type ParserOptions } from "htmlparser2";
import { markup } from "./fields.ts";
import { type PageElement, type PageNode, PageSearch } from "./page_search.ts";
import { DocumentError } from "../parsed.ts";

/** Elements deeper than this, where browsers give up too, are read as if they were not there; their text is. */
export const MAX_DEPTH = 512;
/** Maximum nesting; deeper pages take too long to parse. */
const MAX_NESTING = 4_000;
/** Elements of one page. */
const MAX_ELEMENTS = 300_000;

/** A page. Selectors are those of CSS; `SELECTOR@NAME` takes an attribute, `@NAME` one of the item itself. */
export interface PageTree {
  /** Elements that are deeper than {@link MAX_DEPTH}. */
  tooDeep: number;
  /** Whether the page ended within this element: it is open behind the last byte of a page that never said that it ends. */
  isCutWithin(element: PageElement): boolean;
  /** The elements that a selector finds, in their order. */
  elements(selector: string): PageElement[];
  /** The first values of a rule, but for empty ones. */
  values(rule: string, options: ValueOptions): string[];
}

/** Which values of a rule are wanted. */
export interface ValueOptions {
  /** Null: anywhere. */
  within: PageElement | null;
  /** Whether an element's value is its markup or its text. */
  as: "markup" | "text";
  most: number;
}

/** Reads a page of any quality. Throws a {@link DocumentError} when it has too many elements. */
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
  const isWhole = isXml ? open.names.length === 0 : saysItEnds(text) || open.names.every(mayStayOpen);
  const openCount = open.shown; // the end of the text ends them all
  parser.end();
  return {
    root: handler.root,
    tooDeep: open.tooDeep,
    cut: isWhole ? new Set() : lastBranch(handler.dom, openCount),
  };
}

/** Means something without an element that it ends. */
const ENDS_ALONE: ReadonlySet<string> = new Set(["p", "br"]);

/** A parser that passes over end tags of elements that are not open, without looking for each among all open ones. */
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

/** Elements whose end HTML lets a page leave out: HTML Living Standard, section 13.1.2.4. */
const ENDS_LEFT_OUT = new Set(
  "html head body li dt dd p rt rp optgroup option colgroup caption thead tbody tfoot tr td th".split(" "),
);

function mayStayOpen(name: string): boolean {
  return ENDS_LEFT_OUT.has(name);
}

/** Whether a page has come to its end, however many elements it forgot to end before. */
function saysItEnds(text: string): boolean {
  return /<\/(?:body|html)\s*>/i.test(text);
}

/** The elements that were open at the end of the text: what comes last, and what comes last in that, so many deep. */
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

/** What the beginning of an element ends in HTML, however much within it has no end of its own, and what keeps it in. */
const ENDED_BY: Readonly<Record<string, { ends: readonly string[]; within: readonly string[] }>> = {
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
  /** Whether it is in the tree. */
  isShown: boolean;
  /** Whether another element has ended it, before the parser does. */
  isEnded: boolean;
}

/** The elements that are open while a page is read. */
class OpenElements {
  readonly #open: OpenElement[] = [];
  /** How many of each name are open. */
  readonly #counts = new Map<string, number>();
  /** Where in {@link #open} those of each name are that have not ended. */
  readonly #positions = new Map<string, number[]>();
  #depth = 0;
  #tooDeep = 0;

  constructor(readonly handler: DomHandler, readonly text: string, readonly isXml: boolean) {}

  has(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  /** The name of a tag in the text, as the parser takes it. */
  nameAt(start: number, end: number): string {
    const name = this.text.slice(start, end);
    return this.isXml ? name : name.toLowerCase();
  }

  get tooDeep(): number {
    return this.#tooDeep;
  }

  /** The names of those that have not ended yet, the outermost first. */
  get names(): string[] {
    return this.#open.filter(({ isEnded }) => !isEnded).map(({ name }) => name);
  }

  /** How many of these the tree has. */
  get shown(): number {
    return this.#open.filter(({ isEnded, isShown }) => isShown && !isEnded).length;
  }

  begin(name: string, attributes: Record<string, string>): void {
    if (this.#open.length >= MAX_NESTING) {
      throw new DocumentError(`the page is nested more than ${MAX_NESTING} deep`);
    }
    const isShown = this.#depth < MAX_DEPTH;
    this.#open.push({ name, isShown, isEnded: false });
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    const positions = this.#positions.get(name);
    if (positions === undefined) this.#positions.set(name, [this.#open.length - 1]);
    else positions.push(this.#open.length - 1);
    this.#depth++;
    if (isShown) this.handler.onopentag(name, attributes);
    else this.#tooDeep++;
  }

  /**
   * Ends the item before one that begins, as the standard has it: the parser itself looks no further than the element
   * that was opened last, so that a list whose items leave an element open would go deeper with each.
   */
  endBefore(name: string): void {
    const rule = ENDED_BY[name];
    if (rule === undefined) return;
    const item = this.#lastOf(rule.ends);
    if (item > this.#lastOf(rule.within)) {
      for (const element of this.#open.slice(item).reverse()) this.#endOne(element);
    }
  }

  /** Ends the element that was opened last, unless it has ended before. */
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

  /** Where the innermost element is that has one of the names and has not ended; -1 without one. */
  #lastOf(names: readonly string[]): number {
    return Math.max(...names.map((name) => this.#positions.get(name)?.at(-1) ?? -1));
  }
}
