// Reads a parsed TOML document before it is validated.

export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Returns the tables of a list such as `[[sources]]` with their indexes. Omits elements that are not tables. */
export function tablesOf(
  document: Record<string, unknown>,
  key: string,
): [number, Record<string, unknown>][] {
  const list = document[key];
  if (!Array.isArray(list)) return [];
  return [...list.entries()].filter((entry): entry is [number, Record<string, unknown>] => isTable(entry[1]));
}
