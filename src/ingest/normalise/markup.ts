// Extracts the text of HTML of any quality, without the parts of a page that are not content.
import { Tokenizer, type TokenizerCallbacks } from "htmlparser2";

/** Maximum depth of elements. Deeper elements are ignored, but their text is read. */
const MAX_DEPTH = 100;

/** Maximum amount of whitespace in an element that repeats a text, in characters. */
const MAX_INDENTATION = 200;

const BLOCKS = new Set(
  ("address article aside blockquote br caption center dd details div dl dt fieldset figcaption figure footer form " +
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody tfoot thead tr ul").split(
      " ",
    ),
);
const CELLS = new Set(["td", "th", "option"]);
const VOID = new Set("area base br col embed hr img input link meta param source track wbr".split(" "));
const HIDDEN = new Set("script style iframe template noscript object svg audio video canvas head".split(" "));
const HEADING = /^h[1-6]$/;

/** Extracts the text of markup, with line breaks at blocks and uncollapsed whitespace. Omits leading `repeats`. */
export function markupWords(markup: string, repeats: readonly string[]): string {
  const reader = new MarkupReader(markup, repeats);
  const tokenizer = new Tokenizer({ decodeEntities: markup.includes("&") }, reader); // decoding is slower
  tokenizer.write(markup);
  tokenizer.end();
  return reader.words();
}

interface Frame {
  name: string;
  piecesBefore: number;
  charactersBefore: number;
  hidden: boolean;
  holdsTime: boolean;
  /** Whether the element has text outside `<time>` and headings. */
  holdsWords: boolean;
}

class MarkupReader implements TokenizerCallbacks {
  readonly #open: Frame[] = [];
  /** Maximum number of characters of an element that repeats a text. */
  readonly #maxRepeat: number;
  /** Matches the characters that become a space. Line breaks stay in text without tags. */
  readonly #spaces: RegExp;
  #pieces: string[] = [];
  #characters = 0;
  #name = "";

  constructor(readonly markup: string, readonly repeats: readonly string[]) {
    this.#spaces = markup.includes("<") ? /[^\S ]/g : /[^\S \n]/g;
    this.#maxRepeat = Math.max(0, ...repeats.map((repeat) => repeat.length)) + MAX_INDENTATION;
  }

  words(): string {
    return this.#pieces.join("");
  }

  ontext(start: number, end: number): void {
    this.#add(this.markup.slice(start, end).replace(this.#spaces, " "));
  }

  ontextentity(codepoint: number): void {
    const character = String.fromCodePoint(codepoint);
    this.#add(/\s/.test(character) ? " " : character);
  }

  oncdata(start: number, end: number): void {
    this.ontext(start, end - 2);
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#nameOf(start, end);
  }

  onopentagend(): void {
    const name = this.#name;
    this.#break(name);
    if (VOID.has(name) || this.#open.length >= MAX_DEPTH) return;
    const parent = this.#open.at(-1);
    this.#open.push({
      name,
      piecesBefore: this.#pieces.length,
      charactersBefore: this.#characters,
      hidden: HIDDEN.has(name) || parent?.hidden === true,
      holdsTime: name === "time",
      holdsWords: false,
    });
  }

  onselfclosingtag(): void {
    this.#break(this.#name);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#nameOf(start, end);
    const place = this.#open.findLastIndex((frame) => frame.name === name);
    while (place !== -1 && this.#open.length > place) this.#close();
    this.#break(name);
  }

  onend(): void {
    while (this.#open.length > 0) this.#close();
  }

  // The tokenizer requires these callbacks, but they carry no text.
  onattribdata(): void {}
  onattribentity(): void {}
  onattribend(): void {}
  onattribname(): void {}
  oncomment(): void {}
  ondeclaration(): void {}
  onprocessinginstruction(): void {}

  #nameOf(start: number, end: number): string {
    const name = this.markup.slice(start, end).toLowerCase();
    return name.slice(name.indexOf(":") + 1);
  }

  #add(words: string): void {
    const frame = this.#open.at(-1);
    if (frame?.hidden) return;
    this.#pieces.push(words);
    const characters = words.trim().length;
    this.#characters += characters;
    if (characters > 0 && frame !== undefined && frame.name !== "time") frame.holdsWords = true;
  }

  #break(name: string): void {
    if (this.#open.at(-1)?.hidden) return;
    if (BLOCKS.has(name)) this.#pieces.push("\n");
    else if (CELLS.has(name)) this.#pieces.push(" ");
  }

  #close(): void {
    const frame = this.#open.pop();
    if (frame === undefined) return;
    const parent = this.#open.at(-1);
    const isTime = frame.name === "time";
    if ((frame.holdsTime && !frame.holdsWords && !isTime) || this.#isRepeat(frame)) {
      this.#pieces.length = frame.piecesBefore;
      this.#characters = frame.charactersBefore;
      return;
    }
    if (parent === undefined) return;
    parent.holdsTime ||= isTime;
    if (!isTime && frame.holdsWords && !HEADING.test(frame.name)) parent.holdsWords = true;
  }

  /** Whether an element has only whitespace before it and consists of one of the repeats. */
  #isRepeat(frame: Frame): boolean {
    if (this.repeats.length === 0 || frame.charactersBefore > 0 || this.#characters > this.#maxRepeat) {
      return false;
    }
    const words = this.#pieces.slice(frame.piecesBefore).join("").replace(/\s+/g, " ").trim();
    return this.repeats.includes(words);
  }
}
