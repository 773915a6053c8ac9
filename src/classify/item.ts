// One item as every rule sees it: folded once, with its address and document numbers taken apart.
import { detectLanguage, type LanguageResult } from "./language.ts";
import { once } from "./once.ts";
import { findPublisher, hostOf, type Publisher } from "./publisher.ts";
import { type FoldedText, foldText, SUMMARY_LIMIT, TITLE_LIMIT } from "./text.ts";

/** How much of a summary says what the item is about, in characters; what follows is detail. */
export const OPENING_LENGTH = 400;

/** An item made ready for the rules. */
export interface Item {
  readonly title: FoldedText;
  readonly summary: FoldedText;
  /** The beginning of the summary. */
  readonly opening: FoldedText;
  /** The address in small letters. */
  readonly url: string;
  /** The CELEX number that the title or the address states ("32024R1689R(02)"), or an empty text. */
  readonly celex: string;
  readonly categories: FoldedText[];
  readonly language: LanguageResult;
  readonly publisher: Publisher;
}

/** How many categories of an item are read, and how much of each. */
const CATEGORY_LIMIT = 20;
const CATEGORY_LENGTH = 200;

/** Takes an item apart; all but its texts is made when it is asked for, since most items say nothing of AI. */
export function readItem(
  input: {
    title: string;
    summary: string;
    url: string;
    categories: readonly string[];
    statedLanguages: readonly string[];
  },
): Item {
  const title = foldText(input.title, TITLE_LIMIT);
  const summary = foldText(input.summary, SUMMARY_LIMIT);
  const url = input.url.toLowerCase();
  const opening = once(() =>
    summary.text.length <= OPENING_LENGTH ? summary : foldText(summary.text, OPENING_LENGTH)
  );
  const celex = once(() => celexOf(title.text) || celexOf(url));
  const categories = once(() =>
    input.categories.slice(0, CATEGORY_LIMIT).map((category) => foldText(category, CATEGORY_LENGTH))
  );
  const language = once(() =>
    detectLanguage(
      { title, summary, raw: `${input.title.slice(0, TITLE_LIMIT)} ${input.summary.slice(0, TITLE_LIMIT)}` },
      input.statedLanguages,
    )
  );
  const publisher = once(() =>
    findPublisher({ host: hostOf(input.url), celex: celex(), title, language: language().language })
  );
  return {
    title,
    summary,
    url,
    get opening() {
      return opening();
    },
    get celex() {
      return celex();
    },
    get categories() {
      return categories();
    },
    get language() {
      return language();
    },
    get publisher() {
      return publisher();
    },
  };
}

/** The title and the summary as one text, for citations. */
export function wholeText(item: Item): string {
  return `${item.title.text}\n${item.summary.text}`;
}

function celexOf(text: string): string {
  return /celex(?::|%3a|=) ?([0-9]{5}[a-z]{1,2}[0-9]{4}(?:r?\([0-9]{2}\))?)/i.exec(text)?.[1]
    ?.toUpperCase() ?? "";
}
