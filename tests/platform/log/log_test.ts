// The formats of log lines, their levels, and the redaction of keys.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { LogRecord } from "@logtape/logtape";
import { formatJson, textFormat } from "../../../src/platform/log/log.ts";

function record(more: Partial<LogRecord> = {}): LogRecord {
  return {
    category: ["regfeed", "ingest"],
    level: "info",
    message: ["fetched"],
    rawMessage: "fetched",
    timestamp: Date.UTC(2026, 6, 31, 12, 0, 0, 5),
    properties: {},
    ...more,
  };
}

Deno.test("formatJson() writes one line with time, level, area, message and the fields", () => {
  const line = formatJson(
    record({
      level: "warning",
      properties: { source: "eu", items: 3, ok: false, none: null, ids: ["a", "b"] },
    }),
  );
  assert.equal(
    line,
    '{"time":"2026-07-31T12:00:00.005Z","level":"warn","area":"ingest","message":"fetched",' +
      '"source":"eu","items":3,"ok":false,"none":null,"ids":["a","b"]}\n',
  );
});

Deno.test("formatJson() keeps fields with the names of its own keys", () => {
  const line = JSON.parse(formatJson(record({ properties: { level: "high", message: "a" } })));
  assert.deepEqual([line.level, line.level_, line.message, line.message_], ["info", "high", "fetched", "a"]);
});

Deno.test("textFormat() writes a line of text and quotes ambiguous values", () => {
  const format = textFormat(false);
  const rows: [LogRecord["properties"], string][] = [
    [{}, ""],
    [{ id: "eu", new: 3, ok: true, none: null }, " id=eu new=3 ok=true none=null"],
    [
      { error: "it broke", empty: "", quoted: 'a"b', pair: "a=b" },
      ' error="it broke" empty="" quoted="a\\"b" pair="a=b"',
    ],
    [{ ids: ["a", "b c"] }, ' ids=["a","b c"]'],
    [{ url: "http://127.0.0.1:8080/v1" }, " url=http://127.0.0.1:8080/v1"],
    // Text from outside can neither start a new line nor move the cursor.
    [{ title: "a\nb" }, ' title="a\\nb"'],
    [{ title: "\u001b[2Ja" }, ' title="\\u001b[2Ja"'],
    [{ title: "a\u009bb\u2028c\u202ed" }, ' title="a\\u009bb\\u2028c\\u202ed"'],
  ];
  for (const [properties, fields] of rows) {
    assert.equal(
      format(record({ properties })),
      `2026-07-31T12:00:00.005Z INFO  ingest   fetched${fields}\n`,
    );
  }
  assert.equal(
    format(record({ level: "error", rawMessage: "a\nb" })),
    "2026-07-31T12:00:00.005Z ERROR ingest   a\\u000ab\n",
  );
});

Deno.test("textFormat() separates message and values from the rest by colours", () => {
  assert.equal(
    textFormat(true)(record({ level: "warning", properties: { source: "eu" } })),
    "\x1b[2m2026-07-31T12:00:00.005Z\x1b[0m \x1b[33mWARN \x1b[0m \x1b[36mingest  \x1b[0m fetched " +
      "\x1b[2msource=\x1b[0meu\n",
  );
});

Deno.test("formatJson() and textFormat() redact keys in messages, values and lists", () => {
  const key = `rgf_${"a1".repeat(32)}`;
  const secret = record({
    rawMessage: `got ${key}`,
    properties: { header: `Bearer ${key}`, keys: ["x", key], quoted: `a "${key}"` },
  });
  for (const line of [formatJson(secret), textFormat(false)(secret)]) {
    assert.ok(!line.includes("a1a1"), line);
    assert.equal(line.match(/\[redacted\]/g)?.length, 4, line);
  }
});

Deno.test("createLogs() applies levels by area", async () => {
  const script = `
    import { createLogs } from ${
    JSON.stringify(new URL("../../../src/platform/log/log.ts", import.meta.url).href)
  };
    const levels = { delivery: "debug", mail: "error" };
    const { log } = createLogs({ format: "json", level: "info", levels });
    for (const area of ["api", "delivery", "mail"]) {
      for (const level of ["debug", "info", "warn", "error"]) log(area)[level](level);
    }`;
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["eval", script],
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  }).output();
  const lines = new TextDecoder().decode(output.stderr).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(lines.map(({ area, message }) => `${area} ${message}`), [
    ...["api info", "api warn", "api error"],
    ...["delivery debug", "delivery info", "delivery warn", "delivery error"],
    "mail error",
  ]);
});

Deno.test("createLogs() writes whole lines to stderr, even right before the process ends", async () => {
  const script = `
    import { createLogs } from ${
    JSON.stringify(new URL("../../../src/platform/log/log.ts", import.meta.url).href)
  };
    const log = createLogs({ format: "json", level: "warn" }).log("api");
    log.debug("no"); log.info("no");
    log.warn("a warning with {braces}", { count: 1 });
    for (let index = 0; index < 5_000; index++) log.error("an error", { index, filler: "x".repeat(100) });
    Deno.exit(0);`;
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["eval", script],
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
  }).output();
  assert.equal(new TextDecoder().decode(output.stdout), "");
  const lines = new TextDecoder().decode(output.stderr).trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.equal(lines.length, 5_001);
  assert.equal(lines[0].message, "a warning with {braces}");
  assert.deepEqual(
    lines.slice(1).map(({ index }) => index),
    Array.from({ length: 5_000 }, (_, index) => index),
  );
});
