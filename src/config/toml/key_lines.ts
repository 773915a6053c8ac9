// Finds the line of every table, key and list element in a TOML text.
import { type AST, parseTOML } from "toml-eslint-parser";

/** A path into a TOML document: keys of tables and list indexes from 0. */
export type KeyPath = readonly (string | number)[];

/** The lines of a document, counted from 1. */
export interface KeyLines {
  /** Returns the line on which the path starts, or null if the document does not contain it. */
  lineOf(path: KeyPath): number | null;
  /** Returns the line of the path or of the innermost table or list that contains it, or null if there is none. */
  nearestLineOf(path: KeyPath): number | null;
}

interface Entry {
  line: number;
  /** False as long as only keys below the table are known, as for `a` after `[a.b]`. */
  isExplicit: boolean;
  children: Map<string | number, Entry>;
}

/**
 * Finds the lines of a document that `smol-toml` accepted. A table without a header has the line of its first key.
 * Finds no lines if this parser cannot read the document, for example because of a string of over 100,000 characters.
 */
export function findKeyLines(text: string): KeyLines {
  const root: Entry = { line: 0, isExplicit: true, children: new Map() };
  for (const node of parse(text)) {
    if (node.type === "TOMLKeyValue") addPair(root, node);
    else {
      const table = addEntry(root, node.resolvedKey, node);
      for (const pair of node.body) addPair(table, pair);
    }
  }
  const lineOf = (path: KeyPath): number | null => {
    let entry: Entry | undefined = root;
    for (const step of path) entry = entry?.children.get(step);
    return entry === undefined || entry === root ? null : entry.line;
  };
  return {
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

function parse(text: string): AST.TOMLTopLevelTable["body"] {
  try {
    return parseTOML(text.replace(/^\uFEFF/, ""), { tomlVersion: "1.1" }).body[0].body;
  } catch {
    return [];
  }
}

function addPair(table: Entry, { key, value }: AST.TOMLKeyValue): void {
  const path = key.keys.map((part) => part.type === "TOMLBare" ? part.name : part.value);
  addValue(addEntry(table, path, key), value);
}

function addValue(entry: Entry, value: AST.TOMLContentNode): void {
  if (value.type === "TOMLInlineTable") { for (const pair of value.body) addPair(entry, pair); }
  if (value.type !== "TOMLArray") return;
  for (const [i, element] of value.elements.entries()) addValue(addEntry(entry, [i], element), element);
}

function addEntry(from: Entry, path: KeyPath, { loc }: AST.TOMLNode): Entry {
  const { line } = loc.start;
  let entry = from;
  for (const [i, step] of path.entries()) {
    let child = entry.children.get(step);
    if (child === undefined) {
      child = { line, isExplicit: false, children: new Map() };
      entry.children.set(step, child);
    }
    if (i === path.length - 1 && !child.isExplicit) Object.assign(child, { line, isExplicit: true });
    entry = child;
  }
  return entry;
}
