// Lists that are read page by page: how long one is, and where the next one begins.
import type { CommandOption } from "./command.ts";
import { CommandError } from "../server/call.ts";
import { EXIT } from "../server/call.ts";
import type { CommandCall } from "../server/call.ts";

/** The rows of a list for people where no other number is named. */
const PAGE_ROWS = 100;

/** More rows than a database holds. */
export const ALL_ROWS = 1_000_000_000;

/** How a list is paged. */
export interface Paging {
  /** What `--before` takes. */
  row: string;
  /** The rows for scripts where no number is named, of a list that is too long for one answer. */
  jsonRows?: number;
}

/** The options of a list that grows for years. */
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

/** The part of a list that is printed. */
export interface Page<T> {
  rows: T[];
  /** What `--before` takes to go on; null at the end of the list. */
  next: string | null;
}

/**
 * Reads the part of a list that the options ask for. Where more is there than is printed, a line on stderr says so and
 * how to go on.
 */
export async function readPage<T>(
  call: CommandCall,
  command: string,
  { read, nameOf, jsonRows = ALL_ROWS }: {
    read(query: { limit: number; before?: string }): Promise<T[]>;
    /** What `--before` takes to go on after a row. */
    nameOf(row: T): string;
    jsonRows?: number;
  },
): Promise<Page<T>> {
  const limit = limitOf(call, jsonRows);
  const before = call.texts.get("before");
  // One more than is printed: whether there is one is all that the hint needs.
  const found = await read({ limit: limit + 1, ...(before === undefined ? {} : { before }) });
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  if (found.length === rows.length || last === undefined) return { rows, next: null };
  const next = nameOf(last);
  call.host.err(
    `Showing ${rows.length}. For the next ones: \`${command} --before ${next}\`; for more at once: --limit N.\n`,
  );
  return { rows, next };
}

function limitOf({ flags, texts }: CommandCall, jsonRows: number): number {
  const text = texts.get("limit");
  if (text === undefined) return flags.has("json") ? jsonRows : PAGE_ROWS;
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new CommandError(`--limit must be a whole number of at least 1, not ${text}`, EXIT.usage);
  }
  return Number(text);
}
