// Statements for so many rows: the text of each is made once, so that it is found by itself and not by its letters.

/** Gives the text for a number of rows, the same one each time; of few numbers. */
export function onceFor(make: (rows: number) => string): (rows: number) => string {
  const made: string[] = [];
  return (rows) => made[rows] ??= make(rows);
}

/** A list of placeholders for values. */
export function placeholders(rows: number, placeholder: string): string {
  return Array.from({ length: rows }, () => placeholder).join(", ");
}
