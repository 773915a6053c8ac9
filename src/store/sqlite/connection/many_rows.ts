// Bulk inserts: a statement costs more than a row.
import type { Connection, Value } from "./connection.ts";

/** Rows that one statement takes. */
const ROWS = 32;

/** The texts of an insert: of one row, and of {@link ROWS}. */
export interface RowInsert {
  one: string;
  many: string;
}

/** The insert of rows with so many values, of which `into` is the text before the values. */
export function rowInsert(into: string, values: number): RowInsert {
  const row = `(${Array.from({ length: values }, () => "?").join(", ")})`;
  return {
    one: `${into} values ${row}`,
    many: `${into} values ${Array.from({ length: ROWS }, () => row).join(", ")}`,
  };
}

/** Inserts the rows, in their order. */
export function insertRows(
  connection: Connection,
  { one, many }: RowInsert,
  rows: readonly (readonly Value[])[],
): void {
  let at = 0;
  for (; at + ROWS <= rows.length; at += ROWS) connection.run(many, ...rows.slice(at, at + ROWS).flat());
  for (; at < rows.length; at++) connection.run(one, ...rows[at] as readonly Value[]);
}
