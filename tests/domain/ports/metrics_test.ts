// The text format of metrics, and the limit on their number of series.
import assert from "node:assert/strict";
import { createMetrics } from "../../../src/domain/ports/metrics.ts";

Deno.test("counters, gauges and histograms are rendered in the exposition format", async () => {
  const metrics = createMetrics();
  const responses = metrics.counter({
    name: "responses_total",
    help: "Responses\nby \\ status.",
    labels: ["route", "status"],
  });
  responses.add(["/v1/events", "200"]);
  responses.add(["/v1/events", "200"], 2);
  responses.add(['a"b\\c\nd', "404"]);
  const seconds = metrics.histogram({
    name: "work_seconds",
    help: "Time.",
    labels: ["route"],
    bounds: [0.1, 1],
  });
  for (const value of [0.05, 0.1, 0.5, 7]) seconds.observe(["/x"], value);
  metrics.gauge({ name: "queue_size", help: "Waiting." }, () => [{ value: 3 }]);
  metrics.gauge(
    { name: "by_state", help: "By state.", labels: ["state"] },
    () => Promise.resolve([{ labels: ["a"], value: 1 }, { labels: ["b"], value: Infinity }]),
  );
  metrics.gauge({ name: "broken", help: "Cannot be read." }, () => Promise.reject(new Error("no")));
  assert.equal(
    await metrics.render(),
    `# HELP responses_total Responses\\nby \\\\ status.
# TYPE responses_total counter
responses_total{route="/v1/events",status="200"} 3
responses_total{route="a\\"b\\\\c\\nd",status="404"} 1
# HELP work_seconds Time.
# TYPE work_seconds histogram
work_seconds_bucket{route="/x",le="0.1"} 2
work_seconds_bucket{route="/x",le="1"} 3
work_seconds_bucket{route="/x",le="+Inf"} 4
work_seconds_sum{route="/x"} 7.65
work_seconds_count{route="/x"} 4
# HELP queue_size Waiting.
# TYPE queue_size gauge
queue_size 3
# HELP by_state By state.
# TYPE by_state gauge
by_state{state="a"} 1
by_state{state="b"} +Inf
`,
  );
});

Deno.test("a metric keeps a bounded number of series, and loses no count", async () => {
  const metrics = createMetrics();
  const counter = metrics.counter({ name: "seen_total", help: "Seen.", labels: ["what"] });
  for (let number = 0; number < 5_000; number++) counter.add([`thing-${number}`]);
  const lines = (await metrics.render()).trim().split("\n").slice(2);
  assert.equal(lines.length, 2_001);
  assert.equal(lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0), 5_000);
  assert.ok(lines.includes('seen_total{what="other"} 3000'));
});

Deno.test("metrics have valid and unique names", () => {
  const metrics = createMetrics();
  metrics.counter({ name: "one_total", help: "One." });
  const again = () => metrics.gauge({ name: "one_total", help: "Two." }, () => []);
  assert.throws(again, /two metrics have the name/);
  assert.throws(() => metrics.counter({ name: "1x", help: "" }), /not a valid metric name/);
});
