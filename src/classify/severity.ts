// Finds the severity of an item by the first rule of data/severity.json that matches.
import type { EventType } from "../domain/event/event.ts";
import type { Severity } from "../domain/event/severity.ts";
import { buildSignalIndex, findSignals } from "./pattern_hits.ts";
import { SEVERITY_DATA, type SeverityRule } from "./data.ts";
import type { Item } from "./item.ts";
import { lazy } from "./memoize.ts";
import type { AiSubject } from "./relevance.ts";

export interface SeverityResult {
  severity: Severity;
  why: string;
  words: string[];
}

const NAMES = [...SEVERITY_DATA.signals.keys()];
const INDEX = lazy(() => buildSignalIndex([...SEVERITY_DATA.signals.values()]));

export const NOT_RELEVANT: SeverityResult = { severity: "info", why: SEVERITY_DATA.notRelevant, words: [] };

export function findSeverity(item: Item, subject: AiSubject, eventType: EventType): SeverityResult {
  const signals = findSignals(INDEX(), item);
  const signalOf = (name: string) => signals.get(NAMES.indexOf(name));
  for (const rule of SEVERITY_DATA.rules) {
    if (!applies(rule, item, subject, eventType)) continue;
    if (rule.without.some((name) => signalOf(name) !== undefined)) continue;
    const found = rule.with.map(signalOf).filter((signal) => signal !== undefined);
    if (rule.with.length > 0 && found.length === 0) continue;
    return {
      severity: rule.severity,
      why: rule.why,
      words: [eventType, ...evidenceOf(rule, item, subject), ...found.map((signal) => signal.words)],
    };
  }
  return { severity: "info", why: "no rule matches", words: [] };
}

function evidenceOf(rule: SeverityRule, { publisher, language }: Item, subject: AiSubject): string[] {
  const usesPublisher = rule.publishers.length > 0 || rule.data_protection;
  // The publisher may have been inferred from the language alone.
  const by = publisher.words || (publisher.kind === "unknown" ? "" : `in ${language.language}`);
  return [
    ...(usesPublisher ? [by === "" ? publisher.kind : `${publisher.kind}: ${by}`] : []),
    ...(rule.names_the_act ? subject.words.slice(0, 1) : []),
  ];
}

function applies(rule: SeverityRule, item: Item, subject: AiSubject, eventType: EventType): boolean {
  return rule.types.includes(eventType) &&
    (rule.publishers.length === 0 || rule.publishers.includes(item.publisher.kind)) &&
    (!rule.data_protection || item.publisher.dataProtection) &&
    (!rule.names_the_act || subject.namesTheAct !== null);
}
