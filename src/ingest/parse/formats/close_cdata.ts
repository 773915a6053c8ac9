// Closes CDATA sections that never end, each together with its item, so that later items are not lost.
import { isName } from "./scan_xml.ts";

const OPEN = "<![CDATA[";
const TOKEN = /<!\[CDATA\[|\]\]>|<!--|-->|<\/?((?:[\w-]+:)?(?:item|entry))(?=[\s/>])/g;

/** Marks the end of a section that this code has closed. No decoded text contains NUL. */
const MARK = "\0";
const CLOSED = `]]><!--${MARK}-->`;

/** Matches the text between the name of an item's end tag and the next tag. */
const BETWEEN_ITEMS = /\s*>\s*</y;

/**
 * Closes unterminated sections after an offset: each together with its item, or before the first item. A section is
 * unterminated if no later `]]>` exists or the next one ends a section of a later item. A feed that is quoted in a
 * section is not changed: a section cannot contain another one, so its end is the next `]]>`. Takes linear time.
 */
export function closeSections(text: string, from: number, itemName: string): string {
  // Searching without the "<" of OPEN is faster, because "<" is frequent.
  const cuts = text.includes("![CDATA[", from) ? findCuts(text, from, itemName) : [];
  return [...cuts, text.length].map((cut, at) => text.slice(cuts[at - 1] ?? 0, cut)).join(CLOSED);
}

export function hasClosedSection(text: string, start: number, end: number): boolean {
  return text.slice(start, end).includes(MARK);
}

/** Returns the offsets at which to close sections. */
function findCuts(text: string, from: number, itemName: string): number[] {
  const cuts: number[] = [];
  let within: "text" | "comment" | "section" = "text";
  let sawItem = false;
  /** Whether the section begins before the first item. */
  let isInHead = false;
  /** Where to close the section if another one begins before it ends, or -1 if it cannot be closed yet. */
  let cut = -1;
  TOKEN.lastIndex = from;
  while (true) {
    const token = TOKEN.exec(text);
    if (cut !== -1 && (token === null || token[0] === OPEN)) {
      cuts.push(cut);
      [TOKEN.lastIndex, within, cut] = [cut, "text", -1];
      continue;
    }
    if (token === null) return cuts;
    const [found, name] = token;
    if (name === undefined) {
      if (within === "text" && found === OPEN) [within, isInHead] = ["section", !sawItem];
      else if (within === "text" && found === "<!--") within = "comment";
      else if (within === "comment" && found === "-->") within = "text";
      else if (within === "section" && found === "]]>") [within, cut] = ["text", -1];
    } else if (name === itemName) {
      const isCut = found[1] === "/" ? !isInHead && endsItem(text, TOKEN.lastIndex, itemName) : !sawItem;
      if (within === "section" && cut === -1 && isCut) cut = token.index;
      sawItem ||= found[1] !== "/";
    }
  }
}

/** Whether an end tag is followed by the next item or another end tag; `at` is the offset after its name. */
function endsItem(text: string, at: number, itemName: string): boolean {
  BETWEEN_ITEMS.lastIndex = at;
  if (!BETWEEN_ITEMS.test(text)) return false;
  const next = BETWEEN_ITEMS.lastIndex;
  return text[next] === "/" || isName(text, next, itemName);
}
