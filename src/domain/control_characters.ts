// Handles characters that a terminal interprets instead of showing: control characters and direction marks.

/** C0 (but not tab or line feed), DEL, C1, direction marks, and Unicode's line and paragraph separators. */
// deno-lint-ignore no-control-regex -- this pattern is for control characters
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** Removes control characters, but keeps line feeds and tabs. */
export function harmless(text: string): string {
  return text.replace(CONTROLS, "");
}

/** Escapes control characters (`\u001b`), but not line feeds and tabs. JSON keeps its meaning. */
export function escapeControls(text: string): string {
  return text.replace(CONTROLS, escapeCharacter);
}

/** Like {@link escapeControls}, but also escapes line feeds and tabs. */
export function escapeToLine(text: string): string {
  return escapeControls(text).replace(/[\n\t]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
