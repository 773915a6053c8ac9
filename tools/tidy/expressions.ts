// Finds the program's regular expressions: literals, which recheck must prove linear, and others, which a test covers.
import ts from "npm:typescript@5.9.3";
import { moduleOf } from "./imports.ts";
import { at, lineOf, nodesOf, type Offence, type Source } from "./source.ts";

export interface Expression {
  source: string;
  flags: string;
  path: string;
  line: number;
}

/** Expressions that recheck cannot check, because they are created at run time. */
interface Exception {
  path: string;
  /** The function, class or constant that creates the expressions. */
  within: string;
  why: string;
  /** The path and a part of the name of the test that shows that these expressions take limited time. */
  test: { path: string; name: string };
}

const FUZZED = {
  path: "tests/fuzz/fuzz_test.ts",
  name: "no parser takes more than linear time for random inputs",
};
const LISTED = {
  path: "tests/classify/linear_test.ts",
  name: "every pattern of the classifier's lists is searched for in linear time",
};
/** The test for expressions from an operator's config. They run in the parse worker, which has a time limit. */
const OPERATORS = {
  path: "tests/ingest/parse/parse_worker_client_test.ts",
  name: "that takes exponential time fails its source",
};

const EXCEPTIONS: readonly Exception[] = [
  { path: "src/classify/pattern_hits.ts", within: "globToExpression", why: "from the rules", test: LISTED },
  {
    path: "src/classify/phrases/find_patterns.ts",
    within: "buildPatternIndex",
    why: "from the rules",
    test: LISTED,
  },
  { path: "src/classify/language.ts", within: "LETTERS", why: "one class of characters", test: LISTED },
  {
    path: "src/ingest/identify/language_urls.ts",
    within: "usualForms",
    why: "from the source's languages",
    test: FUZZED,
  },
  {
    path: "src/domain/source/date_format.ts",
    within: "readDateAs",
    why: "from the source's date format",
    test: FUZZED,
  },
  { path: "src/http/router.ts", within: "compile", why: "from the paths of the routes", test: FUZZED },
  {
    path: "src/ingest/identify/language_urls.ts",
    within: "languageForms",
    why: "written by the operator",
    test: OPERATORS,
  },
  {
    path: "src/ingest/identify/identity_rule.ts",
    within: "patternKey",
    why: "written by the operator",
    test: OPERATORS,
  },
  {
    path: "src/ingest/parse/sitemap_pages.ts",
    within: "matcher",
    why: "written by the operator",
    test: OPERATORS,
  },
  {
    path: "src/config/sources/identity_rule.ts",
    within: "readPattern",
    why: "compiled, never run",
    test: OPERATORS,
  },
  {
    path: "src/config/sources/identity_rule.ts",
    within: "countGroups",
    why: "run on an empty string",
    test: OPERATORS,
  },
];

/** Returns the program's regular expression literals, each once. */
export function expressionsOf(sources: readonly Source[]): Expression[] {
  const found = new Map<string, Expression>();
  for (const source of sources) {
    if (moduleOf(source.path) === null) continue;
    for (const node of nodesOf(source)) {
      const written = ts.isRegularExpressionLiteral(node) ? node.text : null;
      if (written === null || found.has(written)) continue;
      const end = written.lastIndexOf("/");
      found.set(written, {
        source: written.slice(1, end),
        flags: written.slice(end + 1),
        path: source.path,
        line: lineOf(source, node.getStart()),
      });
    }
  }
  return [...found.values()];
}

/** Expressions are literals, which recheck checks, or exceptions. Every exception is used and has its test. */
export function madeExpressionRule(
  sources: readonly Source[],
  exceptions: readonly Exception[] = EXCEPTIONS,
): Offence[] {
  const offences: Offence[] = [];
  const used = new Set<Exception>();
  for (const source of sources) {
    if (moduleOf(source.path) === null) continue;
    for (const node of nodesOf(source)) {
      if (!ts.isNewExpression(node) && !ts.isCallExpression(node)) continue;
      if (!ts.isIdentifier(node.expression) || node.expression.text !== "RegExp") continue;
      const within = declarationAround(node);
      const exception = exceptions.find((one) => one.path === source.path && one.within === within);
      if (exception === undefined) {
        offences.push(at(source, node, `${within} creates an expression that is not among the exceptions`));
      } else used.add(exception);
    }
  }
  for (const exception of exceptions) {
    const { path, within, test } = exception;
    const isProven = sources.some((source) => source.path === test.path && source.text.includes(test.name));
    if (!isProven) {
      offences.push({ path, line: 1, what: `${within} has no test "${test.name}" in ${test.path}` });
    }
    if (!used.has(exception)) offences.push({ path, line: 1, what: `${within} creates no expression` });
  }
  return offences;
}

/** Returns the name of the outermost declaration that contains the node. */
function declarationAround(node: ts.Node): string {
  let statement = node;
  while (!ts.isSourceFile(statement.parent)) statement = statement.parent;
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText()).join(", ");
  }
  return ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)
    ? statement.name?.text ?? ""
    : "";
}
