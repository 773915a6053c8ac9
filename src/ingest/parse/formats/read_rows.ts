// Reads items from JSON of any shape, such as API responses and SPARQL results, by paths.
import type { Reading } from "../../../domain/source/extraction_rules.ts";
import { readTemplate, readValuePath, type ValuePath } from "../../../domain/source/value_path.ts";
import { type Find, itemFrom, markup } from "./fields.ts";
import { DocumentError, NO_PROPERTIES, type ParsedDocument, readItems } from "../parsed.ts";
import { isObject, type JsonObject, parseJson, truncationOf } from "./read_json.ts";

/** Maximum number of values at one path in one item. */
const MAX_VALUES = 200;
/** Maximum number of keys that an error names, and maximum length of each. */
const MAX_KEYS_NAMED = 12;
const MAX_KEY_CHARACTERS = 200;
/** Maximum number of steps of a path through nested lists. */
const MAX_LIST_DEPTH = 16;

/** Reads the response of an API, or the complete items of a truncated one. Throws {@link DocumentError}. */
export function readApi(
  text: string,
  { reading, maxItems }: { reading: Extract<Reading, { kind: "json" }>; maxItems: number },
): ParsedDocument {
  const paths = reading.items.map(pathOf);
  const [first = []] = paths;
  const { value, complete } = parseJson(text, first.length + 1);
  const found = paths.map((path) => itemsAt(value, path));
  const isStated = found.some((items) => items !== null);
  if (
    !isStated && !statesNone(value, first) &&
    (namesError(value) || !paths.some((path) => isNull(value, path)))
  ) {
    throw nothingAt(reading.items.join('" or "'), value);
  }
  return {
    ...readRows(found.flatMap((items) => items ?? []), { reading, complete, maxItems, format: "json" }),
    next: reading.next === null ? null : scalarsAt(value, pathOf(reading.next), 1)[0] ?? null,
  };
}

/** Reads SPARQL 1.1 results in JSON (W3C). `NAME@lang` is the language of a literal. Throws {@link DocumentError}. */
export function readSparql(
  text: string,
  { reading, maxItems }: { reading: Extract<Reading, { kind: "sparql" }>; maxItems: number },
): ParsedDocument {
  const { value, complete } = parseJson(text, 3);
  const bindings = isObject(value) && isObject(value.results) ? value.results.bindings : undefined;
  if (!Array.isArray(bindings)) throw nothingAt("results.bindings", value);
  const rows = bindings.map((row: unknown) => isObject(row) ? flatRow(row) : row);
  return readRows(rows, { reading, complete, maxItems, format: "sparql" });
}

function flatRow(row: JsonObject): JsonObject {
  const flat: JsonObject = Object.create(null);
  for (const [name, binding] of Object.entries(row)) {
    if (!isObject(binding)) continue;
    flat[name] = binding.value;
    flat[`${name}@lang`] = binding["xml:lang"];
  }
  return flat;
}

function readRows(
  rows: readonly unknown[],
  { reading, complete, maxItems, format }: {
    reading: Pick<Extract<Reading, { kind: "sparql" }>, "fields" | "dateFormat">;
    complete: boolean;
    maxItems: number;
    format: "json" | "sparql";
  },
): ParsedDocument {
  const { items, problems } = readItems(rows, maxItems, (row) => {
    if (!isObject(row)) return "it is not an object";
    return itemFrom(reading.fields, reading.dateFormat, finder(row)) ??
      "it has no id, link, title or summary";
  });
  if (!complete) problems.push(truncationOf(rows, items));
  return { ...NO_PROPERTIES, format, items, problems };
}

function finder(row: JsonObject): Find {
  const asStated: Find = (rule, field) => {
    if (!rule.includes("{")) return scalarsAt(row, pathOf(rule), field === "categories" ? MAX_VALUES : 1);
    const template = readTemplate(rule);
    if ("problem" in template) throw new Error(`a rule that the config check missed: ${template.problem}`);
    let text = "";
    for (const part of template.value) {
      if ("text" in part) text += part.text;
      else {
        const value = scalarsAt(row, part.path, 1)[0];
        if (value === undefined) return [];
        text += field === "link" ? encodeURIComponent(value).replaceAll("%2F", "/") : value;
      }
    }
    return [text];
  };
  return (rule, field) => {
    const values = asStated(rule, field);
    return field === "title" || field === "summary" ? values.map(markup) : values;
  };
}

/** The parsed paths of the config, by their unparsed form. */
const paths = new Map<string, ValuePath>();

function pathOf(text: string): ValuePath {
  const known = paths.get(text);
  if (known !== undefined) return known;
  const path = readValuePath(text);
  if ("problem" in path) throw new Error(`a path that the config check missed: ${path.problem}`);
  paths.set(text, path.value);
  return path.value;
}

/** Returns the items at a path, with lists flattened, or null if the path has no value. */
function itemsAt(value: unknown, path: ValuePath): unknown[] | null {
  const found: unknown[] = [];
  let isStated = false;
  walk(value, { path, depth: 0 }, (end) => {
    isStated ||= end !== null;
    if (Array.isArray(end)) { for (const item of end) found.push(item); }
    else if (end !== null) found.push(end);
    return true;
  });
  return isStated ? found : null;
}

/** Returns up to `most` strings and numbers at a path, as strings. */
function scalarsAt(value: unknown, path: ValuePath, most: number): string[] {
  const found: string[] = [];
  walk(value, { path, depth: 0 }, (end) => {
    for (const one of Array.isArray(end) ? end : [end]) {
      const text = typeof one === "number" ? String(one) : typeof one === "string" ? one.trim() : "";
      if (text !== "" && found.length < most) found.push(text);
    }
    return found.length < most;
  });
  return found;
}

/** Follows a path into every item of the lists on it. Calls `visit` with each value found until it returns false. */
function walk(
  value: unknown,
  { path, depth }: { path: ValuePath; depth: number },
  visit: (end: unknown) => boolean,
): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return value === undefined ? true : visit(value);
  if (Array.isArray(value)) {
    if (/^\d+$/.test(step)) return walk(value[Number(step)], { path: rest, depth: depth + 1 }, visit);
    return depth >= MAX_LIST_DEPTH || value.every((item) => walk(item, { path, depth: depth + 1 }, visit));
  }
  if (!isObject(value)) return true;
  const inner = { path: rest, depth: depth + 1 };
  if (step === "*") return Object.values(value).every((part) => walk(part, inner, visit));
  return Object.hasOwn(value, step) ? walk(value[step], inner, visit) : true;
}

/** Whether a document states that it has no items, in which case some APIs omit the list. */
function statesNone(value: unknown, path: ValuePath): boolean {
  const around: unknown[] = [value];
  walk(value, { path: path.slice(0, -1), depth: 0 }, (end) => around.push(end) > 0);
  return around.some((one) =>
    isObject(one) && Object.entries(one).some(([key, count]) => {
      const number = isObject(count) ? count["#text"] : count;
      return /count|total|found|hits/i.test(key) && (number === 0 || number === "0");
    })
  );
}

/** Whether the items are `null`, which is how some programming languages write an empty list. */
function isNull(value: unknown, path: ValuePath): boolean {
  return path.length > 0 && !walk(value, { path, depth: 0 }, (end) => end !== null);
}

function namesError(value: unknown): boolean {
  return isObject(value) &&
    Object.entries(value).some(([key, said]) =>
      /err|fault|exception|message|detail/i.test(key) && said !== null && said !== false && said !== "" &&
      said !== 0 && !(Array.isArray(said) && said.length === 0)
    );
}

function nothingAt(path: string, value: unknown): DocumentError {
  const keys = isObject(value) ? Object.keys(value) : [];
  const named = keys.slice(0, MAX_KEYS_NAMED).map((key) => key.slice(0, MAX_KEY_CHARACTERS)).join(", ");
  const has = Array.isArray(value) ? "it is a list" : keys.length === 0 ? "it is empty" : `it has ${named}`;
  return new DocumentError(`the JSON has nothing at "${path}": ${has}`);
}
