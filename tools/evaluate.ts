// `deno task evaluate FILE.jsonl [--config FILE] [--json]`: measures the classification on labelled items.
import { dirname, resolve } from "node:path";
import { findAdditionProblems } from "../src/classify/check_configured_rules.ts";
import { type Classifier, createClassifier } from "../src/classify/classify.ts";
import { NO_ADDITIONS } from "../src/classify/configured_rules.ts";
import {
  type Confusion,
  type Counts,
  evaluate,
  type Evaluation,
  readLabelled,
} from "./evaluate/evaluation.ts";
import { parseConfig } from "../src/config/config.ts";

const USAGE = `usage: deno task evaluate FILE.jsonl [--config FILE] [--json]
FILE.jsonl contains one item per line: {"title", "relevant", "event_type", "severity", "topics"?, "id"?, "summary"?,
"url"?, "lang"?, "source"?}. The built-in rules apply; --config adds those of that file ([[topics]],
[[topic_keywords]], [[severity_rules]], and for items with "source" the event_type and topics of that source).
`;
const EXIT_USAGE = 2;

await main();

async function main(): Promise<void> {
  const { file, config, isJson } = readArguments(Deno.args);
  const classifier = config === null ? createClassifier(NO_ADDITIONS) : await readClassifier(config);
  const result = evaluate(readItems(file, classifier), classifier.classify);
  const { rulesVersion } = classifier;
  console.log(
    isJson ? JSON.stringify(toJson(result, rulesVersion), null, 1) : describe(result, rulesVersion),
  );
}

function readArguments(args: readonly string[]): { file: string; config: string | null; isJson: boolean } {
  // A task runs in the repository's folder, but file names are relative to the user's current folder.
  const place = (name: string) => resolve(Deno.env.get("INIT_CWD") ?? Deno.cwd(), name);
  const at = args.indexOf("--config");
  const config = at < 0 ? null : args[at + 1];
  if (config === undefined || config?.startsWith("-")) fail(USAGE);
  const others = args.filter((word, i) => word !== "--json" && (at < 0 || (i !== at && i !== at + 1)));
  const [file, ...rest] = others;
  if (file === undefined || file.startsWith("-") || rest.length > 0) fail(USAGE);
  return {
    file: place(file),
    config: config === null ? null : place(config),
    isJson: args.includes("--json"),
  };
}

/** Creates a classifier with a config's additions. The config must be valid, as for `regfeed check`. */
async function readClassifier(path: string): Promise<Classifier> {
  const text = readText(path);
  try {
    const { classification } = await parseConfig(text, {
      file: path,
      folder: dirname(path),
      readSecret: { file: (file) => Deno.readTextFile(file), env: (name) => Deno.env.get(name) },
      findAdditionProblems,
    });
    return createClassifier(classification);
  } catch (error) {
    fail(`${(error as Error).message}\n`);
  }
}

function readItems(path: string, classifier: Classifier): ReturnType<typeof readLabelled> {
  const text = readText(path);
  try {
    return readLabelled(text, classifier.topics);
  } catch (error) {
    fail(`${path}: ${(error as Error).message}\n`);
  }
}

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    fail(`${path} cannot be read: ${(error as Error).message}\n`);
  }
}

function fail(message: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(message));
  Deno.exit(EXIT_USAGE);
}

function toJson(result: Evaluation, rulesVersion: string): Record<string, unknown> {
  return {
    rules_version: rulesVersion,
    items: result.items,
    relevance: countsJson(result.relevance),
    topics: countsJson(result.topics),
    event_type: { exact: result.eventType.exact },
    severity: { exact: result.severity.exact, within_one: result.severity.withinOne },
    event_type_confusion: result.eventTypeConfusion,
    severity_confusion: result.severityConfusion,
    misses: result.misses,
  };
}

function countsJson(counts: Counts): Record<string, number> {
  const { precision, recall, f1, truePositives, falsePositives, falseNegatives, trueNegatives } = counts;
  return {
    precision,
    recall,
    f1,
    true_positives: truePositives,
    false_positives: falsePositives,
    false_negatives: falseNegatives,
    true_negatives: trueNegatives,
  };
}

function describe(result: Evaluation, rulesVersion: string): string {
  const { relevance, topics, eventType, severity } = result;
  const lines = [
    `${result.items} items, rules ${rulesVersion}`,
    "",
    "                 precision  recall     F1",
    `relevance        ${shares(relevance)}`,
    `topics (micro)   ${shares(topics)}`,
    "",
    "                 exact      within one level",
    `event type       ${share(eventType.exact)}`,
    `severity         ${share(severity.exact)}      ${share(severity.withinOne)}`,
    "",
    "Event types: labelled → found, number of items",
    ...confusionLines(result.eventTypeConfusion),
    "",
    "Severities: labelled → found, number of items",
    ...confusionLines(result.severityConfusion),
    "",
    `Misses: ${result.misses.length}`,
  ];
  for (const miss of result.misses) {
    lines.push(
      "",
      `${miss.id}: ${miss.title}`,
      `  ${miss.field}: ${miss.expected || "none"} → ${miss.found || "none"}`,
    );
    for (const reason of miss.reasons) {
      const words = reason.words.length === 0 ? "" : ` [${reason.words.join(" · ")}]`;
      lines.push(`    ${reason.value}: ${reason.why}${words}`);
    }
  }
  return lines.join("\n");
}

function shares({ precision, recall, f1 }: Counts): string {
  return [precision, recall, f1].map(share).join("      ");
}

function share(value: number): string {
  return value.toFixed(3);
}

/** Returns one line per labelled value, with the correct results first. */
function confusionLines(confusion: Confusion): string[] {
  const width = Math.max(0, ...Object.keys(confusion).map((value) => value.length));
  return Object.entries(confusion).map(([expected, row]) => {
    const found = Object.entries(row).sort(([a, countA], [b, countB]) =>
      Number(b === expected) - Number(a === expected) || countB - countA
    );
    return `  ${expected.padEnd(width)} → ${found.map(([value, items]) => `${value} ${items}`).join(", ")}`;
  });
}
