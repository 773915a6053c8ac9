// What a bench finds: rows with both sides, the ratio and the target; as a table and as JSON.
import type { Compared } from "./measure.ts";
import type { ReadStores } from "./read_stores.ts";

/** A measured value; `of` says whose, where it is not Regfeed's of this row's work. */
export interface Figure {
  value: number;
  unit: "/s" | " ms" | " ms CPU" | " MB";
  of?: string;
}

/** One measured work. */
export interface Row {
  work: string;
  /** What Regfeed reached. */
  ours: Figure;
  /** What stands beside it; null where a row has no other side. */
  theirs: Figure | null;
  /** ours / theirs, or the figure itself where the target is an absolute one; null where only a time is shown. */
  figure: number | null;
  target: { atLeast: number } | { atMost: number } | null;
  notes: readonly string[];
}

/** What every row is measured with. */
export interface Bench {
  /** For stores; removed at the end. */
  folder: string;
  settings: Settings;
  /** The stores that are read. */
  stores(tell: (text: string) => void): Promise<ReadStores>;
  /** Tells the one who waits what goes on. */
  tell(text: string): void;
  add(row: Row): void;
}

/** The sizes of a bench. */
export interface Settings {
  /** Pairs of each comparison. */
  rounds: number;
  /** How long one side of a pair is loaded, ms. */
  forMs: number;
  connections: number;
  /** Events of the second and of the biggest of the stores that are read. */
  events: number;
  many: number;
  items: number;
  deliveries: number;
  pending: number;
  subscriptions: number;
}

/** Whether the row reaches its target; null without one. */
export function verdictOf({ figure, target }: Row): "PASS" | "MISS" | null {
  if (target === null || figure === null) return null;
  return ("atLeast" in target ? figure >= target.atLeast : figure <= target.atMost) ? "PASS" : "MISS";
}

/** Both sides of a comparison as those of a row. */
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

/** The spread of the pairs, as a note. */
export function spread({ from, to }: Pick<Compared, "from" | "to">): string {
  return `pairs from ${rounded(from)} to ${rounded(to)}`;
}

/** Three significant digits at most where the number is small, whole where it is big. */
export function rounded(value: number): string {
  return value >= 100 ? String(Math.round(value)) : String(Number(value.toPrecision(3)));
}

function shown({ value, unit, of }: Figure): string {
  return `${rounded(value)}${unit}${of === undefined ? "" : ` ${of}`}`;
}

const HEAD = ["work", "Regfeed", "beside it", "figure", "target", ""];

/** The rows as a table for people, notes under each. */
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

/** The rows as JSON for machines. */
export function toJson(rows: readonly Row[], settings: Settings): string {
  return JSON.stringify(
    { settings, rows: rows.map((row) => ({ ...row, verdict: verdictOf(row) })) },
    null,
    2,
  ) + "\n";
}
