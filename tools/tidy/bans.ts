// Tidy rules on the outside world: only src/platform and main.ts use time, randomness, network, files and console.
import ts from "npm:typescript@5.9.3";
import { moduleOf } from "./imports.ts";
import { at, importsOf, lineOf, nodesOf, type Offence, type Source } from "./source.ts";

/** Globals that access the outside world. */
const GLOBALS = new Set([
  "Deno",
  "fetch",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "console",
  "performance",
  "process",
  "globalThis",
  "WebSocket",
  "EventSource",
  "Worker",
]);

/** Members that access the outside world although their globals are harmless otherwise. */
const MEMBERS = new Set([
  "Date.now",
  "Math.random",
  "crypto.getRandomValues",
  "crypto.randomUUID",
  "AbortSignal.timeout",
]);

/** Modules that access the outside world. */
const MODULES =
  /^(undici|nodemailer|@logtape\/logtape|node:(net|http|https|http2|tls|dns|fs|os|process|child_process|worker_threads|timers|dgram|readline)(\/.*)?)$/;

const RANDOM = /^(random\w+|getRandomValues|webcrypto|default|generate\w+)$/;

/** SQL that reads the clock or randomness. */
const SQL =
  /\b(current_(timestamp|date|time)|random(blob)?\s*\(|unixepoch\s*\(\s*\)|(?:date|time|datetime)\s*\(\s*\))|'now'/i;

/** Outside src/platform and main.ts, no code uses the clock, timers, randomness, network, files or console. */
export function worldRule(sources: readonly Source[]): Offence[] {
  return sources.filter(({ path }) => !["main", "platform", null].includes(moduleOf(path))).flatMap(
    (source) => {
      if (source.tree === null) return sqlOffences(source);
      const declared = declaredNames(source);
      const offences: Offence[] = [];
      for (const node of nodesOf(source)) {
        const what = banned(node, declared);
        if (what !== null) offences.push(at(source, node, what));
      }
      return [...offences, ...importOffences(source)];
    },
  );
}

function banned(node: ts.Node, declared: ReadonlySet<string>): string | null {
  if (ts.isIdentifier(node) && GLOBALS.has(node.text) && isUse(node) && !declared.has(node.text)) {
    return node.text;
  }
  if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)) {
    const member = ts.isPropertyAccessExpression(node) ? node.name.text : textOf(node.argumentExpression);
    const name = `${node.expression.getText()}.${member}`;
    return MEMBERS.has(name) ? name : null;
  }
  if (ts.isNewExpression(node) && node.expression.getText() === "Date" && !node.arguments?.length) {
    return "new Date() without an argument";
  }
  if (ts.isCallExpression(node) && node.expression.getText() === "Date") return "Date()";
  const isSql = ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);
  return isSql && /^\s*(select|insert|update|delete|with)\b/i.test(textOf(node)) && SQL.test(node.getText())
    ? "SQL that reads the clock or randomness"
    : null;
}

function textOf(node: ts.Expression): string {
  return ts.isStringLiteralLike(node) ? node.text : node.getText().replace(/^`/, "");
}

/** Whether an identifier is used as a value here, rather than as a member, a type or a declaration. */
function isUse(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isQualifiedName(parent)) return parent.left === node;
  if (ts.isTypeReferenceNode(parent) || ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent)) {
    return false;
  }
  if (ts.isBindingElement(parent)) return parent.initializer === node;
  return !("name" in parent && parent.name === node) || ts.isShorthandPropertyAssignment(parent);
}

/** Returns the names that the file declares, which therefore do not refer to globals. */
function declaredNames(source: Source): Set<string> {
  const names = new Set<string>();
  for (const node of nodesOf(source)) {
    const isBinding = ts.isParameter(node) || ts.isVariableDeclaration(node) || ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) || ts.isImportSpecifier(node);
    // A parameter in a type declares no name that code could use.
    const isType = ts.isParameter(node) &&
      (ts.isMethodSignature(node.parent) || ts.isFunctionTypeNode(node.parent));
    if (isBinding && !isType && node.name !== undefined && ts.isIdentifier(node.name)) {
      names.add(node.name.text);
    }
  }
  return names;
}

function importOffences(source: Source): Offence[] {
  return importsOf(source).flatMap(({ specifier, node, clause }) => {
    if (MODULES.test(specifier)) return [at(source, node, `imports ${specifier}`)];
    if (specifier === "node:sqlite" && moduleOf(source.path) !== "store") {
      return [at(source, node, "imports node:sqlite")];
    }
    if (specifier !== "node:crypto") return [];
    const bindings = clause?.namedBindings;
    if (bindings === undefined || !ts.isNamedImports(bindings)) {
      return [at(source, node, "imports all of node:crypto")];
    }
    return bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
      .filter((name) => RANDOM.test(name)).map((name) =>
        at(source, node, `imports ${name} from node:crypto`)
      );
  });
}

function sqlOffences(source: Source): Offence[] {
  const found = source.path.endsWith(".sql") ? SQL.exec(source.text) : null;
  if (found === null) return [];
  return [{ path: source.path, line: lineOf(source, found.index), what: `SQL reads ${found[0]}` }];
}
