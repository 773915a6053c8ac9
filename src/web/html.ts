// HTML as values: whatever is not markup already is escaped when it is put into markup.

/** Markup that is safe to send. */
export class Html {
  constructor(readonly text: string) {}
}

/** What markup is made of; a list stands for its parts, null for nothing. */
export type Part = string | number | Html | null | readonly Part[];

/** Markup from a template: its literal parts as they stand, its values escaped unless they are markup. */
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
