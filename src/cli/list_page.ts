// Pages of lists: `--limit`, `--before`, and the line that says how to print the next page.
import { formatCount } from "../domain/format_count.ts";
import type { CommandOption } from "./command.ts";
import { shellQuote } from "../platform/process/process.ts";
import { type Listing, printList } from "./print.ts";
import { type CommandCall, CommandError, EXIT } from "../server/command_context.ts";

const PAGE_ROWS = 100;

/** A limit that no database reaches. */
export const ALL_ROWS = 1_000_000_000;

export interface Paging {
  /** Placeholder for the value of `--before`. */
  row: string;
  jsonRows?: number;
}

export function pageOptions({ row, jsonRows }: Paging): Record<string, CommandOption> {
  return {
    limit: {
      kind: "text",
      value: "N",
      help: `maximum number of rows (default ${PAGE_ROWS}; with --json ${jsonRows ?? "all"})`,
    },
    before: { kind: "text", value: row, help: "continue after this row" },
  };
}

export interface Page<T> {
  rows: T[];
  /** The value of `--before` for the next page, or null at the end of the list. */
  next: string | null;
  /** A line that says how to print the next page, or null at the end of the list. */
  hint: string | null;
}

/** Reads the page that the options select. */
export async function readPage<T>(
  call: CommandCall,
  command: string,
  { read, nameOf, jsonRows = ALL_ROWS }: {
    read(query: { limit: number; before?: string }): Promise<T[]>;
    /** Returns the value of `--before` that continues after a row. */
    nameOf(row: T): string;
    jsonRows?: number;
  },
): Promise<Page<T>> {
  const limit = limitOf(call, jsonRows);
  const before = call.texts.get("before");
  // Reading one more row than is printed shows whether there is a next page.
  const found = await read({ limit: limit + 1, ...(before === undefined ? {} : { before }) });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (found.length === rows.length || last === undefined) return { rows, next: null, hint: null };
  const next = nameOf(last);
  const given = filtersOf(call).map((words) => ` ${words}`).join("");
  const hint = `Showing ${formatCount(rows.length, "row")}. ` +
    `Next page: \`regfeed ${command}${given} --before ${next}\`. More rows: --limit N.\n`;
  return { rows, next, hint };
}

/** Returns the options, except `--before` and those of the output, as they are typed. */
function filtersOf({ flags, texts, lists }: CommandCall): string[] {
  const values = [
    ...texts,
    ...[...lists].flatMap(([name, list]) => list.map((value) => [name, value] as const)),
  ];
  return [
    ...values.filter(([name]) => name !== "before")
      .map(([name, value]) => `--${name} ${shellQuote(value)}`),
    ...[...flags].filter((name) => name !== "json" && name !== "verbose").map((name) => `--${name}`),
  ];
}

/** Prints a page as JSON with `--json`, where `name` is the field with the rows; otherwise as a table and the hint. */
export function printPage<T>(
  call: CommandCall,
  { next, hint }: Page<unknown>,
  name: string,
  listing: Listing<T> & { fields?: readonly unknown[] },
): void {
  const { fields = listing.rows, ...shown } = listing;
  printList(call, { [name]: fields, next }, shown);
  if (hint !== null && !call.flags.has("json")) call.host.err(hint);
}

function limitOf({ flags, texts }: CommandCall, jsonRows: number): number {
  const text = texts.get("limit");
  if (text === undefined) return flags.has("json") ? jsonRows : PAGE_ROWS;
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new CommandError(`--limit must be a whole number of at least 1, not ${text}`, EXIT.usage);
  }
  return Number(text);
}
