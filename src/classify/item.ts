// An item as the rules see it: folded text, URL, CELEX number, language and publisher.
import { detectLanguage, type LanguageResult } from "./language.ts";
import { findPublisher, hostOf, type Publisher } from "./publisher.ts";
import { type FoldedText, foldText, SUMMARY_LIMIT, TITLE_LIMIT } from "./phrases/fold_text.ts";

/** The opening of a summary says what the item is about; this is its length in characters. */
export const OPENING_LENGTH = 400;

/** The item as its source states it. */
export interface ItemInput {
  title: string;
  summary: string;
  url: string;
  categories: readonly string[];
  statedLanguages: readonly string[];
}

/** Maximum number of categories read, and of characters per category. */
const CATEGORY_LIMIT = 20;
const CATEGORY_LENGTH = 200;

/** An item prepared for the rules. Each part is computed on first use, because most items are not about AI. */
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

  /** The start of the summary. */
  get opening(): FoldedText {
    return this.#opening ??= this.summary.text.length <= OPENING_LENGTH
      ? this.summary
      : foldText(this.summary.text, OPENING_LENGTH);
  }

  /** The URL in lower case. */
  get url(): string {
    return this.#url ??= this.input.url.toLowerCase();
  }

  /** The CELEX number in the title or the URL ("32024R1689R(02)"), or an empty string. */
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
