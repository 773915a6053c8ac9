// The error of a fetch that has lost the lease of its source.

/** Another process has leased the source: nothing is stored of the fetch that came too late. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  constructor() {
    super("another process has taken it over");
  }
}
