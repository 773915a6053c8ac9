// CDATA sections of a feed that never end: each is closed with its item, so that later items are not lost.
import { isName } from "./scan_xml.ts";

const OPEN = "<![CDATA[";
const CLOSE = "]]>";
const COMMENT = "<!--";
const COMMENT_END = "-->";

/** The part of {@link OPEN} that is found soonest where there is none. */
const RARE = "![CDATA[";

/** The text between the end of an item and the next tag. */
const BETWEEN_ITEMS = /\s*>\s*</y;

/** Where nothing more is found. */
const NOWHERE = Infinity;

/** A feed's text in which every section has an end. */
export interface ClosedSections {
  text: string;
  /** The offsets in `text` at which sections without an end were closed, in order. */
  cuts: readonly number[];
}

/**
 * Ends the sections behind an offset that never end, each with its item, or before the first item. A section has no end
 * where nothing behind it ends one, or where what does belongs to a section of a later item: between the two an item
 * ends and the next begins, or the feed ends, and another section begins. A feed that a section quotes stays as it is:
 * the end of a section in it would end the outer one. Takes time in proportion to the text, whatever it holds.
 */
export function closeSections(text: string, from: number, itemName: string): ClosedSections {
  if (!text.includes(RARE, from) || !/^[\w:-]+$/.test(itemName)) return { text, cuts: [] };
  const cuts = findCuts(text, from, itemName);
  if (cuts.length === 0) return { text, cuts };
  const pieces = cuts.map((cut, number) => text.slice(cuts[number - 1] ?? 0, cut));
  pieces.push(text.slice(cuts.at(-1)));
  return { text: pieces.join(CLOSE), cuts: cuts.map((cut, number) => cut + number * CLOSE.length) };
}

function findCuts(text: string, from: number, itemName: string): number[] {
  const cuts: number[] = [];
  const item = new Finder(text, `<${itemName}`, (at) => isName(text, at + 1, itemName));
  const itemEnd = new Finder(text, `</${itemName}`, (at) => {
    BETWEEN_ITEMS.lastIndex = at + `</${itemName}`.length;
    if (!BETWEEN_ITEMS.test(text)) return false;
    const next = BETWEEN_ITEMS.lastIndex;
    return text[next] === "/" || isName(text, next, itemName);
  });
  const [opens, closes, comments] = [
    new Finder(text, OPEN),
    new Finder(text, CLOSE),
    new Finder(text, COMMENT),
  ];
  const firstItem = item.next(from);
  let lastOpen = { before: -1, at: -1 };
  for (let at = from;;) {
    const open = opens.next(at);
    if (open === NOWHERE) return cuts;
    const comment = comments.next(at);
    if (comment < open) {
      const end = text.indexOf(COMMENT_END, comment + COMMENT.length);
      if (end === -1) return cuts;
      at = end + COMMENT_END.length;
      continue;
    }
    const close = closes.next(open + OPEN.length);
    if (lastOpen.before !== close) lastOpen = { before: close, at: text.lastIndexOf(OPEN, close) };
    // Mostly the section that ends is the one that has begun.
    const isSuspect = close === NOWHERE || lastOpen.at > open;
    const cut = !isSuspect ? NOWHERE : open < firstItem ? firstItem : itemEnd.next(open + OPEN.length);
    if (cut < (close === NOWHERE ? NOWHERE : lastOpen.at)) {
      cuts.push(cut);
      at = cut;
    } else if (close === NOWHERE) return cuts;
    else at = close + CLOSE.length;
  }
}

/** Finds something from offsets that never go back: no part of the text is looked through twice. */
class Finder {
  #found = -1;

  constructor(
    readonly text: string,
    readonly what: string,
    readonly isMeant: (at: number) => boolean = () => true,
  ) {}

  /** The first position at or after an offset. */
  next(from: number): number {
    if (this.#found < from) this.#found = this.#search(from);
    return this.#found;
  }

  #search(from: number): number {
    const { text, what } = this;
    for (let at = text.indexOf(what, from); at !== -1; at = text.indexOf(what, at + 1)) {
      if (this.isMeant(at)) return at;
    }
    return NOWHERE;
  }
}
