// What must hold between the keys of a source, and between sources.
import type { KeyLines } from "./key_lines.ts";
import type { PlacedMessage } from "./problems.ts";
import { strategyProblems } from "./strategies.ts";

/**
 * What is wrong with a document's sources beyond single values. Looks at the raw document, so that it finds its
 * problems beside those of the schema.
 */
export function findSourceProblems(
  document: Record<string, unknown>,
  lines: KeyLines,
): PlacedMessage[] {
  const problems: PlacedMessage[] = [];
  const firstOfId = new Map<unknown, number>();
  for (const [index, source] of sourceTables(document)) {
    const at = ["sources", index];
    problems.push(
      ...strategyProblems(source).map(({ path, message }) => ({ path: [...at, ...path], message })),
    );
    const first = firstOfId.get(source.id);
    if (first === undefined) firstOfId.set(source.id, index);
    else if (typeof source.id === "string") {
      const line = lines.lineOf(["sources", first, "id"]);
      problems.push({
        path: [...at, "id"],
        message:
          `is "${source.id}" like that of sources[${first}] on line ${line}: give one of them another id`,
      });
    }
  }
  return problems;
}

/** The sources of a raw document that are tables, with their positions. */
export function sourceTables(document: Record<string, unknown>): [number, Record<string, unknown>][] {
  if (!Array.isArray(document.sources)) return [];
  return [...document.sources.entries()].filter(([, source]) =>
    typeof source === "object" && !Array.isArray(source) && !(source instanceof Date)
  );
}
