// Reads the URL of the next page from the `Link` header (RFC 8288).

const PARAMETER = /\s*;\s*([^\s=;,<>"]+)\s*/y;
const VALUE = /=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,<>]*))/y;

/** Returns the target of the first link with the relation `next`, unresolved, or null if there is none. */
export function nextLink(header: string): string | null {
  for (let open = header.indexOf("<"); open !== -1;) {
    const close = header.indexOf(">", open);
    if (close === -1) return null;
    const { relations, end } = readParameters(header, close + 1);
    if (relations.includes("next")) return header.slice(header.lastIndexOf("<", close) + 1, close);
    open = header.indexOf("<", end);
  }
  return null;
}

/** Reads the relations in the first `rel` of a link and skips its other parameters (RFC 8288, 3.3). */
function readParameters(header: string, start: number): { relations: string[]; end: number } {
  let relations: string[] | null = null;
  let end = start;
  while (true) {
    PARAMETER.lastIndex = end;
    const name = PARAMETER.exec(header)?.[1];
    if (name === undefined) return { relations: relations ?? [], end };
    end = VALUE.lastIndex = PARAMETER.lastIndex;
    const value = VALUE.exec(header);
    if (value !== null) end = VALUE.lastIndex;
    if (name.toLowerCase() === "rel") {
      relations ??= (value?.[1] ?? value?.[2] ?? "").toLowerCase().split(/\s+/);
    }
  }
}
