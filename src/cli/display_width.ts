// The width of text on a terminal, in columns.

// deno-lint-ignore no-control-regex -- ASCII with control characters, which are escaped before they are printed
const NARROW = /^[\x00-\x7f]*$/;
const WIDE =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]$/u;
const ZERO = /^[\p{Mn}\p{Me}\u200b-\u200d\ufe0f]$/u;

/** Returns the number of columns: two for each ideograph, kana, Hangul syllable and emoji, none for combining marks. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

/** Returns the beginning of a text that fits `width` columns, with whole characters. */
export function fittingPart(text: string, width: number): string {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width) break;
    end += character.length;
  }
  return text.slice(0, end);
}

function characterWidth(character: string): number {
  if (WIDE.test(character)) return 2;
  return ZERO.test(character) ? 0 : 1;
}
