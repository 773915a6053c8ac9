// The log of an ingestion contains no private values from documents.
import assert from "node:assert/strict";
import { redactingLog } from "../../src/ingest/redacting_log.ts";
import { fakePlatform } from "../support/platform.ts";
import { boardConfig } from "../support/samples.ts";
import { START_MS, withWorld } from "../support/world.ts";

Deno.test("redactingLog() removes email addresses and the queries of URLs", () => {
  const rows: [text: string, logged: string][] = [
    ["ana@board.example", "…"],
    ["write to <ana.b+c@board.example>, or call", "write to <…>, or call"],
    ["Müller’s müller@behörde.example!", "Müller’s …"],
    ["https://ana:pass@board.example/papers", "…"],
    ["https://board.example/papers?key=5a#top is gone", "https://board.example/papers is gone"],
    ["@board and 5 @ 3", "@board and 5 @ 3"],
  ];
  const { log, lines } = fakePlatform(START_MS);
  const redacted = redactingLog(log("ingest"));
  for (const [said, logged] of rows) {
    for (const level of ["debug", "info", "warn", "error"] as const) {
      redacted[level]("said", { said, list: [said], count: 1, none: null });
      assert.deepEqual(lines.pop(), {
        area: "ingest",
        level,
        message: "said",
        fields: { said: logged, list: [logged], count: 1, none: null },
      });
    }
  }
});

Deno.test("email addresses of refused items and pages are not logged", () =>
  withWorld(boardConfig(), async ({ app, platform }) => {
    const bodies = [
      "<rss><channel><item><guid>ana@board.example</guid></item></channel></rss>",
      "<rss><channel><item><link>mailto:ana@board.example?subject=x</link></item></channel></rss>",
      "ana@board.example does not live here",
      "<ana@board.example>",
      "<html><title>ana@board.example</title></html>",
    ];
    await app.ingest.register();
    for (const body of bodies) {
      platform.http.serve("https://board.example/feed", () => ({ body }));
      await platform.clock.advance(86_400_000);
      const [report] = await app.ingest.ingest(["board"]);
      assert.ok(report?.ok === false || report?.refused.length === 1, body);
      const { message, fields } = platform.lines.findLast(({ level }) => level === "warn") ?? {};
      assert.match(`${message}`, /^(?:some items were refused|source failed)/);
      assert.doesNotMatch(JSON.stringify(fields), /ana@/, body);
    }
  }));
