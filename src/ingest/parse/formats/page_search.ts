// Finds elements of a page by selectors. The length of the page limits the number of steps.
import { selectAll } from "css-select";
import { type DomHandler, DomUtils } from "htmlparser2";
import { DocumentError } from "../parsed.ts";

export type PageNode = DomHandler["dom"][number];
export type PageElement = Extract<PageNode, { attribs: Record<string, string> }>;

/**
 * Maximum number of steps per character for all searches of a page. Publishers' pages take about one. Elements that
 * match and are nested, and long runs of siblings, can take a quadratic number.
 */
const STEPS_PER_CHARACTER = 50;
const LEAST_STEPS = 1_000_000;
/** Number of characters of text that count as one step. */
const CHARACTERS_PER_STEP = 16;

const { isTag, isText, hasChildren } = DomUtils;

export class PageSearch {
  #stepsLeft: number;
  #isEnough: (element: PageElement) => boolean = () => false;
  readonly #options: Parameters<typeof selectAll<PageNode, PageElement>>[2];

  constructor(readonly root: PageNode, characters: number, xmlMode: boolean) {
    this.#stepsLeft = Math.max(LEAST_STEPS, characters * STEPS_PER_CHARACTER);
    const counted =
      <Given extends unknown[], Found>(find: (...given: Given) => Found) => (...given: Given) => {
        this.spend(1);
        return find(...given);
      };
    this.#options = {
      xmlMode,
      adapter: {
        ...DomUtils,
        isTag: (node): node is PageElement => {
          this.spend(1);
          return isTag(node);
        },
        getParent: counted(DomUtils.getParent),
        getAttributeValue: counted(DomUtils.getAttributeValue),
        prevElementSibling: counted(DomUtils.prevElementSibling),
        getText: (node) => this.textOf(node),
        findAll: (test, nodes) => {
          const found: PageElement[] = [];
          for (const element of this.#elementsIn(nodes)) {
            if (!test(element)) continue;
            found.push(element);
            if (this.#isEnough(element)) break;
          }
          return found;
        },
        existsOne: (test, nodes) => this.#elementsIn(nodes).some(test),
      },
    };
  }

  /**
   * Returns the elements that a selector matches within an element, or anywhere if `within` is null. Stops at the first
   * one for which `isEnough` returns true. Throws {@link DocumentError} at the limit.
   */
  find(
    selector: string,
    within: PageElement | null,
    isEnough: (element: PageElement) => boolean = () => false,
  ): PageElement[] {
    this.#isEnough = isEnough;
    return selectAll<PageNode, PageElement>(selector, within ?? this.root, this.#options);
  }

  /** Returns the text of a node. Throws {@link DocumentError} at the limit. */
  textOf(node: PageNode): string {
    let text = "";
    for (const inner of this.#nodesIn([node])) if (isText(inner)) text += inner.data;
    this.spend(text.length / CHARACTERS_PER_STEP);
    return text;
  }

  /** Counts steps. Throws {@link DocumentError} at the limit. */
  spend(steps: number): void {
    this.#stepsLeft -= steps;
    if (this.#stepsLeft < 0) {
      throw new DocumentError(
        "the page takes too long to search: too many of its elements are siblings or nested matches",
      );
    }
  }

  *#elementsIn(nodes: readonly PageNode[]): Generator<PageElement, void> {
    for (const node of this.#nodesIn(nodes)) if (isTag(node)) yield node;
  }

  /** Yields the nodes and their descendants, in the order of the page. */
  *#nodesIn(nodes: readonly PageNode[]): Generator<PageNode, void> {
    const waiting = nodes.toReversed();
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      this.spend(1);
      yield node;
      if (!hasChildren(node)) continue;
      for (let at = node.children.length - 1; at >= 0; at--) waiting.push(node.children[at] as PageNode);
    }
  }
}
