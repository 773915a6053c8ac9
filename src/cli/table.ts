// Tables on a terminal.
import { harmless } from "./paragraphs.ts";

/** Rows under a header, in columns of equal width, each row one line; a cell that is a number stands to the right. */
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

/** A time for people: "2026-07-31 12:00:15" (UTC), or "never". */
export function formatTime(ms: number | null): string {
  return ms === null ? "never" : new Date(ms).toISOString().slice(0, 19).replace("T", " ");
}

/** A text from outside on one line, without anything that a terminal would obey. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s/g, " ");
}

/** A text from outside on one line of at most `length` characters, cut with "…". */
export function cut(text: string, length: number): string {
  const line = harmless(text).replace(/\s+/g, " ");
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}
