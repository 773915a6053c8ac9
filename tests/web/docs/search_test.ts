// The search of the documentation: ranking, excerpts, accents, and bounds.
import assert from "node:assert/strict";
import { createSearchIndex, type SearchSection, wordsOf } from "../../../src/web/docs/search.ts";

const section = (change: Partial<SearchSection>): SearchSection => ({
  url: "/",
  title: "",
  heading: "",
  text: "",
  language: "en",
  ...change,
});

Deno.test("titles come before headings and headings before text, and only sections with the most words are found", () => {
  const index = createSearchIndex([
    section({ url: "text", title: "Other", heading: "Other", text: "How errors are retried. errors errors" }),
    section({ url: "heading", title: "Other", heading: "All errors", text: "" }),
    section({ url: "title", title: "Errors" }),
    section({ url: "both", title: "Other", text: "an error and errors of the quota" }),
    section({ url: "changelog", title: "Other", heading: "Errors", isSecondary: true }),
    section({ url: "keywords", title: "Other", heading: "Lists events", keywords: "GET /v1/events" }),
  ]);
  const found = (query: string) => index.find(query).map(({ url }) => url);
  assert.deepEqual(found("errors"), ["title", "heading", "text", "changelog", "both"]);
  assert.deepEqual(found("errors quota"), ["both"]);
  assert.deepEqual(found("errors nowhere").length, 5);
  assert.deepEqual(found("GET /v1/events")[0], "keywords");
  assert.deepEqual(found("nothing"), []);
  assert.deepEqual(found("  \"' "), []);
});

Deno.test("words match at the beginning of words, without case and accents, and in names with underscores", () => {
  const rows: [text: string, query: string, matches: boolean][] = [
    ["Verify every delivery", "verif", true],
    ["Verify every delivery", "livery", false],
    ["Les événements reçus", "evenements", true],
    ["Größe", "grö", true],
    ["severity_min", "severity_min", true],
    ["severity_min", "min", true],
    ["X-RateLimit-Reset", "x-ratelimit", true],
  ];
  for (const [text, query, matches] of rows) {
    assert.equal(
      createSearchIndex([section({ text })]).find(query).length,
      matches ? 1 : 0,
      `${query}: ${text}`,
    );
  }
});

Deno.test("an excerpt begins near the first match, ends with whole words, and marks every match", () => {
  const text = `${"before ".repeat(40)}the Größe counts, größe again ${"after ".repeat(80)}`;
  const [result] = createSearchIndex([section({ text })]).find("grosse größe");
  const parts = result?.excerpt ?? [];
  assert.deepEqual(parts.filter(({ isMarked }) => isMarked).map((part) => part.text), ["Größe", "größe"]);
  const shown = parts.map((part) => part.text).join("");
  assert.match(shown, /^… before .* the Größe counts, größe again after .* after …$/);
  assert.ok(shown.length < 240, `${shown.length} characters`);
});

Deno.test("a query has at most eight words, each once, from its first hundred characters", () => {
  assert.deepEqual(wordsOf("a b a c d e f g h i j"), ["a", "b", "c", "d", "e", "f", "g", "h"]);
  assert.equal(wordsOf("x".repeat(10_000)).join("").length, 100);
});
