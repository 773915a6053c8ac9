// Finds the position of every table, key and list element in a TOML text.
import { type AST, parseTOML } from "toml-eslint-parser";

/** A path into a TOML document: keys of tables and list indexes from 0. */
export type KeyPath = readonly (string | number)[];

/** Columns on one line, from 0. `end` is exclusive, and Infinity if the node ends on a later line. */
export interface Columns {
  start: number;
  end: number;
}

/** The position of a table's header, of a key with its value, or of a list element. */
export interface Position {
  /** From 1. */
  line: number;
  /** The name in a header, the key, or the list element. */
  name: Columns;
  /** The value of a key, or the list element; null for a header. */
  value: Columns | null;
  /** The header, the key with its value, or the part of a list that is on this line. */
  whole: Columns;
  /** Whether the value contains inline tables. */
  hasTables: boolean;
}

/** The positions in a document. Lines are counted from 1. */
interface KeyLines {
  positionOf(path: KeyPath): Position | null;
  /** Returns the line on which the path starts, or null if the document does not contain it. */
  lineOf(path: KeyPath): number | null;
  /** Returns the line of the path or of the innermost table or list that contains it, or null if there is none. */
  nearestLineOf(path: KeyPath): number | null;
}

interface Entry {
  position: Position;
  /** False as long as only keys below the table are known, as for `a` after `[a.b]`. */
  isExplicit: boolean;
  children: Map<string | number, Entry>;
}

/**
 * Finds the lines of a document that `smol-toml` accepted. A table without a header has the line of its first key.
 * Finds no lines if this parser cannot read the document, for example because of a string of over 100,000 characters.
 */
export function findKeyLines(text: string): KeyLines {
  const start = { line: 0, name: NO_COLUMNS, value: null, whole: NO_COLUMNS, hasTables: false };
  const root: Entry = { position: start, isExplicit: true, children: new Map() };
  for (const node of parse(text) ?? []) {
    if (node.type === "TOMLKeyValue") addPair(root, node);
    else {
      const table = addEntry(root, node.resolvedKey, headerPosition(node));
      for (const pair of node.body) addPair(table, pair);
    }
  }
  const positionOf = (path: KeyPath): Position | null => {
    let entry: Entry | undefined = root;
    for (const step of path) entry = entry?.children.get(step);
    return entry === undefined || entry === root ? null : entry.position;
  };
  const lineOf = (path: KeyPath): number | null => positionOf(path)?.line ?? null;
  return {
    positionOf,
    lineOf,
    nearestLineOf(path) {
      for (let length = path.length; length > 0; length--) {
        const line = lineOf(path.slice(0, length));
        if (line !== null) return line;
      }
      return null;
    },
  };
}

/** Returns the path of the table in which the text ends, or null if the text is not valid or ends within a value. */
export function tableAtEnd(text: string): KeyPath | null {
  const body = parse(text);
  if (body === null) return null;
  const last = body.at(-1);
  return last?.type === "TOMLTable" ? last.resolvedKey : [];
}

/** Returns null if the text is not valid. */
function parse(text: string): AST.TOMLTopLevelTable["body"] | null {
  try {
    return parseTOML(text.replace(/^\uFEFF/, ""), { tomlVersion: "1.1" }).body[0].body;
  } catch {
    return null;
  }
}

const NO_COLUMNS: Columns = { start: 0, end: 0 };

function headerPosition({ key, kind, loc }: AST.TOMLTable): Position {
  const { line } = loc.start;
  const name = columnsOf(key);
  const brackets = kind === "array" ? 2 : 1;
  const whole = { start: loc.start.column, end: name.end + brackets };
  return { line, name, value: null, whole, hasTables: false };
}

function addPair(table: Entry, { key, value }: AST.TOMLKeyValue): void {
  const path = key.keys.map((part) => part.type === "TOMLBare" ? part.name : part.value);
  const name = columnsOf(key);
  const { line } = key.loc.start;
  const shown = columnsOf(value);
  const whole = { start: name.start, end: shown.end };
  const position = { line, name, value: shown, whole, hasTables: hasTables(value) };
  addValue(addEntry(table, path, position), value, position);
}

function addValue(entry: Entry, value: AST.TOMLContentNode, pair: Position): void {
  if (value.type === "TOMLInlineTable") { for (const part of value.body) addPair(entry, part); }
  if (value.type !== "TOMLArray") return;
  for (const [i, element] of value.elements.entries()) {
    const { line } = element.loc.start;
    const name = columnsOf(element);
    const whole = line === pair.line ? pair.whole : { start: 0, end: name.end };
    const position = { line, name, value: name, whole, hasTables: pair.hasTables };
    addValue(addEntry(entry, [i], position), element, pair);
  }
}

function hasTables(value: AST.TOMLContentNode): boolean {
  return value.type === "TOMLInlineTable" || (value.type === "TOMLArray" && value.elements.some(hasTables));
}

function columnsOf({ loc: { start, end } }: AST.TOMLNode): Columns {
  return { start: start.column, end: end.line === start.line ? end.column : Infinity };
}

function addEntry(from: Entry, path: KeyPath, position: Position): Entry {
  let entry = from;
  for (const [i, step] of path.entries()) {
    let child = entry.children.get(step);
    if (child === undefined) {
      child = { position, isExplicit: false, children: new Map() };
      entry.children.set(step, child);
    }
    if (i === path.length - 1 && !child.isExplicit) Object.assign(child, { position, isExplicit: true });
    entry = child;
  }
  return entry;
}
