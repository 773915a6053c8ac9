// Parses paths to values in JSON documents, and templates that contain paths in braces.

type PathReading<T> = { value: T } | { problem: string };

/** The steps of a path: keys, `*` for every key, or digits for a key or an index. Empty for the whole document. */
export type ValuePath = readonly string[];

type Template = readonly ({ text: string } | { path: ValuePath })[];

const STEP = /"([^"]*)"|([^.\s"{}]+)/y;

/** Parses paths such as `results`, `data.items` and `a."key.with.dots".0`. In a list, a path continues in each item. */
export function readValuePath(text: string): PathReading<ValuePath> {
  const steps: string[] = [];
  const wanted = 'separate keys with dots, such as "data.items", and put keys with dots or spaces in quotes';
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

/** Parses a template such as `https://example.org/{id}/{slug}`. Text outside braces is literal. */
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
