// The syntax of full-text searches, and which texts match a search.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { parseSearch, searchMatcher } from "../../../src/domain/event/search.ts";

/** Writes terms back: words, `word*` and `"phrases"`. A problem is returned as it is. */
function normalised(text: string): string | string[] {
  const search = parseSearch(text);
  if ("problem" in search) return search.problem;
  return search.terms.map(({ words, isPrefix }) =>
    isPrefix ? `${words.join()}*` : words.length > 1 ? `"${words.join(" ")}"` : words.join()
  );
}

Deno.test("parseSearch() reads words, beginnings of words and phrases, and takes other characters as spaces", () => {
  const rows: [text: string, expected: string[]][] = [
    ["risk", ["risk"]],
    ["high-risk  systems", ["high", "risk", "systems"]],
    ["consult* AI", ["consult*", "AI"]],
    ['"high-risk systems" AI', ['"high risk systems"', "AI"]],
    ['"AI"', ["AI"]],
    ['"" AI ".,"', ["AI"]],
    ['"high risk*"', ['"high risk"']],
    ["con*sult *risk", ["con", "sult", "risk"]],
    ["a AND b NOT (c) NEAR/2 {d} ^e:f", "a AND b NOT c NEAR 2 d e f".split(" ")],
    ["de\u0301cision*", ["d\u00e9cision*"]],
    ["„Leitlinien“ l’IA", ["Leitlinien", "l", "IA"]],
  ];
  for (const [text, expected] of rows) assert.deepEqual(normalised(text), expected, text);
});

Deno.test("parseSearch() says what is wrong with a search", () => {
  const rows: [text: string, expected: RegExp][] = [
    ["", /^must contain 1 to 10 words$/],
    ["*", /^must contain 1 to 10 words$/],
    ['"-"', /^must contain 1 to 10 words$/],
    ["a ".repeat(11), /^must contain 1 to 10 words$/],
    [`"${"a ".repeat(11)}"`, /^must contain 1 to 10 words$/],
    ['high "risk', /^contains a quotation mark that is not closed/],
    ["AI*", /^contains AI\*; write at least 3 letters before \*$/],
    ["act* bill* code* draft*", /^may contain at most 3 words with \*$/],
  ];
  for (const [text, expected] of rows) assert.match(String(normalised(text)), expected, text);
});

Deno.test("searchMatcher() ignores case and accents, and matches whole words unless they end in *", () => {
  const matches = searchMatcher("High-risk systèmes\nLeitlinien der EU-Kommission");
  const rows: [search: string, expected: boolean][] = [
    ["SYSTEMES kommission", true],
    ["system", false],
    ["system*", true],
    ["risk*", true],
    ['"risk systemes"', true],
    ['"systemes risk"', false],
    ['"high risk" leit* eu', true],
    ["leit* missing", false],
    ['"risk syst"', false],
  ];
  for (const [text, expected] of rows) {
    const search = parseSearch(text);
    assert.ok("terms" in search, text);
    assert.equal(matches(search.terms), expected, text);
  }
});

Deno.test("a text contains every word of it, and the beginning of every long word", () =>
  fc.assert(fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), (text) => {
    for (const word of text.normalize("NFC").match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? []) {
      const begin = [...word].slice(0, 3).join("");
      for (const search of [word, `"${word}"`, ...([...begin].length === 3 ? [`${begin}*`] : [])]) {
        const parsed = parseSearch(search);
        assert.ok("terms" in parsed && searchMatcher(text)(parsed.terms), `${search} in ${text}`);
      }
    }
  })));
