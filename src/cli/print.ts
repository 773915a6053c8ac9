// What commands print: JSON for scripts, or tables and fields for people.
import { escapeControls } from "../domain/control_characters.ts";
import { type Host, shellQuote } from "../platform/process/process.ts";
import type { CommandCall } from "../server/command_context.ts";
import { formatRelative } from "./relative_time.ts";
import { formatTime } from "../domain/format_time.ts";
import { type Cell, cut, fitTable, type Fitting, formatTable, oneLine } from "./table.ts";
import { formatFields, textWidth, wrapLines } from "./wrap_text.ts";

// deno-lint-ignore no-control-regex -- the escape that begins a colour
const COLOUR = /(\x1b\[\d{1,2}m)/;

/**
 * Returns a host that prints control characters as escapes such as `\u001b`, wraps stderr on a terminal, and removes the
 * status line before it prints anything else.
 */
export function withSafeOutput(host: Host): Host {
  let hasStatus = false;
  const showStatus = (text: string) => {
    if (host.isErrTerminal && (text !== "" || hasStatus)) host.showStatus(cut(text, host.columns() - 1));
    hasStatus = text !== "";
  };
  return {
    ...host,
    showStatus,
    out: (text, options) => {
      showStatus("");
      host.out(options?.hasColours ? escapeAround(text) : escapeControls(text));
    },
    err: (text) => {
      showStatus("");
      const named = nameProgram(host, text);
      host.err(escapeControls(host.isErrTerminal ? wrapLines(named, host.columns()) : named));
    },
  };
}

/** Escapes all control characters except those that set a colour. */
function escapeAround(text: string): string {
  return text.split(COLOUR).map((part, at) => at % 2 === 1 ? part : escapeControls(part)).join("");
}

/** Prints data as JSON with `--json`, otherwise as lines for people. */
export function print<T>({ host, flags }: CommandCall, data: T, lines: (data: T) => string): void {
  host.out(flags.has("json") ? `${JSON.stringify(data)}\n` : linesFor(host, lines(data)));
}

/**
 * Replaces the name of the program in commands such as `regfeed check` by the command that starts this program, and adds
 * the `--config` that it was started with, so that the commands can be pasted.
 */
export function nameProgram({ program, args }: Pick<Host, "program" | "args">, text: string): string {
  const config = configOption(args);
  return text.replace(/`regfeed ([^`]+)`/g, (_, command: string) => {
    const hasConfig = command.includes("--config") ||
      /^(?:init|completions|version|webhook|help)\b/.test(command);
    return `\`${program} ${command}${hasConfig ? "" : config}\``;
  });
}

/** Returns the option as it is typed, with a space before it, or "". */
function configOption(args: readonly string[]): string {
  const at = args.findIndex((word) => word === "--config" || word.startsWith("--config="));
  if (at === -1) return "";
  const file = args[at] === "--config" ? args[at + 1] : args[at]?.slice("--config=".length);
  return file === undefined ? "" : ` --config ${shellQuote(file)}`;
}

/** Wraps the lines to the width of the terminal if stdout is one. */
export function linesFor(
  host: Pick<Host, "isTerminal" | "columns" | "program" | "args">,
  text: string,
): string {
  const named = nameProgram(host, text);
  return host.isTerminal ? wrapLines(named, host.columns()) : named;
}

/** What tables depend on: the terminal and the option `--utc`. */
export type Viewer = Pick<CommandCall, "flags"> & {
  host: Pick<Host, "isTerminal" | "hasColours" | "columns" | "nowMs" | "program" | "args">;
};

/** Formats a table. On a terminal, it fits the width and may have colours; without `--utc`, times are relative. */
export function tableFor(
  { host, flags }: Viewer,
  header: readonly string[],
  rows: readonly (readonly Cell[])[],
  fitting: Omit<Fitting, "width">,
): string {
  if (!host.isTerminal) return formatTable(header, rows);
  const look = { hasColours: host.hasColours, relativeToMs: flags.has("utc") ? null : host.nowMs() };
  return fitTable(header, rows, { width: host.columns(), ...fitting }, look);
}

/** Returns the cell for a time in Unix ms, or `none` for null. */
export function timeCell(atMs: number | null, none = "never"): Cell {
  return atMs === null ? none : { atMs };
}

/** Returns the cell for the time of the next attempt in Unix ms: empty for null, and "due" for a relative past time. */
export function nextCell({ host, flags }: Viewer, atMs: number | null): Cell {
  const isPast = atMs !== null && atMs <= host.nowMs();
  return isPast && host.isTerminal && !flags.has("utc") ? "due" : timeCell(atMs, "");
}

/** Formats a time for a line of text: in UTC, and on a terminal also relative to now unless there is `--utc`. */
export function timeText({ host, flags }: Viewer, atMs: number): string {
  const exact = `${formatTime(atMs)} UTC`;
  return host.isTerminal && !flags.has("utc") ? `${exact} (${formatRelative(atMs, host.nowMs())})` : exact;
}

/** Formats one record: its id, then the fields that are not null. */
export function recordText(
  { host }: Viewer,
  id: string,
  fields: readonly (readonly [name: string, value: string | null])[],
): string {
  return `${oneLine(id)}\n${formatFields(fields, { width: textWidth(host.columns()), indent: 2 })}`;
}

export interface Listing<T> extends Omit<Fitting, "width"> {
  rows: readonly T[];
  none: string;
  header: readonly string[];
  cells(row: T): Cell[];
}

/** Prints a list as JSON with `--json`, otherwise as a table, or `none` if the list is empty. */
export function printList<T>(
  call: CommandCall,
  data: Record<string, unknown>,
  { rows, none, header, cells, ...fitting }: Listing<T>,
): void {
  printTable(call, data, () => ({
    table: rows.length === 0
      ? `${nameProgram(call.host, none)}\n`
      : tableFor(call, header, rows.map(cells), fitting),
    notes: "",
  }));
}

/** Prints data as JSON with `--json`, otherwise as a table, which may have colours, followed by the notes. */
export function printTable(
  { host, flags }: CommandCall,
  data: unknown,
  parts: () => { table: string; notes: string },
): void {
  if (flags.has("json")) return host.out(`${JSON.stringify(data)}\n`);
  const { table, notes } = parts();
  host.out(table, { hasColours: true });
  host.out(linesFor(host, notes));
}
