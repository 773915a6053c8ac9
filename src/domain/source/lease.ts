// The lease of a source: what is said when it was lost.

/** Another process has taken a source over: nothing of the fetch that came too late is kept. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  constructor() {
    super("another process has taken it over");
  }
}
