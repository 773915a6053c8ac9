// Checks that involve several keys of a source or several sources.
import type { KeyProblem } from "../toml/problems.ts";
import { tablesOf } from "../toml/raw_document.ts";
import { strategyProblems } from "./check_strategy.ts";

/** Finds problems in the sources. Reads the raw document, so that schema problems are reported at the same time. */
export function findSourceProblems(document: Record<string, unknown>): KeyProblem[] {
  const problems: KeyProblem[] = [];
  const firstOfId = new Map<unknown, number>();
  for (const [index, source] of tablesOf(document, "sources")) {
    const at = ["sources", index];
    problems.push(
      ...strategyProblems(source).map((problem) => ({ ...problem, path: [...at, ...problem.path] })),
    );
    const first = firstOfId.get(source.id);
    if (first === undefined) firstOfId.set(source.id, index);
    else if (typeof source.id === "string") {
      const duplicateOf = ["sources", first, "id"];
      problems.push({ path: [...at, "id"], duplicateOf, message: `choose an id other than "${source.id}"` });
    }
  }
  return problems;
}
