// Monitors the main thread's event loop: its delay, the longest pause, and the work that caused it.
import process from "node:process";
import type { EventLoop } from "../../domain/ports/event_loop.ts";
import type { Metrics } from "../../domain/ports/metrics.ts";
import type { Log } from "../../domain/ports/ports.ts";

/** Interval of the checks, ms. A measured pause may be this much too short. */
const EVERY_MS = 100;
/** Minimum duration of a pause that is logged, ms. */
const LONG_MS = 1_000;
/** Length of a window, ms. The longest pause of two windows is reported, so that a scrape every minute misses none. */
const WINDOW_MS = 60_000;
const LAG_BOUNDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

interface MonitorOptions {
  log: Log;
  observeLag(seconds: number): void;
}

/** Measures monotonic time, which stops while the machine is suspended, and the CPU time of this process, in ms. */
interface Meter {
  nowMs(): number;
  cpuMs(): number;
}

const REAL_METER: Meter = {
  nowMs: () => performance.now(),
  cpuMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  },
};

/** Monitors the event loop of this thread. A pause is attributed to the longest work since the last check. */
export class EventLoopMonitor implements EventLoop {
  readonly #meter: Meter;
  #work = "no named work";
  #beganMs: number;
  #longestWork = "";
  #longestWorkMs = -1;
  #checkedAtCpuMs: number;
  #windowEndsMs: number;
  #longestMs = 0;
  #longestBeforeMs = 0;

  constructor(meter: Meter = REAL_METER) {
    this.#meter = meter;
    this.#beganMs = meter.nowMs();
    this.#checkedAtCpuMs = meter.cpuMs();
    this.#windowEndsMs = this.#beganMs + WINDOW_MS;
  }

  begin(work: string): void {
    this.#endWork(this.#meter.nowMs());
    this.#work = work;
  }

  longestPauseMs(): number {
    return Math.round(Math.max(this.#longestMs, this.#longestBeforeMs));
  }

  /** Checks the loop, which should have woken at `dueMs`. */
  check(dueMs: number, { log, observeLag }: MonitorOptions): void {
    const nowMs = this.#meter.nowMs();
    const cpuMs = this.#meter.cpuMs();
    this.#endWork(nowMs);
    const lateMs = Math.max(0, nowMs - dueMs);
    observeLag(lateMs / 1_000);
    this.#keep(lateMs, nowMs);
    if (lateMs >= LONG_MS) {
      log.warn("the main thread stalled", {
        pause_ms: Math.round(lateMs),
        work: this.#longestWork,
        work_ms: Math.round(this.#longestWorkMs),
        // If this is much less than the pause, the machine was busy.
        cpu_ms: Math.round(cpuMs - this.#checkedAtCpuMs),
      });
    }
    this.#longestWorkMs = -1;
    this.#checkedAtCpuMs = cpuMs;
  }

  /** Checks the loop regularly until the returned function is called. */
  watch(options: MonitorOptions): () => void {
    let dueMs = this.#meter.nowMs() + EVERY_MS;
    const timer = setInterval(() => {
      this.check(dueMs, options);
      dueMs = this.#meter.nowMs() + EVERY_MS;
    }, EVERY_MS);
    return () => clearInterval(timer);
  }

  #endWork(nowMs: number): void {
    const ms = nowMs - this.#beganMs;
    if (ms > this.#longestWorkMs) {
      this.#longestWorkMs = ms;
      this.#longestWork = this.#work;
    }
    this.#beganMs = nowMs;
  }

  #keep(lateMs: number, nowMs: number): void {
    if (nowMs >= this.#windowEndsMs) {
      this.#longestBeforeMs = this.#longestMs;
      this.#longestMs = 0;
      this.#windowEndsMs = nowMs + WINDOW_MS;
    }
    this.#longestMs = Math.max(this.#longestMs, lateMs);
  }
}

/** Adds the metrics of the event loop and starts to monitor it. Returns a function that stops monitoring. */
export function measureEventLoop(monitor: EventLoopMonitor, metrics: Metrics, log: Log): () => void {
  const lag = metrics.histogram({
    name: "regfeed_event_loop_lag_seconds",
    help: "Delay of the event loop, seconds.",
    bounds: LAG_BOUNDS,
  });
  metrics.gauge({
    name: "regfeed_event_loop_longest_pause_seconds",
    help: "Longest pause of the main thread in the last one to two minutes.",
  }, () => [{ value: monitor.longestPauseMs() / 1_000 }]);
  return monitor.watch({ log, observeLag: (seconds) => lag.observe([], seconds) });
}
