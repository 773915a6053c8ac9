// Values that are computed on first use, so that they do not delay the start of the program.

/** Returns a function that calls `make` once and then always returns the same value. */
export function lazy<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
