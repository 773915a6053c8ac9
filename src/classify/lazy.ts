// Values that are made when they are first needed, so that starting the program does not wait for them.

/** A function that makes the value at its first call and gives the same one from then on. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}
