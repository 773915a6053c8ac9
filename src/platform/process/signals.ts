// Signals to this process: heard before anybody is there to act on them, and kept until somebody is.

/** A signal that asks the process to end. */
export type StopSignal = "SIGINT" | "SIGTERM";

/** A signal that other programs give a meaning to, and this one none. */
export type UnusedSignal = "SIGUSR1" | "SIGUSR2";

/** What a process hears of signals. */
export interface Signals {
  /**
   * Calls the listener for every signal that asks to read the config again (SIGHUP); for those that came before it was
   * there, once and at once. The returned function ends it.
   */
  onReload(listener: () => void): () => void;
  /** Calls the listener for every signal that means nothing here; otherwise as {@link Signals.onReload}. */
  onUnused(listener: (signal: UnusedSignal) => void): () => void;
  /** Resolves with the first signal that asks to end; the same signal once more ends the process the hard way. */
  stopSignal(): Promise<StopSignal>;
}

/** Signals that are heard from the moment in which somebody asks for them: before, each does what it does by itself. */
export const SIGNALS_WHEN_ASKED: Signals = {
  onReload: (listener) => listen("SIGHUP", listener),
  onUnused: (listener) => {
    const ends = UNUSED.map((signal) => listen(signal, () => listener(signal)));
    return () => ends.forEach((end) => end());
  },
  stopSignal: listenForStop,
};

const UNUSED: readonly UnusedSignal[] = ["SIGUSR1", "SIGUSR2"];

/**
 * Signals that are heard from now on, whoever asks for them later. To a process that does not listen each of them is the
 * end, and a service that only just begins must not die of being told to read its config.
 */
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

/** Hands each thing to whoever takes them; what comes while nobody does waits, the same thing once. */
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
