// How much an item matters: the first rule of data/severity.json that fits, never more than its words show.
import type { EventType } from "../domain/event.ts";
import type { Severity } from "../domain/severity.ts";
import { buildSignalIndex, ItemSignals } from "./signals.ts";
import { SEVERITY_DATA, type SeverityRule } from "./data.ts";
import type { Item } from "./item.ts";
import { lazy } from "./lazy.ts";
import type { AiSubject } from "./relevance.ts";

/** A severity and what says so. */
export interface SeverityResult {
  severity: Severity;
  why: string;
  words: string[];
}

const NAMES = [...SEVERITY_DATA.signals.keys()];
const INDEX = lazy(() => buildSignalIndex([...SEVERITY_DATA.signals.values()]));

/** The severity of an item that is not about AI regulation. */
export const NOT_RELEVANT: SeverityResult = { severity: "info", why: SEVERITY_DATA.notRelevant, words: [] };

/** Decides the severity of a relevant item. */
export function findSeverity(item: Item, subject: AiSubject, eventType: EventType): SeverityResult {
  const signals = new ItemSignals(INDEX(), item);
  const signal = (name: string) => signals.of(NAMES.indexOf(name));
  for (const rule of SEVERITY_DATA.rules) {
    if (!concerns(rule, item, subject, eventType)) continue;
    if (rule.without.some((name) => signal(name) !== null)) continue;
    const found = rule.with.map(signal).filter((signal) => signal !== null);
    if (rule.with.length > 0 && found.length === 0) continue;
    return {
      severity: rule.severity,
      why: rule.why,
      words: [eventType, ...evidenceOf(rule, item, subject), ...found.map((signal) => signal.words)],
    };
  }
  return { severity: "info", why: "no rule gives it more weight", words: [] };
}

/** What of the publisher and of the Act the rule rests on. */
function evidenceOf(rule: SeverityRule, { publisher, language }: Item, subject: AiSubject): string[] {
  const asked = rule.publishers.length > 0 || rule.dataProtection;
  // Where no host and no name says who speaks, the language does.
  const by = publisher.words || (publisher.kind === "unknown" ? "" : `in ${language.language}`);
  return [
    ...(asked ? [by === "" ? publisher.kind : `${publisher.kind}: ${by}`] : []),
    ...(rule.namesTheAct ? subject.words.slice(0, 1) : []),
  ];
}

function concerns(rule: SeverityRule, item: Item, subject: AiSubject, eventType: EventType): boolean {
  return rule.types.includes(eventType) &&
    (rule.publishers.length === 0 || rule.publishers.includes(item.publisher.kind)) &&
    (!rule.dataProtection || item.publisher.dataProtection) &&
    (!rule.namesTheAct || subject.namesTheAct !== null);
}
