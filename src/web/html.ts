// HTML templates that escape every value except HTML from another template.

export class Html {
  constructor(readonly text: string) {}
}

/** A value in a template: a list is concatenated, null is empty. */
export type Part = string | number | Html | null | readonly Part[];

/** HTML from a template; values are escaped unless they are {@link Html}. */
export function markup(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = literals[0] ?? "";
  for (let at = 0; at < parts.length; at++) text += textOf(parts[at] ?? null) + literals[at + 1];
  return new Html(text);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function textOf(part: Part): string {
  if (part === null) return "";
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(textOf).join("");
  const text = String(part);
  // Most values need no escapes, and a search is much faster than a replacement.
  return /[&<>"']/.test(text)
    ? text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
    : text;
}
