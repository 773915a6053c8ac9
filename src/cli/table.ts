// Tables for terminals.
import { formatTime } from "../domain/format_time.ts";
import { harmless } from "../domain/control_characters.ts";
import type { RegEvent } from "../domain/event/event.ts";
import { displayWidth, fittingPart } from "./display_width.ts";
import { formatRelative } from "./relative_time.ts";

export type Colour = "red" | "yellow" | "green" | "dim";

/** A cell: text, a right-aligned number, coloured text, or a time in Unix ms. */
export type Cell = string | number | { text: string; colour: Colour } | {
  atMs: number;
  /** Set for a date, which is never relative. */
  isDate?: true;
};

interface Look {
  hasColours: boolean;
  /** The current time in Unix ms, to which times are relative, or null for times in UTC. */
  relativeToMs: number | null;
}

const PLAIN: Look = { hasColours: false, relativeToMs: null };
const CODES: Record<Colour, number> = { red: 31, yellow: 33, green: 32, dim: 2 };

/** The end of the name of a column of times, which is removed if the times are relative. */
const IN_UTC = " (UTC)";

interface Column {
  /** The name that {@link Fitting} uses. */
  name: string;
  title: string;
  cells: { text: string; colour?: Colour; isNumber?: true }[];
  width: number;
}

/** Formats rows under a header, one line per row. */
export function formatTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  look: Look = PLAIN,
): string {
  return linesOf(columnsOf(header, rows, look), rows.length, look);
}

export interface Fitting {
  width: number;
  /** The columns that may be dropped: first those without any value, then the others, each in this order. */
  drop: readonly string[];
  cut: string;
  /** Minimum width of the truncated column while other columns can still be dropped. */
  leastCut?: number;
}

/** Formats a table. Drops and truncates columns if the table would otherwise not fit the terminal. */
export function fitTable(
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  { width, drop, cut: short, leastCut = 32 }: Fitting,
  look: Look = PLAIN,
): string {
  const columns = columnsOf(header, rows, look);
  const beside = (kept: readonly Column[], most: number) =>
    kept.reduce(
      (sum, { name, width }) => sum + (name === short ? Math.min(width, most) : width) + 2,
      -2,
    );
  let kept = columns;
  const blank = drop.filter((name) =>
    columns.some((column) => column.name === name && column.cells.every(({ text }) => text === ""))
  );
  for (const name of new Set([...blank, ...drop])) {
    if (beside(kept, blank.includes(name) ? Infinity : leastCut) <= width) continue;
    kept = kept.filter((column) => column.name !== name);
  }
  const room = Math.max(width - beside(kept, 0), 8);
  const fitted = kept.map((column) => {
    if (column.name !== short || column.width <= room) return column;
    const cells = column.cells.map((cell) => ({ ...cell, text: cut(cell.text, room) }));
    return { ...column, cells, width: room };
  });
  return linesOf(fitted, rows.length, look);
}

function columnsOf(header: readonly string[], rows: readonly (readonly Cell[])[], look: Look): Column[] {
  return header.map((name, at) => {
    const title = look.relativeToMs === null ? name : name.replace(IN_UTC, "");
    const cells = rows.map((row) => shown(row[at] ?? "", look));
    return {
      name,
      title,
      cells,
      width: Math.max(title.length, ...cells.map(({ text }) => displayWidth(text))),
    };
  });
}

function shown(cell: Cell, { relativeToMs }: Look): Column["cells"][number] {
  if (typeof cell === "number") return { text: String(cell), isNumber: true };
  if (typeof cell === "string") return { text: oneLine(cell) };
  if ("text" in cell) return { text: oneLine(cell.text), colour: cell.colour };
  if (relativeToMs === null) return { text: formatTime(cell.atMs) };
  return { text: cell.isDate ? formatTime(cell.atMs).slice(0, 10) : formatRelative(cell.atMs, relativeToMs) };
}

function linesOf(columns: readonly Column[], rows: number, { hasColours }: Look): string {
  const line = (at: number) =>
    columns.map(({ cells, width }) => {
      const { text, colour, isNumber } = cells[at] ?? { text: "" };
      if (isNumber) return text.padStart(width);
      const painted = hasColours && colour !== undefined ? paint(text, colour) : text;
      return painted + " ".repeat(width - displayWidth(text));
    });
  const titles = columns.map(({ title, width, cells }) =>
    cells.some(({ isNumber }) => isNumber) ? title.padStart(width) : title.padEnd(width)
  );
  const lines = [titles, ...Array.from({ length: rows }, (_, at) => line(at))];
  return lines.map((cells) => cells.join("  ").trimEnd()).join("\n") + "\n";
}

export function paint(text: string, colour: Colour): string {
  return `\x1b[${CODES[colour]}m${text}\x1b[0m`;
}

export type PublicationDate = Pick<RegEvent, "published_at" | "published_at_precision" | "published_on">;

/**
 * Returns the cell for the publication date of an event: a time, or only the date if the source states no time. In place
 * of a relative time, it is the date in UTC, so that a column has one form.
 */
export function publishedCell(event: PublicationDate): Cell {
  return dayOf(event) ?? { atMs: event.published_at, isDate: true };
}

/** Formats the publication date of an event: "2026-07-31 12:00:15" (UTC), or only the date like {@link publishedCell}. */
export function formatPublished(event: PublicationDate): string {
  return dayOf(event) ?? formatTime(event.published_at);
}

function dayOf({ published_at_precision, published_on }: PublicationDate): string | null {
  return published_at_precision === "date" ? published_on : null;
}

/** Returns external text as one line without control characters. */
export function oneLine(text: string): string {
  return harmless(text).replace(/\s/g, " ");
}

/** Returns external text as one line of at most `width` columns, truncated with "…". */
export function cut(text: string, width: number): string {
  const line = harmless(text).replace(/\s+/g, " ");
  return displayWidth(line) <= width ? line : `${fittingPart(line, width - 1)}…`;
}
