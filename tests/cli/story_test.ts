// The demo's story on terminals of several widths.
import assert from "node:assert/strict";
import { createStory } from "../../src/cli/demo/story.ts";
import type { RegEvent } from "../../src/domain/event.ts";

const LONG = "A title that goes on and on about the transparency obligations of the AI Act ".repeat(4);
const EVENT = {
  severity: "critical",
  language: "de",
  version: 1,
  event_type: "consultation",
  title_en: LONG,
  ai_act_articles: ["Art. 5(1)(f)", "Art. 50(2)", "Art. 50(4)", "Annex III"],
} as RegEvent;

function tell(columns: number, hasColours: boolean): string {
  let told = "";
  const story = createStory((text) => told += text, { hasColours, columns });
  story.step(LONG);
  story.line(LONG);
  story.stored(EVENT);
  story.arrived({ name: "everything", type: "event.published", title: LONG, language: "en", sequence: 12 });
  story.difference(
    {
      summary: "Summary changed",
      changes: [{ field: "summary_en", before: LONG, after: `${LONG}Indeed.` }],
    } as unknown as Parameters<typeof story.difference>[0],
  );
  story.end("8 of 8 promised deliveries arrived", true);
  return told;
}

// deno-lint-ignore no-control-regex
const bare = (text: string): string => text.replace(/\x1b\[[0-9;]*m/g, "");

Deno.test("createStory() cuts every line to the terminal's width, colours not counted", () => {
  for (const columns of [40, 80, 120, Infinity]) {
    const plain = tell(columns, false);
    for (const line of plain.split("\n")) assert.ok(line.length <= columns, `${columns}: ${line}`);
    assert.equal(bare(tell(columns, true)), plain, `${columns}`);
    assert.ok(tell(columns, true).trimEnd().endsWith("\x1b[0m"), "colours end");
  }
  assert.ok(tell(Infinity, false).includes(LONG), "nothing is cut where nobody looks");
});

Deno.test("createStory() marks the end, so that it is no step", () => {
  assert.match(tell(80, false), /^ 1 {2}A title/m);
  assert.match(tell(80, false), /^ ✓ {2}8 of 8 promised/m);
  let told = "";
  createStory((text) => told += text, { hasColours: false, columns: 80 }).end("7 of 8", false);
  assert.equal(told, "\n ✗  7 of 8\n");
});
