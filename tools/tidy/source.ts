// Reads and parses the repository's files for the tidy rules, each file once.
import ts from "npm:typescript@5.9.3";

export interface Source {
  /** Path relative to the repository's root, with slashes: "src/domain/event/ids.ts". */
  path: string;
  text: string;
  /** The syntax tree, or null if the file is not TypeScript. */
  tree: ts.SourceFile | null;
}

/** A violation of a rule. */
export interface Offence {
  path: string;
  /** Line number, from 1. */
  line: number;
  what: string;
}

const FOLDERS = ["src", "tests", "tools"];
const FILES = ["main.ts", "deno.json"];
const ENDINGS = [".ts", ".sql"];

export function parseSource(path: string, text: string): Source {
  const tree = path.endsWith(".ts")
    ? ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS)
    : null;
  return { path, text, tree };
}

export function readRepository(root: URL): Source[] {
  const paths = [...FILES, ...FOLDERS.flatMap((folder) => listFiles(root, folder))];
  return paths.map((path) => parseSource(path, Deno.readTextFileSync(new URL(path, root))));
}

function listFiles(root: URL, folder: string): string[] {
  return [...Deno.readDirSync(new URL(`${folder}/`, root))].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return listFiles(root, path);
    return ENDINGS.some((ending) => name.endsWith(ending)) ? [path] : [];
  }).sort();
}

export function at(source: Source, node: ts.Node, what: string): Offence {
  return { path: source.path, line: lineOf(source, node.getStart()), what };
}

/** Returns the line number (from 1) of a position in the text. */
export function lineOf({ text }: Source, position: number): number {
  return text.slice(0, position).split("\n").length;
}

/** Yields every node of the tree, parents before children. */
export function* nodesOf({ tree }: Source): Generator<ts.Node> {
  const waiting: ts.Node[] = tree === null ? [] : [tree];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    const children: ts.Node[] = [];
    ts.forEachChild(node, (child) => void children.push(child));
    waiting.push(...children.reverse());
  }
}

/** Returns the specifiers of a file's imports and re-exports, including dynamic imports, with their nodes. */
export function importsOf(source: Source): { specifier: string; node: ts.Node; clause?: ts.ImportClause }[] {
  const found: { specifier: string; node: ts.Node; clause?: ts.ImportClause }[] = [];
  for (const node of nodesOf(source)) {
    const specifier = specifierOf(node);
    if (specifier === undefined) continue;
    const clause = ts.isImportDeclaration(node) ? node.importClause : undefined;
    found.push({ specifier, node, ...(clause === undefined ? {} : { clause }) });
  }
  return found;
}

function specifierOf(node: ts.Node): string | undefined {
  let named: ts.Node | undefined;
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) named = node.moduleSpecifier;
  else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    named = node.arguments[0];
  } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) named = node.argument.literal;
  return named !== undefined && ts.isStringLiteralLike(named) ? named.text : undefined;
}

export function commentsOf({ tree, text }: Source): { text: string; position: number }[] {
  const found = new Map<number, string>();
  const look = (node: ts.Node): void => {
    const children = node.getChildren();
    if (children.length > 0) return children.forEach(look);
    const keep = (from: number, to: number) => void found.set(from, text.slice(from, to));
    ts.forEachLeadingCommentRange(text, node.getFullStart(), keep);
    ts.forEachTrailingCommentRange(text, node.getEnd(), keep);
  };
  if (tree !== null) look(tree);
  return [...found].map(([position, comment]) => ({ text: comment, position }));
}
