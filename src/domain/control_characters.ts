// Characters that a terminal interprets instead of showing: control characters and direction marks.

/** C0 but for line break and tab, DEL, C1, marks of direction, and Unicode's own line breaks. */
// deno-lint-ignore no-control-regex -- they are what must not get through
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The text without control characters. Line breaks and tabs stay. */
export function harmless(text: string): string {
  return text.replace(CONTROLS, "");
}

/** The text with control characters as `\u001b`, which JSON reads as the same text. Line breaks and tabs stay. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, escapeCharacter);
}

/** The text on one line: {@link escapeControls}, for line breaks and tabs too. */
export function escapeToLine(text: string): string {
  return escapeControls(text).replace(/[\n\t]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
