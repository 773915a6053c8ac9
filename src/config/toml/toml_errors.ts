// Explains the errors of the TOML parser.

/** The usual causes of errors, by a pattern for the parser's message. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/invalid value|numeric/, 'not a valid value: put strings in quotes ("…"); true and false are lower-case'],
  [/leading zero/, "numbers must not start with zero; put strings in quotes"],
  [
    /unfinished string|not allowed in strings/,
    'a string must end with a quote on the same line (use """…""" for several lines)',
  ],
  [/unfinished array|unfinished table|end of structure/, "a bracket is not closed or a comma is missing"],
  [/end of table array/, "the header of a list of tables needs double brackets: [[sources]]"],
  [
    /followed by an end-of-line/,
    "unexpected text after the value: write one key per line; comments start with #",
  ],
  [/key/, "not a valid key: lines are KEY = VALUE or [table]; put unusual keys in quotes"],
  [/escape/, 'a backslash in "…" starts an escape: double it, or use single quotes'],
  [/date/, "not a valid date: put strings in quotes"],
];

const TYPOGRAPHIC_QUOTE = /(?:^|[=[,{])\s*[\u2018-\u201f\u00ab\u00bb\u2039\u203a]/;
const HEADER = /^\s*\[{1,2}\s*([A-Za-z0-9_-]+)\s*\]/;
const NAMED = /^\s*(?:\[\s*([A-Za-z0-9_.-]+)\s*\]|([A-Za-z0-9_.-]+)\s*=)/;

/**
 * Explains the parser's message with its usual cause, derived from the invalid line and the lines before it. Never
 * contains a part of the file, which may be secret. `listTables` are the tables with double brackets.
 */
export function explainToml(
  parserMessage: string,
  context: { line: string; before: readonly string[]; listTables: readonly string[] },
): string {
  const message = (parserMessage.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
  return `${causeOf(message, context)} (parser message: ${message})`;
}

function causeOf(
  message: string,
  { line, before, listTables }: { line: string; before: readonly string[]; listTables: readonly string[] },
): string {
  if (/invalid value|numeric|key/.test(message) && TYPOGRAPHIC_QUOTE.test(line)) {
    return "typographic quotes: TOML requires straight quotes, \"…\" or '…'";
  }
  const table = listTables.find((name) => name === HEADER.exec(line)?.[1]);
  if (/redefine/.test(message) && table !== undefined) {
    return `this table is a list: each header, including the first, needs double brackets: [[${table}]]`;
  }
  if (/redefine/.test(message)) {
    const first = firstLineOf(line, before);
    return `this key or table is already defined${first === null ? "" : ` on line ${first}`}: merge the two`;
  }
  return CAUSES.find(([words]) => words.test(message))?.[1] ?? "not valid TOML";
}

/** Returns the line, from 1, of the earlier header or key with the same name, or null if there is none. */
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
