// Faults of the database or of its disk, not of a request.

/** The disk is `full`, the database is `read_only`, or it is `unavailable` for another reason. */
export const STORAGE_FAULTS = ["unavailable", "read_only", "full"] as const;

export type StorageFault = typeof STORAGE_FAULTS[number];

/** A fault, with the engine's advice for the operator. */
export interface StorageProblem {
  fault: StorageFault;
  advice: string;
}

/** A call of the store that failed because of a {@link StorageFault} and changed nothing. */
export class StorageError extends Error {
  override readonly name = "StorageError";
  readonly fault: StorageFault;
  constructor({ fault, advice }: StorageProblem, options?: ErrorOptions) {
    super(advice, options);
    this.fault = fault;
  }
}

/** The log level of a failure that repeats: the log reports a storage fault once, with the advice. */
export function failureLevel(error: unknown): "debug" | "error" {
  return error instanceof StorageError ? "debug" : "error";
}
