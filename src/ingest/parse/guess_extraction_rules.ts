// Guesses extraction rules from a document's key names, for previews and as a starting point for a config.
import type { ItemField, Reading } from "../../domain/source/extraction_rules.ts";
import { isObject, type JsonObject } from "./formats/read_json.ts";

/** Maximum depth of lists, and of fields within an item. */
const MAX_DEPTH = 8;
const MAX_FIELD_DEPTH = 4;
const MAX_EXAMINED = 20;
const MAX_KEYS = 100;

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
  ["id", [/^(document_?number|identifier|identificador|celex)$/i, /^(id|guid|uuid|_id|cid)$/i]],
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

interface Guess {
  path: string[];
  count: number;
  fields: Record<string, string[]>;
}

/** Guesses the rules for a JSON value. Returns null if it has no items with titles. */
export function guessJson(value: unknown): Extract<Reading, { kind: "json" }> | null {
  let best: Guess | null = null;
  const root = isObject(value) ? guessFields([value]) : {};
  const visit = (inner: unknown, path: string[]): void => {
    if (path.length > MAX_DEPTH) return;
    if (Array.isArray(inner)) {
      const objects = inner.filter(isObject);
      const fields = guessFields(objects.slice(0, MAX_EXAMINED));
      const count = fields.title === undefined ? 0 : objects.length;
      const better = best === null ? count > 0 : count > best.count && path.length <= best.path.length;
      if (better) best = { path, count, fields };
      for (const item of objects.slice(0, MAX_EXAMINED)) visit(item, path);
    } else if (isObject(inner)) {
      for (const [key, part] of Object.entries(inner).slice(0, MAX_KEYS)) visit(part, [...path, key]);
    }
  };
  visit(value, []);
  const isOne = root.title !== undefined && root.link !== undefined && !root.title[0]?.includes(".");
  if (best === null && root.title === undefined) return null;
  const { path, fields } = isOne || best === null ? { path: [], fields: root } : best as Guess;
  return { kind: "json", items: [written(path)], fields, dateFormat: null, next: null };
}

/** Returns the rules in config syntax, on one line. */
export function describeGuess({ items, fields }: Extract<Reading, { kind: "json" }>): string {
  const rules = Object.entries(fields).map(([field, [rule]]) => `${field} = ${JSON.stringify(rule)}`);
  return [`items = ${JSON.stringify(items[0])}`, ...rules].join(", ");
}

function guessFields(objects: readonly JsonObject[]): Record<string, string[]> {
  const leaves = new Map<string, { key: string; depth: number; hasWords: boolean }>();
  const visit = (value: unknown, path: string[]): void => {
    if (Array.isArray(value)) return value.slice(0, 2).forEach((item) => visit(item, path));
    if (isObject(value)) {
      if (path.length >= MAX_FIELD_DEPTH) return;
      for (const [key, part] of Object.entries(value).slice(0, MAX_KEYS)) visit(part, [...path, key]);
    } else if ((typeof value === "string" && value.trim() !== "") || typeof value === "number") {
      const leaf = leaves.get(written(path)) ??
        { key: path.at(-1) ?? "", depth: path.length, hasWords: false };
      leaf.hasWords ||= /\p{L}{3}/u.test(String(value));
      leaves.set(written(path), leaf);
    }
  };
  for (const object of objects) visit(object, []);
  const sorted = [...leaves].sort(([, a], [, b]) => a.depth - b.depth);
  const fields: Record<string, string[]> = {};
  for (const [field, patterns] of NAMES) {
    const candidates = sorted.filter(([, { hasWords }]) => field !== "title" || hasWords);
    const [found] = patterns.flatMap((pattern) => candidates.filter(([, { key }]) => pattern.test(key)));
    if (found !== undefined) fields[field] = [found[0]];
  }
  return fields;
}

function written(path: readonly string[]): string {
  return path.map((key) => /^[^.\s"{}]+$/.test(key) ? key : `"${key.replaceAll('"', "")}"`).join(".");
}
