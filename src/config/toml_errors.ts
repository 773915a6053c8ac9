// What the TOML parser complains of, in words for whoever edits the file.

/** What usually causes a complaint, by a part of the parser's words. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/redefine/, "this key or table stands in the file already: merge the two"],
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

/** The complaint of the parser with its usual cause; never a piece of the file, which may hold secrets. */
export function explainToml(parserMessage: string): string {
  const complaint = (parserMessage.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
  const cause = CAUSES.find(([words]) => words.test(complaint))?.[1] ?? "this is no TOML";
  return `${cause} (the parser says: ${complaint})`;
}
