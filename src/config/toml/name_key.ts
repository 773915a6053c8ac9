// Names the keys of a document in messages.
import { readSourceId } from "../parse_values.ts";
import type { KeyPath } from "./key_lines.ts";
import { formatKey } from "./problems.ts";
import { isTable } from "./raw_document.ts";

/** The lists of tables that have ids. */
const WITH_ID = ["sources", "customers", "topics"];

/**
 * Formats a path in a document. Names sources, customers and topics by their id: `[[sources]] "eu-edpb-news" schedule`.
 * If the table has no valid id, uses its index from 0: `sources[2].schedule`. Returns null for the whole document.
 */
export function nameKey(path: KeyPath, document: Record<string, unknown>): string | null {
  const [table, index, ...rest] = path;
  const list = typeof table === "string" && WITH_ID.includes(table) ? document[table] : undefined;
  const item: unknown = Array.isArray(list) && typeof index === "number" ? list[index] : undefined;
  const id = isTable(item) ? item["id"] : undefined;
  if (typeof id !== "string" || !("value" in readSourceId(id))) return formatKey(path);
  const key = formatKey(rest);
  return `[[${table}]] "${id}"${key === null ? "" : ` ${key}`}`;
}
