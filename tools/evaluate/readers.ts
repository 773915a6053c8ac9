// Typed readers for the JSON of labelled items. Their errors name the path of the invalid value.

/** Converts a JSON value; throws an Error that names its path if the value is invalid. */
type Reader<T> = (value: unknown, path: string) => T;

export function text(value: unknown, path: string): string {
  if (typeof value !== "string") throw wrong("a string", path);
  return value;
}

export function textOrNull(value: unknown, path: string): string | null {
  return value === null ? null : text(value, path);
}

/** Returns a reader of lists. A missing value is an empty list. */
export function list<T>(item: Reader<T>): Reader<T[]> {
  return (value, path) => {
    if (value === undefined) return [];
    if (!Array.isArray(value)) throw wrong("a list", path);
    return value.map((entry, i) => item(entry, `${path}[${i}]`));
  };
}

/** Returns a reader of strings that accepts only the allowed ones. */
export function oneOf<T extends string>(allowed: readonly T[]): Reader<T> {
  return (value, path) => {
    if (!(allowed as readonly unknown[]).includes(value)) {
      throw new Error(`${path} must be one of ${allowed.join(", ")}; found ${shown(value)}`);
    }
    return value as T;
  };
}

export function object(value: unknown, path: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw wrong("an object", path);
  return value as Record<string, unknown>;
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value).slice(0, LONGEST_SHOWN);
}

/** Maximum number of characters of an invalid value in a message. */
const LONGEST_SHOWN = 100;

function wrong(expected: string, path: string): Error {
  return new Error(`${path} must be ${expected}`);
}
