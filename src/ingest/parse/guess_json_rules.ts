// Guesses the extraction rules of a JSON document from its repeated structure and its key names.
import type { ItemField, Reading } from "../../domain/source/extraction_rules.ts";
import { parseDate } from "../normalise/dates.ts";
import { isObject, type JsonObject } from "./formats/read_json.ts";

type JsonReading = Extract<Reading, { kind: "json" }>;

/** Maximum depth of lists, and of fields within an item. */
const MAX_DEPTH = 8;
const MAX_FIELD_DEPTH = 4;
const MAX_EXAMINED = 20;
const MAX_KEYS = 100;
const MAX_LISTS = 100;

/** Patterns of key names for each field, in several languages, most specific first. */
const NAMES: readonly [ItemField, RegExp[]][] = [
  ["title", [
    /^(title|titel|titre|titulo|título|titolo)$/i,
    /^kurztitel$/i,
    /^(headline|subject|name|nom|nombre)$/i,
  ]],
  ["link", [
    /^html_?url$|^url_?html$/i,
    /^(dokument|document)?_?url$|^link$|^permalink$|^href$/i,
    /^pdf_?url$/i,
  ]],
  ["id", [
    /^(document_?number|identifier|identificador|celex)$/i,
    /^(id|guid|uuid|uid|_id|cid)$/i,
    /^(number|nummer|reference|slug)$/i,
  ]],
  ["summary", [
    /^(abstract|summary|description)/i,
    /(excerpt|beschreibung|zusammenfassung|resume|résumé|text)$/i,
  ]],
  ["published", [
    /^(date_?publication|publication_?date|date_?published|published(_?(at|date))?|veroeffentlicht|ausgabedatum|starts_on)$/i,
    /^(date|datum|fecha(_publicacion)?|created(_?at)?|entscheidungsdatum)$/i,
  ]],
  ["updated", [/^(updated(_?at)?|modified|date_?modified|last_?modified|aktualisiert|geaendert)$/i]],
];

const SUMMARY_NAMES = NAMES.find(([field]) => field === "summary")?.[1] ?? [];

/** A value that items have at a path, such as `agencies.name`. */
interface Leaf {
  path: string;
  key: string;
  depth: number;
  /** Whether the path leads through a list with several entries. */
  isListed: boolean;
  values: string[];
}

/** The objects that the lists at one path contain, with the rules for their fields. */
interface ItemList {
  path: string;
  /** The path of the list whose items contain these lists, or null. */
  outer: string | null;
  objects: JsonObject[];
}

interface Fields {
  fields: Record<string, string[]>;
  /** Whether the items state their titles themselves, each a different one. */
  hasOwnTitle: boolean;
  /** The paths of the values that no field reads. */
  others: string[];
}

interface Guess extends Fields {
  path: string;
  outer: string | null;
  score: number;
}

/** Maximum number of further values that {@link guessJson} names, and maximum length of their paths. */
const MAX_OTHERS = 20;
const MAX_OTHER_LENGTH = 60;

/**
 * Guesses the rules for a JSON value, and names the values of the items that no rule reads. Returns null if the value has
 * no items with titles.
 */
export function guessJson(value: unknown): { reading: JsonReading; others: string[] } | null {
  const rootGuess = guessFields(isObject(value) ? [value] : []);
  const { fields: root } = rootGuess;
  const isOne = root.title !== undefined && root.link !== undefined && !root.title[0]?.includes(".");
  const [best, ...others] = isOne ? [] : guessLists(value);
  if (best === undefined && root.title === undefined) return null;
  const { path, fields, others: unread } = best ?? { path: "", ...rootGuess };
  // A document may have lists of the same kind at several paths, such as one for each section.
  const same = others.filter((other) => JSON.stringify(other.fields) === JSON.stringify(fields));
  const items = [path, ...same.map((other) => other.path)];
  return { reading: { kind: "json", items, fields, dateFormat: null, next: null }, others: unread };
}

/** Returns the lists whose objects look like items, best first. */
function guessLists(value: unknown): Guess[] {
  const lists = new Map<string, ItemList>();
  const visit = (inner: unknown, path: string[], outer: string | null): void => {
    if (path.length > MAX_DEPTH) return;
    if (Array.isArray(inner)) {
      const name = written(path);
      const list = lists.get(name) ?? { path: name, outer, objects: [] };
      if (!lists.has(name) && lists.size < MAX_LISTS) lists.set(name, list);
      const objects = inner.filter(isObject);
      for (const object of objects) list.objects.push(object);
      for (const object of objects.slice(0, MAX_EXAMINED)) visit(object, path, name);
    } else if (isObject(inner)) {
      for (const [key, part] of Object.entries(inner).slice(0, MAX_KEYS)) visit(part, [...path, key], outer);
    }
  };
  visit(value, [], null);
  const guesses = [...lists.values()].map(({ path, outer, objects }) => {
    const guessed = guessFields(objects.slice(0, MAX_EXAMINED));
    const { title, link, published, id } = guessed.fields;
    const worth = (1 + (link ? 1 : 0) + (published ? 0.5 : 0) + (id ? 0.25 : 0)) *
      (guessed.hasOwnTitle ? 1 : 0.3);
    return { path, outer, ...guessed, score: title === undefined ? 0 : objects.length * worth };
  });
  const isItem = ({ fields, hasOwnTitle }: Guess) =>
    hasOwnTitle && (fields.link !== undefined || fields.published !== undefined);
  const items = new Set(guesses.filter(isItem).map(({ path }) => path));
  // The lists within items, such as authors, are not items themselves.
  return guesses
    .filter(({ outer, score }) => score > 0 && (outer === null || !items.has(outer)))
    .sort((a, b) => b.score - a.score);
}

function guessFields(objects: readonly JsonObject[]): Fields {
  const leaves = leavesOf(objects).sort((a, b) =>
    Number(a.isListed) - Number(b.isListed) || a.depth - b.depth
  );
  const fields: Record<string, string[]> = {};
  const named = (patterns: readonly RegExp[], among: readonly Leaf[]) =>
    patterns.flatMap((pattern) => among.filter(({ key }) => pattern.test(key)))[0];
  let hasOwnTitle = false;
  for (const [field, patterns] of NAMES) {
    const isTitleField = field === "title";
    const found = named(patterns, isTitleField ? leaves.filter(isTitle) : leaves) ??
      leaves.find((leaf) => LOOKS_LIKE[field]?.(leaf) === true) ??
      (isTitleField ? named(patterns, leaves.filter(hasWords)) : undefined);
    if (found === undefined) continue;
    fields[field] = [found.path];
    if (isTitleField) hasOwnTitle = !found.isListed && isTitle(found);
  }
  const read = new Set(Object.values(fields).flat());
  const others = leaves.map(({ path }) => path).filter((path) =>
    !read.has(path) && path.length <= MAX_OTHER_LENGTH
  ).slice(0, MAX_OTHERS);
  return { fields, hasOwnTitle, others };
}

const ISO_DATE = /^\d{4}-\d\d-\d\d(?:$|T)/;
/** Keys of texts in several languages, such as `title.en`. */
const LANGUAGES = /^(bg|cs|da|de|el|en|es|et|fi|fr|ga|hr|hu|it|lt|lv|mt|nl|pl|pt|ro|sk|sl|sv)$/i;

/** Whether the values of an unknown key look like a field, for keys in other languages. */
const LOOKS_LIKE: Partial<Record<ItemField, (leaf: Leaf) => boolean>> = {
  title: (leaf) =>
    isTitle(leaf) && leaf.values.every((value) =>
      value.length <= 500 && /\p{L}\s\p{L}+\s\p{L}/u.test(value)
    ) &&
    !SUMMARY_NAMES.some((pattern) => pattern.test(leaf.key)),
  link: ({ key, values }) =>
    areDistinct(values) && (values.every((value) => /^https?:\/\/\S+$/.test(value)) ||
      (/url|link|href|path|alias/i.test(key) && values.every((value) => /^\/[^/\s]\S*$/.test(value)))),
  published: ({ key, values }) =>
    !/updat|modif|chang|expir|valid|end|until|deadline|due/i.test(key) &&
    values.every((value) =>
      (/dat|fecha|publi|issued|time|zeit/i.test(key) ? value.length >= 8 : ISO_DATE.test(value)) &&
      parseDate(value, { timezone: "UTC" }) !== null
    ),
};

function isTitle(leaf: Leaf): boolean {
  return hasWords(leaf) && areDistinct(leaf.values);
}

function hasWords({ values }: Leaf): boolean {
  return values.some((value) => /\p{L}{3}/u.test(value));
}

/** Whether at least half of several values differ. */
function areDistinct(values: readonly string[]): boolean {
  return values.length === 1 || new Set(values).size > values.length / 2;
}

function leavesOf(objects: readonly JsonObject[]): Leaf[] {
  const leaves = new Map<string, Leaf>();
  const visit = (value: unknown, path: string[], isListed: boolean): void => {
    if (Array.isArray(value)) {
      for (const item of value.slice(0, 2)) visit(item, path, isListed || value.length > 1);
    } else if (isObject(value)) {
      if (path.length >= MAX_FIELD_DEPTH) return;
      for (const [key, part] of Object.entries(value).slice(0, MAX_KEYS)) {
        visit(part, [...path, key], isListed);
      }
    } else if ((typeof value === "string" && value.trim() !== "") || typeof value === "number") {
      const name = written(path);
      const leaf = leaves.get(name) ??
        {
          path: name,
          key: path.findLast((key) => !LANGUAGES.test(key)) ?? "",
          depth: path.length,
          isListed,
          values: [],
        };
      leaf.isListed ||= isListed;
      leaf.values.push(String(value).trim());
      leaves.set(name, leaf);
    }
  };
  for (const object of objects) visit(object, [], false);
  return [...leaves.values()];
}

function written(path: readonly string[]): string {
  return path.map((key) => /^[^.\s"{}]+$/.test(key) ? key : `"${key.replaceAll('"', "")}"`).join(".");
}
