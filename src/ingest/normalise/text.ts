// Converts markup of any quality to plain text.
import { hasTag } from "../parse/formats/tags.ts";
import { markupWords } from "./markup.ts";

/** Maximum number of characters of markup that are read. The limits on the extracted text are lower. */
const MAX_MARKUP_CHARACTERS = 200_000;

/** Maximum number of times that repeatedly escaped markup is unescaped. */
const MAX_PASSES = 3;

/** An entity in decoded text, a sign that the text was escaped more than once. */
const ENTITY = /&(?:[a-z]{2,8}\d?|#\d{1,7}|#x[\da-f]{1,6});/i;

/** Control characters and invisible characters: soft hyphens, zero-width characters, direction marks, tags. */
const UNSEEN =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * Extracts the text of HTML markup. Blocks and `<br>` start a new line, and table cells a new word. Scripts, styles,
 * frames, templates and media are left out. Markup that was escaped several times is unescaped. Whitespace is collapsed
 * to one space or line break, invisible characters are removed, and the result is in NFC.
 *
 * `repeats` are texts that the reader sees elsewhere, such as the title and the author. Feeds of Drupal sites, which
 * many European authorities use, put `<span>title</span>`, `<span>author</span>` and `<time>` before the description.
 * Leading elements that contain only one of `repeats` are left out, as is every element whose only text is a `<time>`,
 * together with its heading.
 */
export function textFromMarkup(markup: string, options: { repeats?: readonly string[] } = {}): string {
  if (!markup.includes("<") && !markup.includes("&")) return tidy(markup);
  let text = markup;
  for (let pass = 0; pass === 0 || (pass < MAX_PASSES && isEscaped(text)); pass++) {
    text = tidy(stripMarkup(text, options.repeats ?? []));
  }
  return text;
}

function isEscaped(text: string): boolean {
  return (text.includes("<") && hasTag(text)) || (text.includes("&") && ENTITY.test(text));
}

/** Shortens text to at most `limit` characters including "…", if possible after a complete word. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 1);
  const space = cut.search(/\s\S*$/);
  const whole = /\s/.test(text[limit - 1] ?? "") ? cut : cut.slice(0, space > limit / 2 ? space : undefined);
  return whole.replace(/[\ud800-\udbff]$/, "").trimEnd() + "…";
}

/** Maximum number of combining marks on one character (UAX #15). */
const MAX_MARKS = 30;
/** Runs of marks to shorten, because normalisation sorts marks in quadratic time and cannot be interrupted. */
const SURPLUS_MARKS = /\p{M}{31,}/gu;

/** Removes invisible characters, collapses whitespace to one space or line break, and normalises to NFC. */
function tidy(text: string): string {
  const plain = text.toWellFormed().replace(UNSEEN, "")
    .replace(/\s{2,}|[^\S ]/g, (run) => /[\n\r\v\f\u2028\u2029]/.test(run) ? "\n" : " ");
  return plain.replace(SURPLUS_MARKS, (marks) => [...marks].slice(0, MAX_MARKS).join("")).normalize("NFC")
    .trim();
}

/** An incomplete tag at the end of a truncated text. */
const BROKEN_OFF = /<\/?[a-z][a-z0-9]*\s*$/i;
/** A "<" that does not start a tag, as in titles: neither attributes nor ">" follow before the next "<". */
const STRAY = /<(?![!?]|\/?[a-z][a-z0-9]*\s[^<>]*=)(?=[^<>]*(?:<|$))/gi;

function stripMarkup(markup: string, repeats: readonly string[]): string {
  return markupWords(
    markup.slice(0, MAX_MARKUP_CHARACTERS).replace(BROKEN_OFF, "").replace(STRAY, "&lt;"),
    repeats,
  );
}
