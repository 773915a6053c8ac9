// The redline: what a reader sees of the changes between two texts.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import { redline, type RedlinePart } from "../../../src/domain/event/redline.ts";

/** Writes a comparison as text: [-removed-] and {+added+}. */
const written = (parts: readonly RedlinePart[]): string =>
  parts.map((part) =>
    "kept" in part
      ? part.kept
      : (part.removed === "" ? "" : `[-${part.removed}-]`) + (part.added === "" ? "" : `{+${part.added}+}`)
  ).join("");

Deno.test("redline() shows changed words, and does not break a change at short words", () => {
  const rows: [before: string, after: string, expected: string][] = [
    ["same", "same", "same"],
    ["", "", ""],
    ["", "new text", "{+new text+}"],
    ["old text", "", "[-old text-]"],
    ["Reply by 2 May 2026.", "Reply by 9 May 2026.", "Reply by [-2-]{+9+} May 2026."],
    ["Providers shall document.", "Providers must document.", "Providers [-shall-]{+must+} document."],
    ["A draft code.", "A final draft code.", "A {+final +}draft code."],
    ["Fines up to 7 % apply.", "Fines apply.", "Fines [-up to 7 % -]apply."],
    ["Die KI-Verordnung gilt.", "Die KI-Behörde gilt.", "Die KI-[-Verordnung-]{+Behörde+} gilt."],
    ["Prêt à l’emploi", "Prêt a l’emploi", "Prêt [-à-]{+a+} l’emploi"],
    [
      "Until 1 May 2026. It is open.",
      "Until 3 June 2027. All is closed.",
      "Until [-1 May 2026-]{+3 June 2027+}. [-It-]{+All+} is [-open-]{+closed+}.",
    ],
    [
      "The office publishes the guidelines of May.",
      "A board withdraws the standards of May.",
      "[-The office publishes the guidelines-]{+A board withdraws the standards+} of May.",
    ],
  ];
  for (const [before, after, expected] of rows) assert.equal(written(redline(before, after)), expected);
});

Deno.test("redline() loses and invents no text", () => {
  const text = fc.oneof(
    fc.array(fc.constantFrom("the", "of", "risk", " ", ". ", "ä", "\u{1f600}", "\ud800"), { maxLength: 40 })
      .map((words) => words.join("")),
    fc.string({ unit: "binary" }),
  );
  fc.assert(fc.property(text, text, (before, after) => {
    const parts = redline(before, after);
    const side = (of: "removed" | "added") =>
      parts.map((part) => "kept" in part ? part.kept : part[of]).join("");
    assert.deepEqual([side("removed"), side("added")], [before.toWellFormed(), after.toWellFormed()]);
    const kinds = parts.map((part) => "kept" in part);
    assert.ok(
      kinds.every((kind, at) => at === 0 || kind !== kinds[at - 1]),
      "parts of the same kind are joined",
    );
  }));
});

Deno.test("redline() needs little time for long texts with nothing in common", () => {
  const rows: [before: string, after: string][] = [
    ["a ".repeat(5_000), "b ".repeat(5_000)],
    [".-".repeat(5_000), "-:".repeat(5_000)],
    ["a b ".repeat(2_500), "b a c ".repeat(1_666)],
  ];
  for (const [before, after] of rows) {
    const startMs = performance.now();
    assert.equal(redline(before, after).some((part) => "removed" in part), true);
    assert.ok(performance.now() - startMs < 500);
  }
});
