// A second thread, for work that would keep the first one from answering.

/** A thread that does tasks by name, one after the other. */
export interface Thread {
  /** Rejects with the message of what the task threw, and when the thread ends first. */
  call(task: string, argument: string): Promise<unknown>;
  /** Ends it, whatever it does. */
  end(): void;
}

/** What goes to the thread, and what comes back. */
type Call = { number: number; task: string; argument: string };
type Answer = { number: number; result: unknown } | { number: number; error: string };

/** Starts a thread with the program at the address; it begins with the first call. */
export function createThread(program: URL): Thread {
  const waiting = new Map<number, { resolve(result: unknown): void; reject(error: Error): void }>();
  let worker: Worker | null = null;
  let calls = 0;

  const failAll = (reason: string) => {
    for (const { reject } of waiting.values()) reject(new Error(reason));
    waiting.clear();
    worker?.terminate();
    worker = null;
  };

  const start = (): Worker => {
    const started = new Worker(program, { type: "module" });
    started.onmessage = ({ data }: MessageEvent<Answer>) => {
      const call = waiting.get(data.number);
      waiting.delete(data.number);
      if ("error" in data) call?.reject(new Error(data.error));
      else call?.resolve(data.result);
    };
    started.onerror = (event) => {
      event.preventDefault(); // or it ends the whole process
      failAll(`the second thread broke: ${event.message}`);
    };
    return started;
  };

  return {
    call(task, argument) {
      worker ??= start();
      const number = ++calls;
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      waiting.set(number, { resolve, reject });
      worker.postMessage({ number, task, argument } satisfies Call);
      return promise;
    },
    end: () => failAll("the second thread was ended"),
  };
}

/** Makes this thread one that does these tasks. */
export function answerCalls(tasks: Readonly<Record<string, (argument: string) => unknown>>): void {
  const scope = globalThis as unknown as {
    onmessage: (event: MessageEvent<Call>) => void;
    postMessage(answer: Answer): void;
  };
  scope.onmessage = ({ data: { number, task, argument } }) => {
    try {
      const work = tasks[task];
      if (work === undefined) throw new Error(`there is no task ${task}`);
      scope.postMessage({ number, result: work(argument) });
    } catch (error) {
      scope.postMessage({ number, error: error instanceof Error ? error.message : String(error) });
    }
  };
}
