// The event loop monitor: when a stall is logged, and what explains it.
import assert from "node:assert/strict";
import { NO_TRACER } from "../../../src/domain/ports/tracer.ts";
import { nameActs, nameCalls } from "../../../src/domain/ports/event_loop.ts";
import { createMetrics } from "../../../src/domain/ports/metrics.ts";
import type { Log, LogFields } from "../../../src/domain/ports/ports.ts";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import { EventLoopMonitor, measureEventLoop } from "../../../src/platform/process/event_loop_monitor.ts";

function createMonitor() {
  const time = { nowMs: 1_000, cpuMs: 0 };
  const monitor = new EventLoopMonitor({ nowMs: () => time.nowMs, cpuMs: () => time.cpuMs });
  const logged: LogFields[] = [];
  const log = { warn: (_: string, fields: LogFields) => void logged.push(fields) } as unknown as Log;
  const lags: number[] = [];
  return {
    monitor,
    logged,
    lags,
    /** Advances time and CPU time without a check. */
    spend(ms: number, cpuMs = ms) {
      time.nowMs += ms;
      time.cpuMs += cpuMs;
    },
    look(lateMs: number) {
      monitor.check(time.nowMs - lateMs, { log, observeLag: (seconds) => void lags.push(seconds) });
    },
  };
}

Deno.test("a stall of over a second is logged with the longest work since the last check", () => {
  const { monitor, logged, lags, spend, look } = createMonitor();
  monitor.begin("fetch document eu");
  spend(100);
  look(0);
  spend(20);
  monitor.begin("GET /v1/events");
  spend(30);
  monitor.begin("ingest document eu");
  spend(2_950);
  monitor.begin("store.claimSources");
  spend(10);
  look(2_910);
  assert.deepEqual(logged, [{ pause_ms: 2_910, work: "ingest document eu", work_ms: 2_950, cpu_ms: 3_010 }]);
  assert.equal(monitor.longestPauseMs(), 2_910);
  assert.deepEqual(lags, [0, 2.91]);
});

Deno.test("a stall can be explained by work that began before the last check", () => {
  const { monitor, logged, spend, look } = createMonitor();
  monitor.begin("make backup");
  spend(100);
  look(0);
  spend(1_600);
  look(1_500);
  assert.deepEqual(logged, [{ pause_ms: 1_500, work: "make backup", work_ms: 1_600, cpu_ms: 1_600 }]);
});

Deno.test("the longest stall of the last one to two minutes is reported", () => {
  const { monitor, spend, look } = createMonitor();
  const seen: number[] = [];
  for (const lateMs of [500, 100, 200, 0]) {
    spend(lateMs);
    look(lateMs);
    seen.push(monitor.longestPauseMs());
    spend(60_000);
  }
  assert.deepEqual(seen, [500, 500, 200, 200]);
});

Deno.test("a real stall is measured, logged and shown in the metrics", async () => {
  const monitor = new EventLoopMonitor();
  const metrics = createMetrics();
  const logged: LogFields[] = [];
  const log = { warn: (_: string, fields: LogFields) => void logged.push(fields) } as unknown as Log;
  const stop = measureEventLoop(monitor, metrics, log);
  await new Promise((later) => setTimeout(later, 250));
  monitor.begin("the work of this test");
  for (const endMs = performance.now() + 1_500; performance.now() < endMs;);
  monitor.begin("what comes after it");
  for (let tries = 0; logged.length === 0 && tries < 100; tries++) {
    await new Promise((later) => setTimeout(later, 50));
  }
  stop();
  assert.equal(logged[0]?.["work"], "the work of this test");
  assert.ok(Number(logged[0]?.["pause_ms"]) >= 1_300);
  const shown = /^regfeed_event_loop_longest_pause_seconds (\S+)$/m.exec(await metrics.render())?.[1];
  assert.ok(Number(shown) >= 1.3, shown);
});

Deno.test("log entries name the source of work, and the method of store calls", async () => {
  const begun: string[] = [];
  const eventLoop = { begin: (work: string) => void begun.push(work), longestPauseMs: () => 0 };
  const tracer = nameActs(NO_TRACER, eventLoop);
  assert.equal(await tracer.act("ingest document", { source: "eu" }, () => Promise.resolve(1)), 1);
  assert.equal(await tracer.act("send mail", { mail: "mail_1" }, () => Promise.resolve(2)), 2);
  const store = nameCalls({ findEvent: (id: string) => id } as unknown as Store, eventLoop);
  assert.equal(await store.findEvent("evt_1"), "evt_1");
  assert.deepEqual(begun, ["ingest document eu", "send mail", "store.findEvent"]);
});
