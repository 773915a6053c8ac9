// The `Link` header (RFC 8288): which URL a response names as the next page.

const PARAMETER = /\s*;\s*([^\s=;,<>"]+)\s*/y;
const VALUE = /=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,<>]*))/y;

/** The target of the first link whose relation is `next`, as stated; null if there is none. */
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

/** The parameters of one link: what its first `rel` says, since further ones are ignored (RFC 8288, 3.3). */
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
