// A page of HTML or XML as a tree in which selectors find elements and values.
import { selectAll } from "css-select";
import { DomHandler, DomUtils, Parser } from "htmlparser2";
import { markup } from "./fields.ts";
import { DocumentError } from "./parsed.ts";

/** Elements deeper than this, where browsers give up too, are read as if they were not there; their text is. */
export const MAX_DEPTH = 512;
/** A page nested deeper is refused: finding the ends of so many open elements takes too long. */
const MAX_NESTING = 4_000;
/** Elements of one page. */
const MAX_ELEMENTS = 300_000;
/** Values that one selector gives in one item. */
const MAX_VALUES = 200;

type Node = DomHandler["dom"][number];
/** An element of a {@link PageTree}. */
export type PageElement = Extract<Node, { attribs: Record<string, string> }>;

/** A page. Selectors are those of CSS; `SELECTOR@NAME` takes an attribute, `@NAME` one of the item itself. */
export interface PageTree {
  /** Elements that are deeper than {@link MAX_DEPTH}. */
  tooDeep: number;
  /** Whether the page ended within this element: it is open behind the last byte of a page that never said that it ends. */
  isCutWithin(element: PageElement): boolean;
  /** The elements that a selector finds, in their order. */
  elements(selector: string): PageElement[];
  /** The values of a rule within an element, or anywhere (null). `markup` keeps an element's markup, else it is its text. */
  values(rule: string, within: PageElement | null, as: "markup" | "text"): string[];
}

/** Reads a page of any quality. Throws a {@link DocumentError} when it has too many elements. */
export function readPageTree(text: string): PageTree {
  const isXml = /^\s*<\?xml/.test(text) && !/<html[\s>]/i.test(text.slice(0, 2048));
  const { nodes, tooDeep, cut } = treeOf(text, isXml);
  const options = { xmlMode: isXml };
  const valueOf = (element: PageElement, attribute: string | null, as: "markup" | "text"): string => {
    if (attribute !== null) {
      const value = (element.attribs[attribute] ?? "").trim();
      return as === "markup" ? markup(value) : value;
    }
    const { startIndex, endIndex } = element;
    if (as === "markup" && !isXml && startIndex !== null && endIndex !== null) {
      return text.slice(startIndex, endIndex + 1);
    }
    const words = DomUtils.textContent(element).replace(/\s+/g, " ").trim();
    return as === "markup" ? markup(words) : words;
  };
  return {
    tooDeep,
    isCutWithin: (element) => cut.has(element),
    elements: (selector) => selectAll<Node, PageElement>(selector, nodes, options),
    values(rule, within, as) {
      const { selector, attribute } = splitRule(rule);
      const root: Node | Node[] = within ?? nodes;
      const found = selector === ""
        ? within === null ? [] : [within]
        : selectAll<Node, PageElement>(selector, root, options);
      return found.slice(0, MAX_VALUES).map((element) => valueOf(element, attribute, as))
        .filter((value) => value !== "");
    },
  };
}

function splitRule(rule: string): { selector: string; attribute: string | null } {
  const match = /^(.*?)(?:@([\w:.-]+))?$/s.exec(rule);
  return { selector: match?.[1]?.trim() ?? "", attribute: match?.[2] ?? null };
}

function treeOf(text: string, isXml: boolean): { nodes: Node[]; tooDeep: number; cut: ReadonlySet<Node> } {
  const handler = new DomHandler(undefined, { withStartIndices: true, withEndIndices: true });
  const open = new OpenElements(handler);
  let elements = 0;
  const parser = new Parser({
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
    nodes: handler.dom,
    tooDeep: open.tooDeep,
    cut: isWhole ? new Set() : lastBranch(handler.dom, openCount),
  };
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
function lastBranch(nodes: readonly Node[], depth: number): Set<Node> {
  const branch = new Set<Node>();
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

/** The elements that are open while a page is read. */
class OpenElements {
  readonly #open: { name: string; isShown: boolean; isEnded: boolean }[] = [];
  #depth = 0;
  #tooDeep = 0;

  constructor(readonly handler: DomHandler) {}

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
    for (let place = this.#open.length - 1; place >= 0; place--) {
      const { name: outer, isEnded } = this.#open[place] ?? { name: "", isEnded: true };
      if (isEnded) continue;
      if (rule.within.includes(outer)) return;
      if (rule.ends.includes(outer)) return this.#endDownTo(place);
    }
  }

  /** Ends the element that was opened last, unless it has ended before. */
  end(): void {
    const last = this.#open.pop();
    if (last === undefined || last.isEnded) return;
    this.#depth--;
    if (last.isShown) this.handler.onclosetag();
  }

  #endDownTo(place: number): void {
    for (const element of this.#open.slice(place).reverse()) {
      if (element.isEnded) continue;
      element.isEnded = true;
      this.#depth--;
      if (element.isShown) this.handler.onclosetag();
    }
  }
}
