// Tables for terminals.
import { harmless } from "../domain/control_characters.ts";

/** Formats rows under a header, one line per row; numbers are right-aligned. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const all = [header, ...rows].map((row) =>
    row.map((cell) => typeof cell === "number" ? cell : oneLine(cell))
  );
  const widths = header.map((_, column) => Math.max(...all.map((row) => String(row[column] ?? "").length)));
  const lines = all.map((row) =>
    row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return typeof cell === "number" ? String(cell).padStart(width) : cell.padEnd(width);
    }).join("  ").trimEnd()
  );
  return lines.join("\n") + "\n";
}

export interface Fitting {
  width: number;
  /** The columns that may be dropped, in this order. */
  drop: readonly string[];
  cut: string;
}

/** Minimum width of the truncated column while other columns can still be dropped. */
const LEAST_CUT = 32;

/** Formats a table. Drops and truncates columns if the table would otherwise not fit the terminal. */
export function fitTable(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  { width, drop, cut: short }: Fitting,
): string {
  const columns = header.map((name, at) => {
    const cells = rows.map((row) => row[at] ?? "");
    const natural = Math.max(name.length, ...cells.map((cell) => String(cell).length));
    return { name, cells, natural, isBlank: cells.every((cell) => cell === "") };
  });
  const beside = (kept: typeof columns, most: number) =>
    kept.reduce(
      (sum, { name, natural }) => sum + (name === short ? Math.min(natural, most) : natural) + 2,
      -2,
    );
  let kept = columns;
  const blank = drop.filter((name) => columns.some((column) => column.name === name && column.isBlank));
  for (const name of new Set([...blank, ...drop])) {
    if (beside(kept, blank.includes(name) ? Infinity : LEAST_CUT) <= width) continue;
    kept = kept.filter((column) => column.name !== name);
  }
  const room = Math.max(width - beside(kept, 0), 8);
  return formatTable(
    kept.map(({ name }) => name),
    rows.map((_, at) =>
      kept.map(({ name, cells }) => {
        const cell = cells[at] ?? "";
        return name === short && typeof cell === "string" ? cut(cell, room) : cell;
      })
    ),
  );
}

/** Formats a time for people: "2026-07-31 12:00:15" (UTC), or "never" for null. */
export function formatTime(ms: number | null): string {
  return ms === null ? "never" : new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

/** Returns external text as one line without control characters. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s/g, " ");
}

/** Returns external text as one line of at most `length` characters, truncated with "…". */
export function cut(text: string, length: number): string {
  const line = harmless(text).replace(/\s+/g, " ");
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
