// The results of a benchmark: rows with the two values, their ratio and the target, as a table or as JSON.
import type { Compared } from "./measure.ts";
import type { ReadStores } from "./data/read_stores.ts";

/** A measured value. `of` says what was measured; by default, Regfeed doing the work of the row. */
interface Figure {
  value: number;
  unit: "/s" | " ms" | " ms CPU" | " MB";
  of?: string;
}

export interface Row {
  work: string;
  /** Regfeed's value. */
  ours: Figure;
  /** The baseline's value, or null if the row has no baseline. */
  theirs: Figure | null;
  /** The value to compare with the target, or null if there is none. */
  figure: number | null;
  target: { atLeast: number } | { atMost: number } | null;
  notes: readonly string[];
}

export interface Bench {
  /** The folder for stores, removed at the end. */
  folder: string;
  settings: Settings;
  /** Returns the stores for the parts reads and lists. */
  stores(tell: (text: string) => void): Promise<ReadStores>;
  tell(text: string): void;
  add(row: Row): void;
}

export interface Settings {
  /** Number of pairs per comparison. */
  rounds: number;
  /** Duration of the load on one side of a pair, ms. */
  forMs: number;
  connections: number;
  /** Number of events in the medium store; `many` is the number in the largest store. */
  events: number;
  many: number;
  items: number;
  deliveries: number;
  pending: number;
  subscriptions: number;
}

/** Returns whether the row reaches its target, or null if it has none. */
function verdictOf({ figure, target }: Row): "PASS" | "MISS" | null {
  if (target === null || figure === null) return null;
  return ("atLeast" in target ? figure >= target.atLeast : figure <= target.atMost) ? "PASS" : "MISS";
}

/** Converts a comparison to the sides of a row. */
export function sides(
  compared: Compared,
  unit: Figure["unit"],
  of: string,
): Pick<Row, "ours" | "theirs" | "figure"> {
  return {
    ours: { value: compared.ours, unit },
    theirs: { value: compared.theirs, unit, of },
    figure: compared.ratio,
  };
}

/** Describes the spread of the pairs, as a note. */
export function spread({ from, to }: Pick<Compared, "from" | "to">): string {
  return `pairs from ${rounded(from)} to ${rounded(to)}`;
}

/** Formats a number with at most three significant digits, or as a whole number from 100 on. */
export function rounded(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function shown({ value, unit, of }: Figure): string {
  return `${rounded(value)}${unit}${of === undefined ? "" : ` ${of}`}`;
}

const HEAD = ["work", "Regfeed", "baseline", "result", "target", ""];

/** Formats the rows as a table, with the notes under each row. */
export function toTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.work,
    shown(row.ours),
    row.theirs === null ? "" : shown(row.theirs),
    row.figure === null ? "" : rounded(row.figure),
    row.target === null
      ? ""
      : "atLeast" in row.target
      ? `>= ${row.target.atLeast}`
      : `<= ${row.target.atMost}`,
    verdictOf(row) ?? "",
  ]);
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...cells.map((line) => line[column]?.length ?? 0))
  );
  const lineOf = (line: readonly string[]): string =>
    line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ").trimEnd();
  return [HEAD, ...cells].map((line, index) =>
    [lineOf(line), ...(rows[index - 1]?.notes ?? []).map((note) => `    ${note}`)].join("\n")
  ).join("\n") + "\n";
}

export function toJson(rows: readonly Row[], settings: Settings): string {
  return JSON.stringify(
    { settings, rows: rows.map((row) => ({ ...row, verdict: verdictOf(row) })) },
    null,
    2,
  ) + "\n";
}
