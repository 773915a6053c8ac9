// Receives signals to this process, and keeps them until a listener is added.

export type StopSignal = "SIGINT" | "SIGTERM";

export interface Signals {
  /** Calls the listener for each SIGHUP, and once if any came earlier. Returns a function that removes the listener. */
  onReload(listener: () => void): () => void;
  /** Resolves with the first signal to stop. A second one kills the process. */
  stopSignal(): Promise<StopSignal>;
}

/** Signals that keep the system's default action until a listener is added. */
export const SIGNALS_WHEN_ASKED: Signals = {
  onReload: (listener) => listen("SIGHUP", listener),
  stopSignal: listenForStop,
};

/**
 * Collects signals from now on, so that a SIGHUP does not kill a server that is still starting. Ignores SIGUSR1 and
 * SIGUSR2, which other programs send, for example to reopen log files.
 */
export function listenForSignals(): Signals {
  const stopped = listenForStop();
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) listen(signal, () => {});
  let isPending = false;
  let reload: (() => void) | null = null;
  listen("SIGHUP", () => {
    if (reload === null) isPending = true;
    else reload();
  });
  return {
    onReload(listener) {
      reload = listener;
      if (isPending) listener();
      isPending = false;
      return () => reload = null;
    },
    stopSignal: () => stopped,
  };
}

function listen(signal: "SIGHUP" | "SIGUSR1" | "SIGUSR2", listener: () => void): () => void {
  if (Deno.build.os === "windows") return () => {}; // Windows does not have these signals
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
