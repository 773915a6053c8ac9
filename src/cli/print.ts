// What commands print: JSON for scripts, or tables and fields for people.
import { escapeControls } from "../domain/control_characters.ts";
import type { Host } from "../platform/process/process.ts";
import type { CommandCall } from "../server/command_context.ts";
import { fitTable, type Fitting, formatTable, formatTime, oneLine } from "./table.ts";
import { wrapLines } from "./wrap_text.ts";

// deno-lint-ignore no-control-regex -- the escape that begins a colour
const COLOUR = /(\x1b\[\d{1,2}m)/;

/** Returns the host for commands, which prints control characters as escapes such as `\u001b` and wraps stderr. */
export function withSafeOutput(host: Host): Host {
  return {
    ...host,
    out: (text, options) => host.out(options?.hasColours ? escapeAround(text) : escapeControls(text)),
    err: (text) => host.err(escapeControls(host.isErrTerminal ? wrapLines(text, host.columns()) : text)),
  };
}

/** Escapes all control characters except colours. */
function escapeAround(text: string): string {
  return text.split(COLOUR).map((part, at) => at % 2 === 1 ? part : escapeControls(part)).join("");
}

/** Prints data as JSON with `--json`, otherwise as lines for people. */
export function print<T>({ host, flags }: CommandCall, data: T, lines: (data: T) => string): void {
  host.out(flags.has("json") ? `${JSON.stringify(data)}\n` : linesFor(host, lines(data)));
}

/** Wraps the lines to fit the terminal, if there is one. */
export function linesFor(host: Pick<Host, "isTerminal" | "columns">, text: string): string {
  return host.isTerminal ? wrapLines(text, host.columns()) : text;
}

/** Formats a table that fits the terminal, if there is one. */
export function tableFor(
  host: Pick<Host, "isTerminal" | "columns">,
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  fitting: Omit<Fitting, "width">,
): string {
  return host.isTerminal
    ? fitTable(header, rows, { width: host.columns(), ...fitting })
    : formatTable(header, rows);
}

/** How a list is printed without `--json`. */
export interface Listing<T> extends Omit<Fitting, "width"> {
  rows: readonly T[];
  none: string;
  header: readonly string[];
  cells(row: T): (string | number)[];
}

/** Formats a list as a table that fits the terminal. Returns `none` for an empty list. */
export function listLines<T>(
  { host }: CommandCall,
  { rows, none, header, cells, ...fitting }: Listing<T>,
): string {
  if (rows.length === 0) return `${none}\n`;
  return tableFor(host, header, rows.map(cells), fitting);
}

export function fieldLines(fields: Record<string, unknown>): string {
  return Object.entries(fields).map(([name, value]) => `${name.padEnd(14)} ${wordOf(name, value)}\n`).join(
    "",
  );
}

export function wordsIn(row: Record<string, unknown>): string {
  return Object.entries(row).map(([name, value]) => `${name}=${wordOf(name, value)}`).join(" ");
}

function wordOf(name: string, value: unknown): string {
  if (typeof value === "number" && /_(at|until)$/.test(name)) {
    return `${formatTime(value).replace(" ", "T")}Z`;
  }
  return oneLine(typeof value === "string" ? value : JSON.stringify(value));
}
