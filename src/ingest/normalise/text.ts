// Converts markup of any quality to plain text.
import { hasTag } from "../parse/formats/tags.ts";
import { markupWords } from "./markup.ts";

/** Markup beyond this is not read: it is more than any limit on text lets through. */
const MAX_MARKUP_CHARACTERS = 200_000;

/** So often is markup read that was escaped more than once. */
const MAX_PASSES = 3;

/** An entity that is left in text after decoding: it was escaped more than once. */
const ENTITY = /&(?:[a-z]{2,8}\d?|#\d{1,7}|#x[\da-f]{1,6});/i;

/** Control characters, and those that show nothing: soft hyphens, zero-width ones, direction marks, tags. */
const UNSEEN =
  // deno-lint-ignore no-control-regex
  /[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/**
 * The words of HTML markup as plain text. Text without markup passes through. Blocks and `<br>` begin a new line, table
 * cells a new word; scripts, styles, frames, templates and media are left out with what they hold. Markup that was
 * escaped more than once is read again. Whitespace is collapsed to one space or one line break, characters that show
 * nothing are removed, the result is NFC.
 *
 * `repeats` are texts that the reader sees elsewhere, such as the title and the author. Drupal's feeds (of many
 * European authorities) put the whole page field by field into the description: `<span>title</span>`,
 * `<span>author</span>`, `<time>`. So elements before the first other text that hold nothing but one of `repeats` are
 * left out, and so is every element whose only text is a `<time>`, with the heading over it. A date within a sentence
 * stays.
 */
export function textFromMarkup(markup: string, options: { repeats?: readonly string[] } = {}): string {
  if (!markup.includes("<") && !markup.includes("&")) return tidy(markup);
  let text = markup;
  for (let pass = 0; pass === 0 || (pass < MAX_PASSES && isEscaped(text)); pass++) {
    text = tidy(stripMarkup(text, options.repeats ?? []));
  }
  return text;
}

/** Whether text was escaped more than once: it still has tags or entities. */
function isEscaped(text: string): boolean {
  return (text.includes("<") && hasTag(text)) || (text.includes("&") && ENTITY.test(text));
}

/** Shortens text to `limit` characters, after a complete word, with "…". */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit - 1);
  const space = cut.search(/\s\S*$/);
  const whole = /\s/.test(text[limit - 1] ?? "") ? cut : cut.slice(0, space > limit / 2 ? space : undefined);
  return whole.replace(/[\ud800-\udbff]$/, "").trimEnd() + "…";
}

/** Characters that {@link tidy} may change; text without them passes quickly. */
const UNTIDY = /[^ -~\u00a1-\u00ac\u00ae-\u02ff\u2010-\u2027\u20ac]| {2}/;

/** More combining marks on one character than any writing system has: UAX #15 allows 30. */
const MAX_MARKS = 30;
/** To sort the marks of one character takes quadratic time, and no time limit stops the runtime while it does. */
const SURPLUS_MARKS = /\p{M}{31,}/gu;

/** Text without what shows nothing, in NFC, with whitespace collapsed: line breaks stay line breaks. */
function tidy(text: string): string {
  if (!UNTIDY.test(text)) return text.trim();
  const plain = text.toWellFormed().replace(UNSEEN, "")
    .replace(/\s{2,}|[^\S ]/g, (run) => /[\n\r\v\f\u2028\u2029]/.test(run) ? "\n" : " ");
  return plain.replace(SURPLUS_MARKS, (marks) => [...marks].slice(0, MAX_MARKS).join("")).normalize("NFC")
    .trim();
}

/** A tag that breaks off at the end of a text that was cut. */
const BROKEN_OFF = /<\/?[a-z][a-z0-9]*\s*$/i;
/** A "<" that is closed by no ">" before the next one, and has no attribute: people write it in titles. */
const STRAY = /<(?![!?]|\/?[a-z][a-z0-9]*\s[^<>]*=)(?=[^<>]*(?:<|$))/gi;

function stripMarkup(markup: string, repeats: readonly string[]): string {
  const readable = markup.slice(0, MAX_MARKUP_CHARACTERS);
  if (isClosed(readable)) return markupWords(readable, repeats);
  return markupWords(readable.replace(BROKEN_OFF, "").replace(STRAY, "&lt;"), repeats);
}

/** Whether every "<" is closed by a ">" before the next one: then there is nothing broken off and nothing stray. */
function isClosed(markup: string): boolean {
  for (let open = markup.indexOf("<"); open !== -1;) {
    const close = markup.indexOf(">", open);
    const next = markup.indexOf("<", open + 1);
    if (close === -1 || (next !== -1 && next < close)) return false;
    open = next;
  }
  return true;
}
