// Statements for a number of rows: each text is made once, so that the statement cache finds it by identity.

/** Caches the text for each number of rows; for few numbers. */
export function onceFor(make: (rows: number) => string): (rows: number) => string {
  const made: string[] = [];
  return (rows) => made[rows] ??= make(rows);
}

/** A list of placeholders for values. */
export function placeholders(rows: number, placeholder: string): string {
  return Array.from({ length: rows }, () => placeholder).join(", ");
}
