// How well the classification does on labelled items: counts, shares and every miss with its explanation.
import { EVENT_TYPES, type EventType } from "../domain/event.ts";
import { SEVERITIES, type Severity, severityRank } from "../domain/severity.ts";
import type { Topic } from "../domain/topic.ts";
import {
  type Classification,
  type Classifier,
  type ClassifyInput,
  classifyItem,
  type Reason,
  TOPICS,
} from "./classify.ts";
import { list, object, oneOf, text, textOrNull } from "./data_readers.ts";

/** An item with what a person says it is. */
export interface LabelledItem extends ClassifyInput {
  /** To find it again. */
  id: string;
  expected: {
    relevant: boolean;
    eventType: EventType;
    topics: readonly string[];
    severity: Severity;
  };
}

/** How many wrong lines are named. */
const MOST_PROBLEMS = 10;

/**
 * Reads labelled items from JSON lines: `{id, lang, title, summary, url, source, relevant, event_type, topics,
 * severity}`, one a line, other fields passed over, empty lines too. `summary`, `url`, `lang`, `source` (a source's id)
 * and `topics` may be missing or null; an item without `id` is known by its line. Throws an Error that names the lines,
 * ten at most, and what is wrong in each. `topics` are those that a label may name.
 */
export function readLabelled(jsonLines: string, topics: readonly Topic[] = TOPICS): LabelledItem[] {
  const items: LabelledItem[] = [];
  const problems: string[] = [];
  for (const [i, line] of jsonLines.replace(/^\ufeff/, "").split("\n").entries()) {
    if (line.trim() === "") continue;
    try {
      items.push(readLine(line, `line ${i + 1}`, topics));
    } catch (error) {
      problems.push((error as Error).message);
    }
  }
  if (problems.length > MOST_PROBLEMS) {
    const more = problems.length - MOST_PROBLEMS;
    problems.splice(MOST_PROBLEMS, more, `and ${more} more lines`);
  }
  if (problems.length > 0) throw new Error(problems.join("\n"));
  if (items.length === 0) throw new Error("holds no item: write one JSON object a line");
  return items;
}

function readLine(line: string, place: string, topics: readonly Topic[]): LabelledItem {
  const fields = object(parseLine(line, place), place);
  const optional = (name: string): string | null => textOrNull(fields[name] ?? null, `${place}: ${name}`);
  const { relevant } = fields;
  if (typeof relevant !== "boolean") throw new Error(`${place}: relevant must be true or false`);
  const language = optional("lang");
  const source = optional("source");
  return {
    id: optional("id") ?? place,
    title: text(fields.title, `${place}: title`),
    summary: optional("summary") ?? "",
    url: optional("url") ?? "",
    categories: [],
    statedLanguages: language === null ? [] : [language],
    ...(source === null ? {} : { sourceId: source }),
    expected: {
      relevant,
      eventType: oneOf(EVENT_TYPES)(fields.event_type, `${place}: event_type`),
      topics: list(oneOf(topics.map((topic) => topic.id)))(fields.topics ?? undefined, `${place}: topics`),
      severity: oneOf(SEVERITIES)(fields.severity, `${place}: severity`),
    },
  };
}

function parseLine(line: string, place: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    const why = (error as Error).message.replace(/ \(line 1 column \d+\)$/, "");
    throw new Error(`${place} is not a JSON object: ${why}`, { cause: error });
  }
}

/** Hits and misses of a yes-or-no question. A share without cases is 1. */
export interface Counts {
  truePositives: number;
  falsePositives: number;
  falseNegatives: number;
  trueNegatives: number;
  precision: number;
  recall: number;
  f1: number;
}

/** How often a value is the labelled one. Shares are from 0 to 1; without items they are 1. */
export interface Agreement {
  exact: number;
  /** At most one step away. */
  withinOne: number;
}

/** One value that is not the labelled one. */
export interface Miss {
  id: string;
  title: string;
  field: "relevant" | "event_type" | "topics" | "severity";
  expected: string;
  found: string;
  /** The reasons behind the found value. */
  reasons: Reason[];
}

/** Labelled value → found value → number of items. */
export type Confusion = Record<string, Record<string, number>>;

/** The whole result. */
export interface Evaluation {
  items: number;
  relevance: Counts;
  /** Over all pairs of item and topic; there are no true negatives. */
  topics: Counts;
  eventType: Pick<Agreement, "exact">;
  severity: Agreement;
  eventTypeConfusion: Confusion;
  severityConfusion: Confusion;
  misses: Miss[];
}

/** Classifies the items, by the built-in rules where no others are given, and compares with their labels. */
export function evaluate(
  lines: readonly LabelledItem[],
  classify: Classifier["classify"] = classifyItem,
): Evaluation {
  const relevance = { truePositives: 0, falsePositives: 0, falseNegatives: 0, trueNegatives: 0 };
  const topics = { truePositives: 0, falsePositives: 0, falseNegatives: 0, trueNegatives: 0 };
  const eventTypeConfusion: Confusion = {};
  const severityConfusion: Confusion = {};
  const steps: number[] = [];
  const misses: Miss[] = [];
  let sameType = 0;
  for (const line of lines) {
    const found = classify(line);
    const { expected } = line;
    if (found.relevant === expected.relevant) relevance[found.relevant ? "truePositives" : "trueNegatives"]++;
    else relevance[found.relevant ? "falsePositives" : "falseNegatives"]++;
    const right = found.topics.filter((topic) => expected.topics.includes(topic)).length;
    topics.truePositives += right;
    topics.falsePositives += found.topics.length - right;
    topics.falseNegatives += expected.topics.length - right;
    count(eventTypeConfusion, expected.eventType, found.eventType);
    count(severityConfusion, expected.severity, found.severity);
    if (found.eventType === expected.eventType) sameType++;
    steps.push(Math.abs(severityRank(found.severity) - severityRank(expected.severity)));
    misses.push(...missesOf(line, found));
  }
  return {
    items: lines.length,
    relevance: withShares(relevance),
    topics: withShares(topics),
    eventType: { exact: share(sameType, lines.length) },
    severity: {
      exact: share(steps.filter((step) => step === 0).length, lines.length),
      withinOne: share(steps.filter((step) => step <= 1).length, lines.length),
    },
    eventTypeConfusion,
    severityConfusion,
    misses,
  };
}

function count(confusion: Confusion, expected: string, found: string): void {
  const row = confusion[expected] ??= {};
  row[found] = (row[found] ?? 0) + 1;
}

function missesOf(line: LabelledItem, found: Classification): Miss[] {
  const { expected } = line;
  const pairs: [Miss["field"], string, string][] = [
    ["relevant", String(expected.relevant), String(found.relevant)],
    ["event_type", expected.eventType, found.eventType],
    ["topics", [...expected.topics].sort().join(", "), [...found.topics].sort().join(", ")],
    ["severity", expected.severity, found.severity],
  ];
  return pairs.filter(([, wanted, got]) => wanted !== got).map(([field, wanted, got]) => ({
    id: line.id,
    title: line.title,
    field,
    expected: wanted,
    found: got,
    reasons: found.reasons.filter((reason) => reason.field === field),
  }));
}

function withShares(
  counts: { truePositives: number; falsePositives: number; falseNegatives: number; trueNegatives: number },
): Counts {
  const { truePositives, falsePositives, falseNegatives } = counts;
  const precision = share(truePositives, truePositives + falsePositives);
  const recall = share(truePositives, truePositives + falseNegatives);
  const f1 = precision + recall === 0 ? 0 : 2 * precision * recall / (precision + recall);
  return { ...counts, precision, recall, f1 };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
