// The patterns of the classifier's lists become regular expressions at startup, and each takes linear time.
import assert from "node:assert/strict";
import process from "node:process";
import { EVENT_TYPE_DATA, RELEVANCE_DATA, SEVERITY_DATA } from "../../src/classify/data.ts";
import { buildPatternIndex, findPatterns } from "../../src/classify/phrases/find_patterns.ts";
import { foldText } from "../../src/classify/phrases/fold_text.ts";

/** Twice the number of characters that are read from a summary. */
const CHARACTERS = 20_000;
/** Linear time takes about 1 ms, and quadratic time more than a second. */
const MOST_MS = 200;

const rules = [...EVENT_TYPE_DATA.rules, ...SEVERITY_DATA.signals.values()];
const patterns = new Set([
  ...RELEVANCE_DATA.staff,
  ...rules.flatMap(({ title, category, summary }) => [...title, ...category, ...summary]),
  ...EVENT_TYPE_DATA.rules.flatMap(({ unless }) => unless),
]);

/**
 * Returns texts that repeat the words of a pattern: all of them, the first one, all but the last, and all without
 * spaces.
 */
function textsFor(pattern: string): string[] {
  const words = pattern.replace(/[\^$*…#()|]/g, " ").split(/\s+/).filter((word) => word !== "");
  const repeated = (text: string) => `${text} `.repeat(CHARACTERS / (text.length + 1));
  return [
    repeated(words.join(" ")),
    repeated(words[0] ?? ""),
    repeated(words.slice(0, -1).join(" ")),
    words.join("")
      .repeat(CHARACTERS / words.join("").length),
  ];
}

Deno.test("every pattern of the classifier's lists is searched for in linear time", () => {
  assert.ok(patterns.size > 100);
  for (const pattern of patterns) {
    const index = buildPatternIndex([{ pattern, value: true }]);
    for (const text of textsFor(pattern)) {
      const folded = foldText(text, CHARACTERS);
      const start = process.cpuUsage();
      findPatterns(index, folded);
      const { user } = process.cpuUsage(start);
      assert.ok(user / 1_000 < MOST_MS, `${pattern} takes ${user / 1_000} ms in "${text.slice(0, 60)}…"`);
    }
  }
});
