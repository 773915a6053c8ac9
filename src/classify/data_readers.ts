// Readers that turn the JSON of ./data into types, and say which value is wrong and where.

/** Reads a value that was found at a place of a data file; throws an Error that names the place. */
export type Reader<T> = (value: unknown, place: string) => T;

/** A text. */
export function text(value: unknown, place: string): string {
  if (typeof value !== "string") throw wrong("a text", place);
  return value;
}

/** A text or null. */
export function textOrNull(value: unknown, place: string): string | null {
  return value === null ? null : text(value, place);
}

/** A whole number. */
export function number(value: unknown, place: string): number {
  if (!Number.isInteger(value)) throw wrong("a whole number", place);
  return value as number;
}

/** A list of values; a missing one is empty. */
export function list<T>(item: Reader<T>): Reader<T[]> {
  return (value, place) => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw wrong("a list", place);
    return value.map((entry, i) => item(entry, `${place}[${i}]`));
  };
}

/** Values by name. */
export function byName<T>(item: Reader<T>): Reader<Map<string, T>> {
  return (value, place) => {
    const fields = object(value, place);
    return new Map(Object.entries(fields).map(([name, entry]) => [name, item(entry, `${place}.${name}`)]));
  };
}

/** One of a fixed set of texts. */
export function oneOf<T extends string>(allowed: readonly T[]): Reader<T> {
  return (value, place) => {
    if (!(allowed as readonly unknown[]).includes(value)) {
      throw new Error(`${place} must be one of ${allowed.join(", ")}; found ${shown(value)}`);
    }
    return value as T;
  };
}

/** The fields of an object. */
export function object(value: unknown, place: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong("an object", place);
  return value as Record<string, unknown>;
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, LONGEST_SHOWN);
}

/** How much of a wrong value is shown, in characters. */
const LONGEST_SHOWN = 100;

function wrong(expected: string, place: string): Error {
  return new Error(`${place} must be ${expected}`);
}
