// The error for a fetch that has lost its source's lease.

/** Another process has leased the source, so nothing more of this fetch is stored. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  constructor() {
    super("another process has taken over the source");
  }
}
