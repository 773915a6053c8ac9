// Paths into JSON, and templates that contain them in braces, as the config writes them.

/** A parsed path or template, or why it is invalid. */
export type PathReading<T> = { value: T } | { problem: string };

/** The steps of a path: keys; `*` matches every key, digits are also an index. Empty for the whole document. */
export type ValuePath = readonly string[];

export type Template = readonly ({ text: string } | { path: ValuePath })[];

const STEP = /"([^"]*)"|([^.\s"{}]+)/y;

/** Parses `results`, `data.items`, `a."key.with.dots".0`. In a list, the path continues in each item. */
export function readValuePath(text: string): PathReading<ValuePath> {
  const steps: string[] = [];
  const wanted =
    'write keys with dots between them, such as "data.items"; a key with dots or blanks in quotes';
  if (text === "") return { value: steps };
  for (let at = 0; at <= text.length; at++) {
    STEP.lastIndex = at;
    const match = STEP.exec(text);
    if (match === null) return { problem: `is not a valid path: ${JSON.stringify(text)}; ${wanted}` };
    steps.push(match[1] ?? match[2] ?? "");
    at = STEP.lastIndex;
    if (at < text.length && text[at] !== ".") {
      return { problem: `is not a valid path: ${JSON.stringify(text)}; ${wanted}` };
    }
  }
  return { value: steps };
}

/** Parses `https://example.org/{id}/{slug}`; a text without braces is a path. */
export function readTemplate(text: string): PathReading<Template> {
  const parts: ({ text: string } | { path: ValuePath })[] = [];
  for (const part of text.split(/(\{[^{}]*\})/)) {
    if (part.startsWith("{")) {
      const path = readValuePath(part.slice(1, -1));
      if ("problem" in path) return path;
      if (path.value.length === 0) return { problem: `has empty braces: write a path in them` };
      parts.push({ path: path.value });
    } else if (/[{}]/.test(part)) {
      return { problem: `has an unmatched brace: ${JSON.stringify(text)}` };
    } else if (part !== "") {
      parts.push({ text: part });
    }
  }
  return { value: parts };
}
