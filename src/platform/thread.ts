// A second thread, for work that would keep the first one from answering.
import type { SecondThread } from "../domain/ports.ts";

/** So long a thread stays when it has nothing to do, ms: by then its memory is worth more than its start. */
const IDLE_MS = 30_000;

/** A thread that can be ended. */
export interface Thread extends SecondThread {
  /** Ends it, whatever it does. */
  end(): void;
}

/** What goes to the thread, and what comes back: parts, and then a result or an error. */
type Call = { number: number; task: string; argument: unknown };
type Answer =
  | { number: number; part: unknown }
  | { number: number; result: unknown }
  | { number: number; error: string };

interface Waiting {
  take(part: unknown): void;
  resolve(result: unknown): void;
  reject(error: Error): void;
}

/** A thread with the program at the address; it begins with a call, and ends when there was none for a while. */
export function createThread(program: URL, { idleMs = IDLE_MS }: { idleMs?: number } = {}): Thread {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let calls = 0;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const stop = () => {
    clearTimeout(idle);
    worker?.terminate();
    worker = null;
  };

  const failAll = (reason: string) => {
    stop();
    const failed = [...waiting.values()];
    waiting.clear();
    for (const { reject } of failed) reject(new Error(reason));
  };

  const settle = (number: number): void => {
    waiting.delete(number);
    if (waiting.size > 0) return;
    idle = setTimeout(stop, idleMs);
  };

  const start = (): Worker => {
    const started = new Worker(program, { type: "module" });
    started.onmessage = ({ data }: MessageEvent<Answer>) => {
      const call = waiting.get(data.number);
      if (call === undefined) return; // the call has failed with the thread
      if ("part" in data) return call.take(data.part);
      settle(data.number);
      if ("error" in data) call.reject(new Error(data.error));
      else call.resolve(data.result);
    };
    started.onerror = (event) => {
      event.preventDefault(); // or it ends the whole process
      failAll(`the second thread broke: ${event.message}`);
    };
    return started;
  };

  return {
    // What cannot be sent is an error of the call like any other.
    // deno-lint-ignore require-await
    async call(task, argument, take = () => {}) {
      clearTimeout(idle);
      worker ??= start();
      const number = ++calls;
      worker.postMessage({ number, task, argument } satisfies Call);
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(number, { take, resolve, reject });
      return promise;
    },
    end: () => failAll("the second thread was ended"),
  };
}

/** A task of a thread: a generator gives its result in parts, each of which is sent as soon as it is there. */
export type Task = (argument: unknown) => unknown;

/** Makes this thread one that does these tasks. */
export function answerCalls(tasks: Readonly<Record<string, Task>>): void {
  const scope = globalThis as unknown as {
    onmessage: (event: MessageEvent<Call>) => void;
    postMessage(answer: Answer): void;
  };
  scope.onmessage = ({ data: { number, task, argument } }) => {
    try {
      const work = tasks[task];
      if (work === undefined) throw new Error(`there is no task ${task}`);
      const result = work(argument);
      if (!isGenerator(result)) return scope.postMessage({ number, result });
      for (const part of result) scope.postMessage({ number, part });
      scope.postMessage({ number, result: null });
    } catch (error) {
      scope.postMessage({ number, error: error instanceof Error ? error.message : String(error) });
    }
  };
}

function isGenerator(result: unknown): result is Generator<unknown> {
  return typeof result === "object" && result !== null && "next" in result && Symbol.iterator in result;
}
