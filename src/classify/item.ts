// One item as every rule sees it: folded once, with its address and document numbers taken apart.
import { detectLanguage, type LanguageResult } from "./language.ts";
import { findPublisher, hostOf, type Publisher } from "./publisher.ts";
import { type FoldedText, foldText, SUMMARY_LIMIT, TITLE_LIMIT } from "./phrases/fold_text.ts";

/** How much of a summary says what the item is about, in characters; what follows is detail. */
export const OPENING_LENGTH = 400;

/** What an item says of itself. */
export interface ItemInput {
  title: string;
  summary: string;
  url: string;
  categories: readonly string[];
  statedLanguages: readonly string[];
}

/** How many categories of an item are read, and how much of each. */
const CATEGORY_LIMIT = 20;
const CATEGORY_LENGTH = 200;

/** An item made ready for the rules: each part when it is asked for, since most items say nothing of AI. */
export class Item {
  #title: FoldedText | null = null;
  #summary: FoldedText | null = null;
  #opening: FoldedText | null = null;
  #url: string | null = null;
  #celex: string | null = null;
  #categories: FoldedText[] | null = null;
  #language: LanguageResult | null = null;
  #publisher: Publisher | null = null;

  constructor(readonly input: ItemInput) {}

  get title(): FoldedText {
    return this.#title ??= foldText(this.input.title, TITLE_LIMIT);
  }

  get summary(): FoldedText {
    return this.#summary ??= foldText(this.input.summary, SUMMARY_LIMIT);
  }

  /** The beginning of the summary. */
  get opening(): FoldedText {
    return this.#opening ??= this.summary.text.length <= OPENING_LENGTH
      ? this.summary
      : foldText(this.summary.text, OPENING_LENGTH);
  }

  /** The address in small letters. */
  get url(): string {
    return this.#url ??= this.input.url.toLowerCase();
  }

  /** The CELEX number that the title or the address states ("32024R1689R(02)"), or an empty text. */
  get celex(): string {
    return this.#celex ??= celexOf(this.title.text) || celexOf(this.url);
  }

  get categories(): FoldedText[] {
    return this.#categories ??= this.input.categories.slice(0, CATEGORY_LIMIT)
      .map((category) => foldText(category, CATEGORY_LENGTH));
  }

  get language(): LanguageResult {
    const { title, summary, statedLanguages } = this.input;
    return this.#language ??= detectLanguage(
      {
        title: this.title,
        summary: this.summary,
        raw: `${title.slice(0, TITLE_LIMIT)} ${summary.slice(0, TITLE_LIMIT)}`,
      },
      statedLanguages,
    );
  }

  get publisher(): Publisher {
    return this.#publisher ??= findPublisher({
      host: hostOf(this.input.url),
      celex: this.celex,
      title: this.title,
      language: this.language.language,
    });
  }
}

/** The title and the summary as one text, for citations. */
export function wholeText(item: Item): string {
  return `${item.title.text}\n${item.summary.text}`;
}

function celexOf(text: string): string {
  return /celex(?::|%3a|=) ?([0-9]{5}[a-z]{1,2}[0-9]{4}(?:r?\([0-9]{2}\))?)/i.exec(text)?.[1]
    ?.toUpperCase() ?? "";
}
