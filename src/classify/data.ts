// The rules and words in ./data, with defaults for absent fields. tests/classify/data_test.ts validates the files.
import eventTypesJson from "./data/event_types.json" with { type: "json" };
import languagesJson from "./data/languages.json" with { type: "json" };
import lawsJson from "./data/laws.json" with { type: "json" };
import publishersJson from "./data/publishers.json" with { type: "json" };
import relevanceJson from "./data/relevance.json" with { type: "json" };
import severityJson from "./data/severity.json" with { type: "json" };
import topicsJson from "./data/topics.json" with { type: "json" };
import type { EventType } from "../domain/event/event.ts";
import type { Severity } from "../domain/event/severity.ts";
import type { Topic } from "../domain/event/topic.ts";

/** Words by language: `any` applies to all languages, `other` to those without their own list. */
export type PhraseLists = ReadonlyMap<string, readonly string[]>;

/** A topic with its rules; see data/topics.json. */
export interface TopicRule extends Topic {
  led_by: readonly string[];
  event_types: readonly EventType[];
  publishers: readonly PublisherKind[];
  fallback_for: readonly PublisherKind[];
  from_publishers: readonly (PublisherKind | "data-protection")[];
  title_only: boolean;
  words: PhraseLists;
}

/** The kinds of publishers; see data/publishers.json. */
export const PUBLISHER_KINDS = [
  "eu-lawmaker",
  "eu-board",
  "eu-body",
  "eu-court",
  "standards-body",
  "member-state",
  "third-country",
  "international",
  "unknown",
] as const;

/** See {@link PUBLISHER_KINDS}; `unknown` if neither evidence nor the language indicates the kind. */
export type PublisherKind = typeof PUBLISHER_KINDS[number];

/** Publishers of one kind, identified by hosts or names. */
export interface PublisherRule {
  kind: PublisherKind;
  data_protection: boolean;
  /** Whether the publisher supervises, audits or sets standards. */
  supervises: boolean;
  hosts: readonly string[];
  names: readonly string[];
}

/** The patterns of a rule: globs for the CELEX number, substrings of the URL, and patterns for the other fields. */
export interface SignalPatterns {
  celex: readonly string[];
  url: readonly string[];
  title: readonly string[];
  category: readonly string[];
  summary: readonly string[];
}

/** A rule for the event type; see data/event_types.json. */
interface EventTypeRule extends SignalPatterns {
  type: EventType;
  why: string;
  unless: readonly string[];
}

/** A rule for the severity of a relevant event; see data/severity.json. */
export interface SeverityRule {
  severity: Severity;
  why: string;
  types: readonly EventType[];
  /** The kinds of publishers; if empty, any kind. */
  publishers: readonly PublisherKind[];
  data_protection: boolean;
  names_the_act: boolean;
  /** Signals of which at least one must match. If empty, no signal is required. */
  with: readonly string[];
  /** Signals of which none may match. */
  without: readonly string[];
}

/** Returns the lists of words in an object. The other fields are comments. */
function phraseLists(fields: object = {}): PhraseLists {
  return new Map(Object.entries(fields).filter(([, list]) => Array.isArray(list)));
}

/** Defaults for the fields that a topic of the taxonomy or the config leaves out. */
export const NO_TOPIC_RULES = {
  articles: [],
  led_by: [],
  event_types: [],
  publishers: [],
  fallback_for: [],
  from_publishers: [],
  title_only: false,
};

export const TOPIC_RULES = topicsJson.topics.map((topic) => ({
  ...NO_TOPIC_RULES,
  ...topic,
  title_only: "title_only" in topic,
  words: phraseLists(topic.words),
})) as readonly TopicRule[];

export const LAW_DATA = {
  act: lawsJson.act.names,
  proposal: lawsJson.proposal.names,
  actBeside: lawsJson.act_when_beside_a_citation.names,
  amending: lawsJson.amending.names,
  others: lawsJson.others.names,
  othersInSections: lawsJson.others_in_sections.names,
  bodies: lawsJson.not_an_article.followed_by,
  countedWords: lawsJson.not_a_number_when_followed_by.words,
};

export const LANGUAGE_DATA = {
  strong: phraseLists(languagesJson.strong),
  weak: phraseLists(languagesJson.weak),
  sharedWith: phraseLists(languagesJson.shared_with),
  letters: new Map(Object.entries(languagesJson.letters)),
  codes: new Map(Object.entries(languagesJson.codes)),
};

const { not_beside: weakNotBeside, ...weakTerms } = relevanceJson.weak_ai_terms;

export const RELEVANCE_DATA = {
  terms: phraseLists(relevanceJson.ai_terms),
  weakTerms: phraseLists(weakTerms),
  weakNotBeside: phraseLists(weakNotBeside),
  notAi: relevanceJson.not_ai,
  staff: relevanceJson.staff.title,
  ruleWords: phraseLists(relevanceJson.rule_words),
  otherMatters: phraseLists(relevanceJson.other_matters),
};

const NO_PUBLISHER = { data_protection: false, supervises: false, hosts: [], names: [] };

export const PUBLISHER_DATA = {
  hosts: publishersJson.hosts.map((rule) => ({ ...NO_PUBLISHER, ...rule })) as readonly PublisherRule[],
  names: publishersJson.names.map((rule) => ({ ...NO_PUBLISHER, ...rule })) as readonly PublisherRule[],
};

const NO_PATTERNS: SignalPatterns = { celex: [], url: [], title: [], category: [], summary: [] };

/** The rules for event types, in order of precedence; see data/event_types.json. */
export const EVENT_TYPE_DATA = {
  rules: eventTypesJson.rules.map((rule) => ({
    ...NO_PATTERNS,
    unless: [],
    ...rule,
  })) as readonly EventTypeRule[],
  otherwise: eventTypesJson.otherwise as { type: EventType; why: string },
};

const NO_CONDITIONS = { publishers: [], data_protection: false, names_the_act: false, with: [], without: [] };

/** The rules for severities, in order of precedence; see data/severity.json. */
export const SEVERITY_DATA = {
  signals: new Map(
    Object.entries(severityJson.signals).map(([name, { words, ...signal }]): [string, SignalPatterns] => {
      const summary = "also_in_summary" in signal ? words : [];
      return [name, { ...NO_PATTERNS, ...signal, title: words, summary }];
    }),
  ),
  rules: severityJson.rules.map((rule) => ({ ...NO_CONDITIONS, ...rule })) as readonly SeverityRule[],
  notRelevant: severityJson.not_relevant,
};
