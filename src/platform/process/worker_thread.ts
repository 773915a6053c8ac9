// Worker threads. Each one runs tasks by name, one at a time, with limits on time and memory.
import { Script } from "node:vm";
import { parentPort, Worker } from "node:worker_threads";
import { type TaskLimits, WorkerLimitError, type WorkerThread } from "../../domain/ports/ports.ts";

/** Idle time after which a worker ends, ms. */
const IDLE_MS = 30_000;
/** Time limit for loading a worker's program, ms. */
const START_MS = 60_000;
/** Time limit for a worker to report that a task has run out of time, ms. */
const REPORT_MS = 1_000;
/** Interval of the memory checks while a task runs, ms. */
const MEMORY_CHECK_MS = 50;
/** Maximum number of elements in one message. Receiving a long message blocks the main thread. */
const ELEMENTS = 250;
const MB = 1024 * 1024;

export interface Thread extends WorkerThread {
  /** Terminates the worker and rejects every call. A later call starts a new worker. */
  end(): void;
}

export interface ThreadOptions {
  idleMs?: number;
  /** Time after which a task is stopped, ms. The task runs again with its own time limit once no other task waits. */
  firstTryMs?: number;
  /** Limit on the worker's heap, MB. Exceeding the runtime's own limit would end the process. */
  maxHeapMb?: number;
}

const MORE = "more";

interface Request {
  task: string;
  argument: unknown;
  timeoutMs: number | undefined;
}

type Response =
  | { kind: "ready" }
  | { kind: "elements"; elements: unknown[]; isLast: boolean }
  | { kind: "result"; result: unknown }
  | { kind: "timeout" }
  | { kind: "error"; name: string; message: string };

interface Call extends Request, PromiseWithResolvers<unknown> {
  /** The elements of an array that have been received. */
  elements: unknown[];
  isFirstTry: boolean;
}

/** Creates a thread for a program. Its worker starts with the first call and ends when idle. */
export function createThread(program: URL, options: ThreadOptions = {}): Thread {
  return new QueuedThread(program, options);
}

class QueuedThread implements Thread {
  readonly #queue: Call[] = [];
  /** Calls whose first try took too long. */
  readonly #slowQueue: Call[] = [];
  #worker: Worker | null = null;
  #isReady = false;
  #running: Call | null = null;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #timers: ReturnType<typeof setTimeout>[] = [];

  constructor(readonly program: URL, readonly options: ThreadOptions) {}

  async call(task: string, argument: unknown, { timeoutMs, signal }: TaskLimits = {}): Promise<unknown> {
    signal?.throwIfAborted();
    const call: Call = {
      ...{ task, argument, timeoutMs, elements: [], isFirstTry: true },
      ...Promise.withResolvers<unknown>(),
    };
    const abort = () => this.#cancel(call, signal?.reason);
    signal?.addEventListener("abort", abort);
    this.#queue.push(call);
    this.#startNext();
    try {
      return await call.promise;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  end(): void {
    const error = new Error("the worker thread was terminated");
    for (const queue of [this.#queue, this.#slowQueue]) {
      for (const call of queue.splice(0)) call.reject(error);
    }
    this.#terminate(error);
    clearTimeout(this.#idleTimer);
  }

  #startNext(): void {
    if (this.#running !== null) return;
    clearTimeout(this.#idleTimer);
    const call = this.#queue.shift() ?? this.#slowQueue.shift();
    if (call === undefined) {
      if (this.#worker !== null) {
        this.#idleTimer = setTimeout(() => this.end(), this.options.idleMs ?? IDLE_MS);
      }
      return;
    }
    this.#running = call;
    try {
      this.#worker ??= this.#startWorker();
      const { task, argument } = call;
      this.#worker.postMessage({ task, argument, timeoutMs: this.#timeLimit(call) } satisfies Request);
      if (this.#isReady) this.#watch(call);
      else this.#within(START_MS, new Error(`the worker thread did not start within ${START_MS / 1_000} s`));
    } catch (error) {
      this.#finish(() => call.reject(error)); // the argument cannot be cloned
    }
  }

  #startWorker(): Worker {
    const { maxHeapMb } = this.options;
    const worker = new Worker(
      this.program,
      maxHeapMb === undefined ? {} : { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } },
    );
    this.#isReady = false;
    worker.on("message", (response: Response) => {
      if (worker === this.#worker && this.#running !== null) this.#take(response, this.#running);
    });
    worker.on("error", (error: Error & { code?: string }) => {
      if (worker !== this.#worker) return;
      const isMemory = error.code === "ERR_WORKER_OUT_OF_MEMORY" && maxHeapMb !== undefined;
      this.#terminate(
        isMemory
          ? new WorkerLimitError("memory", maxHeapMb * MB)
          : new Error(`the worker thread failed: ${error.message}`),
      );
    });
    worker.on("exit", () => {
      if (worker === this.#worker) this.#terminate(new Error("the worker thread exited"));
    });
    return worker;
  }

  #take(response: Response, call: Call): void {
    switch (response.kind) {
      case "ready":
        this.#isReady = true;
        this.#clearTimers();
        return this.#watch(call);
      case "elements":
        this.#clearTimers(); // the task is done
        for (const element of response.elements) call.elements.push(element);
        if (response.isLast) return this.#finish(() => call.resolve(call.elements));
        // Requests the next message in a separate callback, because queued messages are received without a pause.
        return void setImmediate(() => {
          if (call === this.#running) this.#worker?.postMessage(MORE);
        });
      case "result":
        return this.#finish(() => call.resolve(response.result));
      case "timeout":
        return this.#terminate(new WorkerLimitError("time", this.#timeLimit(call) ?? 0));
      case "error": {
        const { name, message } = response;
        return this.#finish(() => call.reject(Object.assign(new Error(message), { name })));
      }
    }
  }

  /**
   * The worker itself stops a task that runs out of time, because terminating a worker stops running code only after
   * seconds (Deno 2.4) or never (Deno 2.9). Code that the worker cannot stop, such as JSON.parse(), is abandoned here.
   * Memory is checked because Deno 2.4 ignores the heap limit.
   */
  #watch(call: Call): void {
    const { maxHeapMb } = this.options;
    const timeoutMs = this.#timeLimit(call);
    if (timeoutMs !== undefined) {
      this.#within(timeoutMs + REPORT_MS, new WorkerLimitError("time", timeoutMs));
    }
    if (maxHeapMb === undefined) return;
    const limit = Deno.memoryUsage().rss + maxHeapMb * MB;
    this.#timers.push(setInterval(() => {
      if (Deno.memoryUsage().rss > limit) this.#terminate(new WorkerLimitError("memory", maxHeapMb * MB));
    }, MEMORY_CHECK_MS));
  }

  #timeLimit({ timeoutMs, isFirstTry }: Call): number | undefined {
    const { firstTryMs = Infinity } = this.options;
    return timeoutMs === undefined || !isFirstTry ? timeoutMs : Math.min(timeoutMs, firstTryMs);
  }

  #within(ms: number, error: Error): void {
    this.#timers.push(setTimeout(() => this.#terminate(error), ms));
  }

  #cancel(call: Call, reason: unknown): void {
    if (call === this.#running) return this.#terminate(reason);
    for (const queue of [this.#queue, this.#slowQueue]) {
      const at = queue.indexOf(call);
      if (at !== -1) queue.splice(at, 1);
    }
    call.reject(reason);
  }

  /** Terminates the worker. Its call is rejected or queued for a second try. Waiting calls get a new worker. */
  #terminate(reason: unknown): void {
    const worker = this.#worker;
    this.#worker = null; // so that its "exit" is ignored
    void worker?.terminate();
    const call = this.#running;
    if (call === null) return;
    const isSlow = reason instanceof WorkerLimitError && reason.kind === "time";
    if (!isSlow || reason.limit === call.timeoutMs) return this.#finish(() => call.reject(reason));
    call.isFirstTry = false;
    this.#slowQueue.push(call);
    this.#finish(() => {});
  }

  #finish(settle: () => void): void {
    this.#clearTimers();
    this.#running = null;
    settle();
    this.#startNext();
  }

  #clearTimers(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
  }
}

type Task = (argument: unknown) => unknown;

export function serveTasks(tasks: Readonly<Record<string, Task>>): void {
  const respond = (response: Response) => parentPort?.postMessage(response);
  let rest: unknown[] = [];
  const respondElements = () => {
    const elements = rest.slice(0, ELEMENTS);
    rest = rest.slice(ELEMENTS);
    respond({ kind: "elements", elements, isLast: rest.length === 0 });
  };
  const run = ({ task, argument, timeoutMs }: Request): void => {
    try {
      const work = tasks[task];
      if (work === undefined) throw new Error(`there is no task ${task}`);
      const result = runWithin(timeoutMs, () => work(argument));
      if (!Array.isArray(result)) return respond({ kind: "result", result });
      rest = result;
      respondElements();
    } catch (error) {
      const { name, message, code } = error as Error & { code?: string };
      if (code === "ERR_SCRIPT_EXECUTION_TIMEOUT") respond({ kind: "timeout" });
      else respond({ kind: "error", name, message });
    }
  };
  // Runs tasks in a separate callback, so that running out of memory is reported as an error of the worker.
  parentPort?.on("message", (request: Request | typeof MORE) => {
    setImmediate(() => request === MORE ? respondElements() : run(request));
  });
  respond({ kind: "ready" });
}

const RUN = new Script("globalThis.regfeedTask()");

/** Runs the work and stops it if it runs out of time. */
function runWithin(timeoutMs: number | undefined, work: () => unknown): unknown {
  if (timeoutMs === undefined) return work();
  Object.assign(globalThis, { regfeedTask: work });
  return RUN.runInThisContext({ timeout: timeoutMs });
}
