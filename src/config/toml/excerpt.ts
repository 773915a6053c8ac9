// Shows the part of a config file that has a problem, with a caret below it, but never a secret.
import { type Columns, type KeyPath, type Position, tableAtEnd } from "./key_lines.ts";
import { isKnownPath, isTablePath, knownNames } from "./known_keys.ts";
import { bareUrl } from "./problems.ts";

/** Words in the names and values of secrets. A line that contains one of them is not shown. */
const SECRET_WORDS =
  /secret|passw|passphrase|token|credential|private|key_sha256|smtp|header|authori[sz]ation|bearer|basic\s/i;

/** Maximum width of the shown part, so that it fits 80 columns with its line number. */
const WIDTH = 68;

/**
 * Returns the line of a path in a valid document with a caret below its value, or below its key if `isKey`. Values
 * that are or may be secret, such as those of unknown keys, are replaced by `…`.
 */
export function excerptOf(
  lines: readonly string[],
  path: KeyPath,
  { line, name, value, whole, hasTables }: Position,
  isKey: boolean,
): string {
  const text = lines[line - 1] ?? "";
  const shown = text.slice(whole.start, whole.end);
  if (value === null) return draw(line, shown, shift(name, whole.start));
  // The values beside an element of a list are shown too.
  const values = shown.replace(/^[^=["']*=/, "");
  // The keys of the line may lead deeper than the path: `listen.secret = "…"`.
  const keys = `${path.join(".")} ${text.slice(name.start, name.end)}`;
  const isSecret = hasTables || !isKnownPath(path) || isTablePath(path) || mayBeSecret(keys, values);
  if (!isSecret) return draw(line, shown, shift(isKey ? name : value, whole.start));
  return typeof path.at(-1) === "number" ? "" : drawKey(line, text.slice(name.start, name.end));
}

/** The first value of a line: a string, which may be unfinished, or a word. */
const FIRST_VALUE = /^\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|"[^"#]*|'[^'#]*|[^\s#"']*)/;

/**
 * Returns the last of these lines, which has a syntax error, with a caret at the column (from 1). Shows only headers of
 * known tables, and the first value of a known key. Returns an empty string for other lines, and within strings, lists
 * and tables of several lines.
 */
export function excerptOfSyntax(lines: readonly string[], column: number): string {
  const line = lines.length;
  const text = lines.at(-1) ?? "";
  const within = tableAtEnd(lines.slice(0, -1).join("\n"));
  if (within === null) return "";
  const table = /^\[{1,2}([\w-]+)(?:\.[\w-]+)?\]{0,2}$/.exec(text.trim())?.[1];
  const [before = "", key, rest = ""] = /^\s*([\w-]+)\s*=(.*)$/s.exec(text) ?? [];
  let shown = text.trim();
  if (key !== undefined && isKnownPath([...within, key])) {
    const isSimple = !rest.includes("=") && rest.split(/["']/).length <= 3 &&
      !isTablePath([...within, key]) && !mayBeSecret([...within, key].join("."), rest);
    if (!isSimple) return drawKey(line, key);
    const value = FIRST_VALUE.exec(rest)?.[0] ?? "";
    const more = /^\s*(?:#|$)/.test(rest.slice(value.length)) ? "" : " …";
    shown = (before.slice(0, before.length - rest.length) + value).trim() + more;
  } else if (table === undefined || !knownNames().has(table)) return "";
  const start = text.length - text.trimStart().length;
  const at = Math.max(column - 1 - start, 0);
  return draw(line, shown, { start: at, end: at + 1 });
}

function mayBeSecret(key: string, text: string): boolean {
  return SECRET_WORDS.test(key) || SECRET_WORDS.test(text) || bareUrl(text) !== text;
}

function shift({ start, end }: Columns, by: number): Columns {
  return { start: start - by, end: end - by };
}

function drawKey(line: number, key: string): string {
  return draw(line, `${key} = …`, { start: 0, end: key.length });
}

/** Draws the text with carets below the columns. If it is too long, the text begins and ends at a `…`. */
function draw(line: number, text: string, columns: Columns): string {
  // Each control character becomes one space, so that the carets stay below the columns.
  const clean = text.replace(/[\p{Cc}\p{Cf}]/gu, " ").trimEnd();
  const from = columns.start < WIDTH / 2 || clean.length <= WIDTH ? 0 : columns.start - WIDTH / 4;
  const part = (from > 0 ? "…" : "") + clean.slice(from > 0 ? from + 1 : 0, from + WIDTH - 1);
  const shown = from + WIDTH - 1 < clean.length ? `${part}…` : part;
  const start = Math.min(columns.start - from, shown.length);
  const carets = "^".repeat(Math.max(1, Math.min(columns.end - from, shown.length) - start));
  const margin = " ".repeat(String(line).length);
  return `  ${line} | ${shown}\n  ${margin} | ${" ".repeat(start)}${carets}`;
}
