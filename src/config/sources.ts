// What must hold between the keys of a source, and between sources.
import type { KeyLines } from "./key_lines.ts";
import type { PlacedMessage } from "./problems.ts";

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
    problems.push(...strategyProblems(source).map(({ key, message }) => ({ path: [...at, key], message })));
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

function strategyProblems(source: Record<string, unknown>): { key: string; message: string }[] {
  const strategy = source.fetch_strategy ?? "feed";
  const has = (key: string): boolean => source[key] !== undefined;
  const problems: { key: string; message: string }[] = [];
  if (strategy === "feed") {
    if (!has("url")) {
      problems.push({ key: "url", message: "is missing: a feed needs the address of its document" });
    }
    if (has("path")) {
      problems.push({
        key: "path",
        message: notFor("feed", 'a watched folder has fetch_strategy = "files"'),
      });
    }
  }
  if (strategy === "files") {
    if (!has("path")) {
      problems.push({ key: "path", message: "is missing: files need the folder that is watched" });
    }
    if (!has("base_url")) {
      problems.push({
        key: "base_url",
        message: "is missing: files need the address of the publisher's site",
      });
    }
    if (has("url")) problems.push({ key: "url", message: notFor("files", "write the folder as path") });
    const secret = Object.keys(source).find((key) => /^authorization(_file|_env)?$/.test(key));
    if (secret !== undefined) {
      problems.push({ key: secret, message: notFor("files", "a folder is read without it") });
    }
  }
  return problems;
}

function notFor(strategy: string, advice: string): string {
  return `has no use with fetch_strategy = "${strategy}": ${advice}, or take this key out`;
}
