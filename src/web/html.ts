// HTML templates that escape every value except HTML from another template.

export class Html {
  constructor(readonly text: string) {}
}

/** A value in a template: a list is concatenated, null is empty. */
export type Part = string | number | Html | null | readonly Part[];

/** HTML from a template; values are escaped unless they are {@link Html}. */
export function markup(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(
    literals.map((literal, index) => (index === 0 ? literal : textOf(parts[index - 1] ?? null) + literal))
      .join(""),
  );
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
  return String(part).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}
