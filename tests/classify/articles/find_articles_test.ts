// Citations of the AI Act are found as official texts write them, and lookalikes are not.
import assert from "node:assert/strict";
import { AI_ACT } from "../../../src/domain/event/article.ts";
import { findArticles, findOmitted } from "../../../src/classify/articles/find_articles.ts";
import { foldText } from "../../../src/classify/phrases/fold_text.ts";

/** JSON lines: a text (a title, and a summary after a line break) and the references that it cites. */
const CITATIONS = new URL("./citations.jsonl", import.meta.url);

function cited(text: string): string[] {
  const [title = "", summary = ""] = text.split("\n");
  const folded = `${foldText(title, 1_000).text}\n${foldText(summary, 1_000).text}`;
  return findArticles(folded).map(({ canonical }) => canonical);
}

Deno.test("findArticles() finds citations of the AI Act, not counts, other laws or the proposal", () => {
  const lines = Deno.readTextFileSync(CITATIONS).trim().split("\n");
  assert.ok(lines.length >= 465);
  for (const line of lines) {
    const [text, expected] = JSON.parse(line);
    assert.equal(cited(text).join("; "), expected, text);
  }
});

Deno.test("findArticles() does not continue the name of a law beyond the title", () => {
  assert.deepEqual(cited("Article 5 of the AI Act\nDigital Markets Act"), ["Art. 5"]);
});

Deno.test("findArticles() returns only numbers that exist in the Act", () => {
  const known = new Set([...AI_ACT.articles.keys()].map((number) => `Art. ${number}`));
  for (let number = 0; number <= 200; number++) {
    for (const suffix of ["", "a", "b", "e"]) {
      const reference = `Art. ${number}${suffix}`;
      assert.deepEqual(cited(`${reference} KI-VO`), known.has(reference) ? [reference] : [], reference);
    }
  }
  assert.equal(cited("Articles 1 to 150 of the AI Act").length, 113);
  assert.equal(cited("recitals 1 to 300 of the AI Act").every((one) => Number(one.slice(8)) <= 180), true);
});

Deno.test("findOmitted() says why a cited reference is not one of the AI Act", () => {
  const rows: [text: string, namesTheAct: boolean, omitted: [canonical: string, why: string][]][] = [
    ["Article 50 of the AI Act", true, []],
    ["Decision 2 on transparency, Article 50", false, [[
      "Art. 50",
      "cited, but the text does not name the AI Act",
    ]]],
    ["AI Act: Article 50, and Article 6 of the GDPR", true, [[
      "Art. 6",
      "cited as an article of another law",
    ]]],
    ["Article 500 of the AI Act", true, [["Art. 500", "cited, but not in the AI Act"]]],
  ];
  for (const [text, namesTheAct, expected] of rows) {
    const omitted = findOmitted(text, namesTheAct).map(({ canonical, why }) => [canonical, why]);
    assert.deepEqual(omitted, expected, text);
  }
});
