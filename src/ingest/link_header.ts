// The `Link` header (RFC 8288): which address an answer names as the next page.

/** One link: its target, and its parameters as they stand, in which quoted texts may hold commas and semicolons. */
const LINK = /<([^<>]*)>((?:\s*;\s*[^\s=;,<>"]+\s*(?:=\s*(?:"(?:[^"\\]|\\.)*"|[^\s";,<>]*))?)*)/g;
const PARAMETER = /;\s*([^\s=;,<>"]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s";,<>]*)))?/g;

/** The target of the first link whose relation is `next`, as stated; null without one. */
export function nextLink(header: string): string | null {
  for (const [, target = "", parameters = ""] of header.matchAll(LINK)) {
    if (relationsOf(parameters).includes("next")) return target;
  }
  return null;
}

/** What the first `rel` says; further ones are to be ignored (RFC 8288, 3.3). */
function relationsOf(parameters: string): string[] {
  for (const [, name = "", quoted, token = ""] of parameters.matchAll(PARAMETER)) {
    if (name.toLowerCase() === "rel") return (quoted ?? token).toLowerCase().split(/\s+/);
  }
  return [];
}
