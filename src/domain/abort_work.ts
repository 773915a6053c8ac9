// Stops waiting for work that does not support AbortSignal.

/** Settles like `work`. If the signal aborts first, rejects with its reason and ignores the outcome of `work`. */
export async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let end: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener("abort", end);
  });
  try {
    return await Promise.race([aborted, work]);
  } finally {
    if (end !== undefined) signal.removeEventListener("abort", end);
  }
}
