// The error of a fetch that has lost the lease of its source.

/** Another process has taken a source over: nothing of the fetch that came too late is kept. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  constructor() {
    super("another process has taken it over");
  }
}
