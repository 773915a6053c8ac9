// Faults of the database or its disk, as opposed to those of a request.

/** `full`: the disk is full. `read_only`: the database is read-only. `unavailable`: any other reason. */
export const STORAGE_FAULTS = ["unavailable", "read_only", "full"] as const;

type StorageFault = typeof STORAGE_FAULTS[number];

/** A fault, with the engine's advice for the operator. */
export interface StorageProblem {
  fault: StorageFault;
  advice: string;
}

/** The error of a store call that failed because of a {@link StorageFault} and changed nothing. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly fault: StorageFault;
  constructor({ fault, advice }: StorageProblem, options?: ErrorOptions) {
    super(advice, options);
    this.fault = fault;
  }
}

/** Returns the level at which to log an error. A storage fault has already been logged once, with the advice. */
export function failureLevel(error: unknown): "debug" | "error" {
  return error instanceof StorageError ? "debug" : "error";
}
