// How well the classification does on labelled items: `deno task evaluate FILE.jsonl [--json]`.
import { resolve } from "node:path";
import { RULES_VERSION } from "../src/classify/classify.ts";
import {
  type Confusion,
  type Counts,
  evaluate,
  type Evaluation,
  readLabelled,
} from "../src/classify/evaluate.ts";

const USAGE = `usage: deno task evaluate FILE.jsonl [--json]
FILE.jsonl holds one item a line: {"title", "relevant", "event_type", "severity", "topics"?, "id"?, "summary"?,
"url"?, "lang"?}.
`;
const EXIT_USAGE = 2;

main();

function main(): void {
  const isJson = Deno.args.includes("--json");
  const [file, ...rest] = Deno.args.filter((word) => word !== "--json");
  if (file === undefined || file.startsWith("-") || rest.length > 0) fail(USAGE);
  // A task runs in the repository's folder; the file is named from where the user stands.
  const path = resolve(Deno.env.get("INIT_CWD") ?? Deno.cwd(), file);
  const result = evaluate(readItems(path));
  console.log(isJson ? JSON.stringify(toJson(result), null, 1) : describe(result));
}

function readItems(path: string): ReturnType<typeof readLabelled> {
  let text: string;
  try {
    text = Deno.readTextFileSync(path);
  } catch (error) {
    fail(`${path} cannot be read: ${(error as Error).message}\n`);
  }
  try {
    return readLabelled(text);
  } catch (error) {
    fail(`${path}: ${(error as Error).message}\n`);
  }
}

function fail(message: string): never {
  Deno.stderr.writeSync(new TextEncoder().encode(message));
  Deno.exit(EXIT_USAGE);
}

function toJson(result: Evaluation): Record<string, unknown> {
  return {
    rules_version: RULES_VERSION,
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

function describe(result: Evaluation): string {
  const { relevance, topics, eventType, severity } = result;
  const lines = [
    `${result.items} items, rules ${RULES_VERSION}`,
    "",
    "                 precision  recall     F1",
    `relevance        ${shares(relevance)}`,
    `topics (micro)   ${shares(topics)}`,
    "",
    "                 exact      within one step",
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
      const words = reason.words.length === 0 ? "" : `: ${reason.words.join(" · ")}`;
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

/** One line for each labelled value, what was found rightly first. */
function confusionLines(confusion: Confusion): string[] {
  const width = Math.max(0, ...Object.keys(confusion).map((value) => value.length));
  return Object.entries(confusion).map(([expected, row]) => {
    const found = Object.entries(row).sort(([a, countA], [b, countB]) =>
      Number(b === expected) - Number(a === expected) || countB - countA
    );
    return `  ${expected.padEnd(width)} → ${found.map(([value, items]) => `${value} ${items}`).join(", ")}`;
  });
}
