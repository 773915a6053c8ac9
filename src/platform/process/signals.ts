// Signals to this process, kept until a listener is added.

/** A signal that asks the process to end. */
export type StopSignal = "SIGINT" | "SIGTERM";

/** A signal that is ignored; other programs use it. */
export type UnusedSignal = "SIGUSR1" | "SIGUSR2";

/** The signals of a process. */
export interface Signals {
  /** Calls the listener for each SIGHUP, and once for earlier ones. Returns a function that removes it. */
  onReload(listener: () => void): () => void;
  /** Calls the listener for each ignored signal; otherwise like {@link Signals.onReload}. */
  onUnused(listener: (signal: UnusedSignal) => void): () => void;
  /** Resolves with the first signal to stop; the same signal again kills the process. */
  stopSignal(): Promise<StopSignal>;
}

/** Signals with the system's default action until a listener is added. */
export const SIGNALS_WHEN_ASKED: Signals = {
  onReload: (listener) => listen("SIGHUP", listener),
  onUnused: (listener) => {
    const ends = UNUSED.map((signal) => listen(signal, () => listener(signal)));
    return () => ends.forEach((end) => end());
  },
  stopSignal: listenForStop,
};

const UNUSED: readonly UnusedSignal[] = ["SIGUSR1", "SIGUSR2"];

/** Collects signals from now on, so that a SIGHUP does not kill a server that is starting. */
export function listenForSignals(): Signals {
  const stopped = listenForStop();
  const unused = createQueue<UnusedSignal>();
  const reloads = createQueue<null>();
  SIGNALS_WHEN_ASKED.onUnused(unused.put);
  SIGNALS_WHEN_ASKED.onReload(() => reloads.put(null));
  return {
    onReload: (listener) => reloads.take(() => listener()),
    onUnused: unused.take,
    stopSignal: () => stopped,
  };
}

/** Passes values to a listener; until there is one, keeps each value once. */
function createQueue<T>(): { put(thing: T): void; take(listener: (thing: T) => void): () => void } {
  const waiting = new Set<T>();
  let taker: ((thing: T) => void) | null = null;
  return {
    put: (thing) => taker === null ? void waiting.add(thing) : taker(thing),
    take(listener) {
      taker = listener;
      for (const thing of waiting) listener(thing);
      waiting.clear();
      return () => taker = null;
    },
  };
}

function listen(signal: UnusedSignal | "SIGHUP", listener: () => void): () => void {
  if (Deno.build.os === "windows") return () => {}; // there is no such signal
  Deno.addSignalListener(signal, listener);
  return () => Deno.removeSignalListener(signal, listener);
}

function listenForStop(): Promise<StopSignal> {
  return new Promise((resolve) => {
    const listeners: [StopSignal, () => void][] = (["SIGINT", "SIGTERM"] as const).map((signal) => [
      signal,
      () => {
        for (const [name, listener] of listeners) Deno.removeSignalListener(name, listener);
        resolve(signal);
      },
    ]);
    for (const [name, listener] of listeners) Deno.addSignalListener(name, listener);
  });
}
