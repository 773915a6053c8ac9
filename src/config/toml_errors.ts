// What the TOML parser complains of, in words for whoever edits the file.

/** What usually causes a complaint, by a part of the parser's words. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/invalid value|numeric/, 'this is no value: texts go in quotes ("…"), true and false are lower-case'],
  [/leading zero/, "numbers have no zero in front; a text goes in quotes"],
  [
    /unfinished string|not allowed in strings/,
    'a text must end with its quote on the same line ("""…""" spans lines)',
  ],
  [/unfinished array|unfinished table|end of structure/, "a bracket is not closed or a comma is missing"],
  [/end of table array/, "a list of tables opens and closes with double brackets: [[sources]]"],
  [/followed by an end-of-line/, "something stands behind the value: one key a line, comments begin with #"],
  [/key/, "this is no key: lines are KEY = VALUE or [table], and odd keys go in quotes"],
  [/escape/, 'a backslash in "…" begins an escape: double it, or use single quotes'],
  [/date/, "this is no date: texts go in quotes"],
];

/** A typographic quote where a value or a key begins. */
const TYPOGRAPHIC_QUOTE = /(?:^|[=[,{])\s*[\u2018-\u201f\u00ab\u00bb\u2039\u203a]/;
const HEADER = /^\s*\[{1,2}\s*([A-Za-z0-9_-]+)\s*\]/;
/** The name in a table's brackets, or the key before a value. */
const NAMED = /^\s*(?:\[\s*([A-Za-z0-9_.-]+)\s*\]|([A-Za-z0-9_.-]+)\s*=)/;

/**
 * The complaint of the parser with its usual cause, told from the line that it complains of, those before it, and the
 * tables of which there may be several; never a piece of the file, which may hold secrets.
 */
export function explainToml(
  parserMessage: string,
  place: { line: string; before: readonly string[]; listTables: readonly string[] },
): string {
  const complaint = (parserMessage.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
  return `${causeOf(complaint, place)} (the parser says: ${complaint})`;
}

function causeOf(
  complaint: string,
  { line, before, listTables }: { line: string; before: readonly string[]; listTables: readonly string[] },
): string {
  if (/invalid value|numeric|key/.test(complaint) && TYPOGRAPHIC_QUOTE.test(line)) {
    return "these quotes are typographic: TOML takes the straight ones, \"…\" and '…', alone";
  }
  const table = listTables.find((name) => name === HEADER.exec(line)?.[1]);
  if (/redefine/.test(complaint) && table !== undefined) {
    return `there may be several of these, so each one, the first too, begins with double brackets: [[${table}]]`;
  }
  if (/redefine/.test(complaint)) {
    const first = firstLineOf(line, before);
    return `this key or table stands in the file already${
      first === null ? "" : `, on line ${first}`
    }: merge the two`;
  }
  return CAUSES.find(([words]) => words.test(complaint))?.[1] ?? "this is no TOML";
}

/** The line, from 1, on which a table's header or a key of the same table stands before; null where it is not seen. */
function firstLineOf(line: string, before: readonly string[]): number | null {
  const [, table, key] = NAMED.exec(line) ?? [];
  const start = key === undefined ? 0 : before.findLastIndex((one) => /^\s*\[/.test(one)) + 1;
  const found = before.findIndex((one, index) => {
    const [, otherTable, otherKey] = NAMED.exec(one) ?? [];
    return index >= start &&
      (key === undefined ? table !== undefined && otherTable === table : otherKey === key);
  });
  return found === -1 ? null : found + 1;
}
