// Finds the known keys of the config file from its schema.
import * as z from "zod";
import type { KeyPath } from "./key_lines.ts";
import { didYouMean } from "../../domain/did_you_mean.ts";
import { formatKey, joinList } from "./problems.ts";
import { FILE_SCHEMA } from "../schema.ts";

function knownKeysAt(path: KeyPath): string[] {
  let schema: z.core.$ZodType | undefined = FILE_SCHEMA;
  for (const step of path) {
    schema = unwrap(schema);
    if (schema instanceof z.ZodArray) schema = schema.element;
    else schema = schema instanceof z.ZodObject ? schema.shape[step] : undefined;
  }
  return Object.keys(shapeOf(unwrap(schema)));
}

/** Returns every known key with its table, without indexes: `server.listen`, `sources.id`. */
export function allKnownKeys(): string[] {
  return leavesOf(FILE_SCHEMA, []);
}

/** Returns the names of all tables and keys, without their tables. */
export function knownNames(): Set<string> {
  return new Set(allKnownKeys().flatMap((path) => path.split(".")));
}

/** Whether the schema has this path. */
export function isKnownPath(path: KeyPath): boolean {
  return schemaAt(path) !== undefined;
}

/** Whether the schema expects a table or a list of tables at this path. */
export function isTablePath(path: KeyPath): boolean {
  const schema = unwrap(schemaAt(path));
  const item = schema instanceof z.ZodArray ? unwrap(schema.element) : schema;
  return item instanceof z.ZodObject || item instanceof z.ZodRecord;
}

function schemaAt(path: KeyPath): z.core.$ZodType | undefined {
  let schema: z.core.$ZodType | undefined = FILE_SCHEMA;
  for (const step of path) {
    schema = unwrap(schema);
    if (schema instanceof z.ZodArray) schema = schema.element;
    else if (schema instanceof z.ZodRecord) schema = schema.valueType;
    else if (schema instanceof z.ZodObject) {
      schema = Object.hasOwn(schema.shape, step) ? schema.shape[step] : undefined;
    }
    // Every other schema that accepts lists or tables has one meaning for all of their elements.
    if (schema === undefined) return undefined;
  }
  return schema;
}

export function unknownKeyMessage(table: KeyPath, key: string): string {
  const known = knownKeysAt(table);
  if (/^keywords_[a-z]{2}$/.test(key) && known.includes("keywords_other")) {
    return 'is not a known list: put words in this language into "keywords_other"';
  }
  const hint = didYouMean(key, known);
  if (hint !== "") return `unknown key.${hint}`;
  const home = allKnownKeys().find((path) => path.split(".").at(-1) === key);
  if (home !== undefined) return `unknown key here: "${key}" belongs to ${headerOf(home)}`;
  const where = formatKey(table.filter((step) => typeof step === "string"));
  return `unknown key; ${where === null ? "the tables are" : `${where} has`} ${joinList(known)}`;
}

/** Returns the names of the tables that are lists and have headers in double brackets, such as `sources`. */
export function listTables(): string[] {
  return Object.entries(FILE_SCHEMA.shape)
    .filter(([, schema]) => unwrap(schema) instanceof z.ZodArray)
    .map(([name]) => name);
}

function headerOf(leaf: string): string {
  const table = leaf.split(".").slice(0, -1);
  const schema = unwrap(FILE_SCHEMA.shape[table[0] as keyof typeof FILE_SCHEMA.shape]);
  return schema instanceof z.ZodArray && table.length === 1
    ? `[[${table.join(".")}]]`
    : `[${table.join(".")}]`;
}

function leavesOf(schema: z.core.$ZodType, path: readonly string[]): string[] {
  const inner = unwrap(schema);
  const table = unwrap(inner instanceof z.ZodArray ? inner.element : inner);
  const shape = shapeOf(table);
  if (Object.keys(shape).length === 0) return [path.join(".")];
  return Object.entries(shape).flatMap(([key, part]) => leavesOf(part, [...path, key]));
}

function shapeOf(schema: z.core.$ZodType | undefined): Record<string, z.core.$ZodType> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

/** Returns the schema without the wrappers for a default value and an optional value. */
function unwrap(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let inner = schema;
  while (inner instanceof z.ZodPrefault || inner instanceof z.ZodOptional) inner = inner.def.innerType;
  return inner;
}
