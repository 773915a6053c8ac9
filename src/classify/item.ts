// An item as the rules see it: folded text, URL, CELEX number, language and publisher.
import { lazy } from "./memoize.ts";
import { detectLanguage, type LanguageResult } from "./language.ts";
import { findPublisher, hostOf, type Publisher } from "./publisher.ts";
import { type FoldedText, foldText, SUMMARY_LIMIT, TITLE_LIMIT } from "./phrases/fold_text.ts";

/** Length of the opening of a summary in characters. The opening states the subject. */
const OPENING_LENGTH = 400;

/** Maximum number of categories read, and of characters per category. */
const CATEGORY_LIMIT = 20;
const CATEGORY_LENGTH = 200;

export interface ClassifyInput {
  /** Plain text; the first {@link TITLE_LIMIT} characters are read. */
  title: string;
  /** Plain text or an empty string; the first {@link SUMMARY_LIMIT} characters are read. */
  summary: string;
  url: string;
  categories: readonly string[];
  /**
   * The languages (BCP 47 tags or codes) that the item, the document and the source state, in this order. They may be
   * wrong.
   */
  statedLanguages: readonly string[];
  /** The languages that the config sets for the source. They only affect the reasons. */
  configuredLanguages?: readonly string[];
  /** The item's source, for defaults that the config sets per source. */
  sourceId?: string;
}

export class Item {
  readonly title: FoldedText;
  readonly summary: FoldedText;
  /** The first {@link OPENING_LENGTH} characters of the summary. */
  readonly opening: FoldedText;
  /** The URL in lower case. */
  readonly url: string;
  /** The CELEX number in the title or the URL ("32024R1689R(02)"), or an empty string. */
  readonly celex: string;
  readonly categories: readonly FoldedText[];
  readonly language: LanguageResult;
  readonly #publisher: () => Publisher;

  constructor(input: ClassifyInput) {
    const { title, summary, url, categories, statedLanguages, configuredLanguages = [] } = input;
    this.title = foldText(title, TITLE_LIMIT);
    this.summary = foldText(summary, SUMMARY_LIMIT);
    const { length } = this.summary.text;
    this.opening = length <= OPENING_LENGTH ? this.summary : foldText(this.summary.text, OPENING_LENGTH);
    this.url = url.toLowerCase();
    this.celex = celexOf(this.title.text) || celexOf(this.url);
    this.categories = categories.slice(0, CATEGORY_LIMIT).map((one) => foldText(one, CATEGORY_LENGTH));
    const raw = `${title.slice(0, TITLE_LIMIT)} ${summary.slice(0, TITLE_LIMIT)}`;
    const text = { title: this.title, summary: this.summary, raw };
    this.language = detectLanguage(text, statedLanguages, configuredLanguages);
    this.#publisher = lazy(() =>
      findPublisher({
        host: hostOf(url),
        celex: this.celex,
        title: this.title,
        language: this.language.language,
      })
    );
  }

  /** The publisher, which is computed on first use because most items are not about AI. */
  get publisher(): Publisher {
    return this.#publisher();
  }
}

/** Returns the title and the summary as one text, which is searched for citations. */
export function wholeText(item: Item): string {
  return `${item.title.text}\n${item.summary.text}`;
}

function celexOf(text: string): string {
  return /celex(?::|%3a|=) ?([0-9]{5}[a-z]{1,2}[0-9]{4}(?:r?\([0-9]{2}\))?)/i.exec(text)?.[1]
    ?.toUpperCase() ?? "";
}
