// Tidy rules on the form of files: sizes, names, comments, tables, and the location of tests.
import { basename } from "node:path/posix";
import ts from "npm:typescript@5.9.3";
import { moduleOf } from "./imports.ts";
import { at, commentsOf, lineOf, nodesOf, type Offence, type Source } from "./source.ts";

const MAX_FILE_LINES = 300;
const MAX_FUNCTION_LINES = 60;
const MAX_FOLDER_FILES = 24;

/** Words that say nothing about a responsibility. Names must not contain them. */
const EMPTY_WORD = /^(utils?|utilities|helpers?|managers?)$/;
/** Names of files and folders that do not say what they contain. */
const EMPTY_FILE = /^(utils?|utilities|helpers?|managers?|types|services|misc|common)$/;

/** The folders of tests/ that do not mirror a module. */
const TEST_FOLDERS = new Set(["tidy", "support", "e2e", "simulation", "fuzz"]);

/** Files are at most 300 lines long; consider whether a longer one has more than one responsibility. */
export function fileLengthRule(sources: readonly Source[]): Offence[] {
  return sources.filter(({ tree }) => tree !== null).flatMap((source) => {
    const lines = source.text.replace(/\n$/, "").split("\n").length;
    return lines > MAX_FILE_LINES ? [{ path: source.path, line: lines, what: `${lines} lines` }] : [];
  });
}

/** Functions are at most 60 lines long, not counting comments before them; consider splitting a longer one. */
export function functionLengthRule(sources: readonly Source[]): Offence[] {
  return sources.flatMap((source) => {
    const offences: Offence[] = [];
    for (const node of nodesOf(source)) {
      if (!ts.isFunctionLike(node) || !("body" in node) || node.body === undefined) continue;
      const lines = lineOf(source, node.getEnd()) - lineOf(source, node.getStart()) + 1;
      if (lines > MAX_FUNCTION_LINES) offences.push(at(source, node, `a function of ${lines} lines`));
    }
    return offences;
  });
}

/** No folder of src directly contains more than 24 files. */
export function folderSizeRule(sources: readonly Source[]): Offence[] {
  const paths = sources.map(({ path }) => path).filter((path) => path.startsWith("src/"));
  return [...Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf("/")))]
    .filter(([, files]) => files.length > MAX_FOLDER_FILES)
    .map(([path, files]) => ({
      path: files[0] ?? path,
      line: 1,
      what: `${path} contains ${files.length} files`,
    }));
}

/** Names of files and folders are snake_case and say what the files and folders contain. */
export function fileNameRule(sources: readonly Source[]): Offence[] {
  return sources.flatMap(({ path }) =>
    path.split("/").flatMap((part) => {
      const name = part.replace(/\.\w+$/, "");
      const offences: Offence[] = [];
      if (!/^[a-z0-9]+(_[a-z0-9]+)*$/.test(name)) {
        offences.push({ path, line: 1, what: `${part} is not snake_case` });
      }
      if (EMPTY_FILE.test(name)) {
        offences.push({ path, line: 1, what: `${part} does not say what it contains` });
      }
      return offences;
    })
  );
}

/** No name contains a word such as "helper", "manager" or "util". */
export function nameRule(sources: readonly Source[]): Offence[] {
  return sources.flatMap((source) => {
    const offences: Offence[] = [];
    for (const node of nodesOf(source)) {
      const name =
        ts.isClassLike(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ||
          ts.isFunctionLike(node) || ts.isVariableDeclaration(node) || ts.isParameter(node) ||
          ts.isEnumDeclaration(node)
          ? node.name
          : undefined;
      if (name === undefined || !ts.isIdentifier(name)) continue;
      const words = name.text.split(/_|(?<=[a-z0-9])(?=[A-Z])/).map((word) => word.toLowerCase());
      if (words.some((word) => EMPTY_WORD.test(word))) offences.push(at(source, name, name.text));
    }
    return offences;
  });
}

/** Every TypeScript and SQL file starts with a comment, which should name its responsibility. */
export function openingRule(sources: readonly Source[]): Offence[] {
  return sources.flatMap(({ path, text }) => {
    const opening = path.endsWith(".ts") ? /^\/\/ \S/ : path.endsWith(".sql") ? /^-- \S/ : /^/;
    return opening.test(text) ? [] : [{ path, line: 1, what: "does not start with a comment" }];
  });
}

/** No comment contains a marker for work that is left to do. */
export function laterRule(sources: readonly Source[]): Offence[] {
  return sources.flatMap((source) =>
    commentsOf(source).flatMap(({ text, position }) => {
      const found = /\b(TODO|FIXME|XXX|HACK)\b/.exec(text);
      return found === null ? [] : [{ path: source.path, line: lineOf(source, position), what: found[0] }];
    })
  );
}

/** Every table is STRICT, except virtual tables, which cannot be. */
export function strictRule(sources: readonly Source[]): Offence[] {
  return sources.filter(({ path }) => path.endsWith(".sql")).flatMap((source) => {
    const plain = source.text.replace(/--.*$/gm, (comment) => " ".repeat(comment.length));
    return [...plain.matchAll(/\bcreate\s+(?:temp\w*\s+)?table\b[^;]*/gi)].flatMap((
      { 0: statement, index },
    ) =>
      /\)[^)]*\bstrict\b[^)]*$/i.test(statement)
        ? []
        : [{ path: source.path, line: lineOf(source, index), what: statement.split("\n")[0]?.trim() ?? "" }]
    );
  });
}

/** Tests mirror the modules of src; nothing else ends in _test.ts. */
export function mirrorRule(sources: readonly Source[]): Offence[] {
  const modules = new Set(sources.map(({ path }) => moduleOf(path)));
  return sources.filter(({ path }) => path.endsWith("_test.ts")).flatMap(({ path }) => {
    const [top, module] = path.split("/");
    if (path === "tests/tidy_test.ts") return [];
    const isMirrored = top === "tests" && module !== undefined &&
      (modules.has(module.replace(/_test\.ts$/, "")) || TEST_FOLDERS.has(module));
    return isMirrored ? [] : [{ path, line: 1, what: `src has no module ${module ?? basename(path)}` }];
  });
}
