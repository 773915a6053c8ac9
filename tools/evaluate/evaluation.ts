// Measures the classification on labelled items: counts, shares, and each error with its explanation.
import type { Reason } from "../../src/domain/event/explanation.ts";
import { EVENT_TYPES, type EventType } from "../../src/domain/event/event.ts";
import { SEVERITIES, type Severity, severityRank } from "../../src/domain/event/severity.ts";
import type { Topic } from "../../src/domain/event/topic.ts";
import {
  type Classification,
  type Classifier,
  type ClassifyInput,
  classifyItem,
  TOPICS,
} from "../../src/classify/classify.ts";
import { list, object, oneOf, text, textOrNull } from "./readers.ts";

/** An item with the classification that a person gave it. */
export interface LabelledItem extends ClassifyInput {
  id: string;
  expected: {
    relevant: boolean;
    eventType: EventType;
    topics: readonly string[];
    severity: Severity;
  };
}

/** Maximum number of invalid lines that are reported. */
const MOST_PROBLEMS = 10;

/**
 * Reads labelled items from JSON lines: `{id, lang, title, summary, url, source, relevant, event_type, topics,
 * severity}`. Other fields and empty lines are ignored. `summary`, `url`, `lang`, `source` (a source's id) and
 * `topics` may be missing or null; the default `id` is the line number. The parameter `topics` lists the topics that
 * labels may name. Throws an Error that lists up to ten invalid lines.
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
  if (items.length === 0) throw new Error("contains no items: write one JSON object per line");
  return items;
}

function readLine(line: string, name: string, topics: readonly Topic[]): LabelledItem {
  const fields = object(parseLine(line, name), name);
  const optional = (key: string): string | null => textOrNull(fields[key] ?? null, `${name}: ${key}`);
  const { relevant } = fields;
  if (typeof relevant !== "boolean") throw new Error(`${name}: relevant must be true or false`);
  const language = optional("lang");
  const source = optional("source");
  return {
    id: optional("id") ?? name,
    title: text(fields.title, `${name}: title`),
    summary: optional("summary") ?? "",
    url: optional("url") ?? "",
    categories: [],
    statedLanguages: language === null ? [] : [language],
    ...(source === null ? {} : { sourceId: source }),
    expected: {
      relevant,
      eventType: oneOf(EVENT_TYPES)(fields.event_type, `${name}: event_type`),
      topics: list(oneOf(topics.map((topic) => topic.id)))(fields.topics ?? undefined, `${name}: topics`),
      severity: oneOf(SEVERITIES)(fields.severity, `${name}: severity`),
    },
  };
}

function parseLine(line: string, name: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    const why = (error as Error).message.replace(/ \(line 1 column \d+\)$/, "");
    throw new Error(`${name} is not a JSON object: ${why}`, { cause: error });
  }
}

/**
 * Results of a yes-or-no decision. `precision` is 1 if no item was found, and `recall` is 1 if there was none to
 * find.
 */
export interface Counts {
  truePositives: number;
  falsePositives: number;
  falseNegatives: number;
  trueNegatives: number;
  precision: number;
  recall: number;
  f1: number;
}

/** Shares of correct values, from 0 to 1. Without items, they are 1. */
interface Agreement {
  exact: number;
  /** The share of values that are at most one level off. */
  withinOne: number;
}

/** A value that differs from the label. */
interface Miss {
  id: string;
  title: string;
  field: "relevant" | "event_type" | "topics" | "severity";
  expected: string;
  found: string;
  /** Why the classifier chose the value that it found. */
  reasons: Reason[];
}

/** The number of items by labelled value and by found value. */
export type Confusion = Record<string, Record<string, number>>;

export interface Evaluation {
  items: number;
  relevance: Counts;
  /** Counts pairs of an item and a topic; true negatives are not counted. */
  topics: Counts;
  eventType: Pick<Agreement, "exact">;
  severity: Agreement;
  eventTypeConfusion: Confusion;
  severityConfusion: Confusion;
  misses: Miss[];
}

/** Classifies the items, by default with the built-in rules, and compares the results with the labels. */
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
