// The rules and words of ./data, validated when the program starts.
import articlesJson from "./data/articles.json" with { type: "json" };
import eventTypesJson from "./data/event_types.json" with { type: "json" };
import languagesJson from "./data/languages.json" with { type: "json" };
import lawsJson from "./data/laws.json" with { type: "json" };
import publishersJson from "./data/publishers.json" with { type: "json" };
import relevanceJson from "./data/relevance.json" with { type: "json" };
import severityJson from "./data/severity.json" with { type: "json" };
import topicsJson from "./data/topics.json" with { type: "json" };
import { EVENT_TYPES, type EventType } from "../domain/event/event.ts";
import { SEVERITIES, type Severity } from "../domain/event/severity.ts";
import type { Topic } from "../domain/event/topic.ts";
import { byName, list, number, object, oneOf, type Reader, text, textOrNull } from "./data_readers.ts";

/** Words by language: `any` applies to all languages, `other` to those without their own list. */
export type PhraseLists = ReadonlyMap<string, readonly string[]>;

/** A topic with its rules; see data/topics.json. */
export interface TopicRule extends Topic {
  ledBy: string[];
  eventTypes: EventType[];
  publishers: PublisherKind[];
  fallbackFor: PublisherKind[];
  fromPublishers: (PublisherKind | "data-protection")[];
  titleOnly: boolean;
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

/** See {@link PUBLISHER_KINDS}; `unknown` if neither the URL nor the title identifies the publisher. */
export type PublisherKind = typeof PUBLISHER_KINDS[number];

/** Publishers of one kind, identified by hosts or names. */
export interface PublisherRule {
  kind: PublisherKind;
  dataProtection: boolean;
  /** Supervises, audits or sets standards. */
  supervises: boolean;
  hosts: string[];
  names: string[];
}

/** What a rule matches: globs for the CELEX number, substrings of the URL, and patterns for the other fields. */
export interface SignalPatterns {
  celex: string[];
  url: string[];
  title: string[];
  category: string[];
  summary: string[];
}

/** A rule for the event type; see data/event_types.json. */
export interface EventTypeRule extends SignalPatterns {
  type: EventType;
  why: string;
  unless: string[];
}

/** A named signal of the severity rules. */
export interface SignalRule extends SignalPatterns {
  why: string;
}

/** A rule for the severity of a relevant event; see data/severity.json. */
export interface SeverityRule {
  severity: Severity;
  why: string;
  types: EventType[];
  /** Empty: any. */
  publishers: PublisherKind[];
  dataProtection: boolean;
  namesTheAct: boolean;
  /** At least one of these signals must match; empty: no condition. */
  with: string[];
  /** None of these signals may match. */
  without: string[];
}

/** Terms that do not mean AI if the text contains certain other words. */
export interface NotAiRule {
  why: string;
  terms: string[];
  whenTheTextHas: string[];
}

const flag: Reader<boolean> = (value, path) => {
  if (value !== undefined && value !== true) {
    throw new Error(`${path} must be true or absent`);
  }
  return value === true;
};

const words: Reader<PhraseLists> = (value, path) => {
  if (value === undefined) return new Map();
  const { why: _why, not_beside: _notBeside, ...lists } = object(value, path);
  return byName(list(text))(lists, path);
};

const topic: Reader<TopicRule> = (value, path) => {
  const fields = object(value, path);
  return {
    id: text(fields.id, `${path}.id`),
    name_en: text(fields.name_en, `${path}.name_en`),
    name_de: text(fields.name_de, `${path}.name_de`),
    name_fr: text(fields.name_fr, `${path}.name_fr`),
    parent: textOrNull(fields.parent, `${path}.parent`),
    articles: list(text)(fields.articles, `${path}.articles`),
    ledBy: list(text)(fields.led_by, `${path}.led_by`),
    eventTypes: list(oneOf(EVENT_TYPES))(fields.event_types, `${path}.event_types`),
    publishers: list(oneOf(PUBLISHER_KINDS))(fields.publishers, `${path}.publishers`),
    fallbackFor: list(oneOf(PUBLISHER_KINDS))(fields.fallback_for, `${path}.fallback_for`),
    fromPublishers: list(oneOf([...PUBLISHER_KINDS, "data-protection" as const]))(
      fields.from_publishers,
      `${path}.from_publishers`,
    ),
    titleOnly: fields.title_only !== undefined,
    words: words(fields.words, `${path}.words`),
  };
};

const publisher: Reader<PublisherRule> = (value, path) => {
  const fields = object(value, path);
  return {
    kind: oneOf(PUBLISHER_KINDS)(fields.kind, `${path}.kind`),
    dataProtection: flag(fields.data_protection, `${path}.data_protection`),
    supervises: flag(fields.supervises, `${path}.supervises`),
    hosts: list(text)(fields.hosts, `${path}.hosts`),
    names: list(text)(fields.names, `${path}.names`),
  };
};

const eventTypeRule: Reader<EventTypeRule> = (value, path) => {
  const fields = object(value, path);
  return {
    type: oneOf(EVENT_TYPES)(fields.type, `${path}.type`),
    why: text(fields.why, `${path}.why`),
    celex: list(text)(fields.celex, `${path}.celex`),
    url: list(text)(fields.url, `${path}.url`),
    title: list(text)(fields.title, `${path}.title`),
    category: list(text)(fields.category, `${path}.category`),
    summary: list(text)(fields.summary, `${path}.summary`),
    unless: list(text)(fields.unless, `${path}.unless`),
  };
};

const signal: Reader<SignalRule> = (value, path) => {
  const fields = object(value, path);
  const patterns = list(text)(fields.words, `${path}.words`);
  return {
    why: text(fields.why, `${path}.why`),
    celex: list(text)(fields.celex, `${path}.celex`),
    url: list(text)(fields.url, `${path}.url`),
    title: patterns,
    category: [],
    summary: flag(fields.also_in_summary, `${path}.also_in_summary`) ? patterns : [],
  };
};

const severityRule: Reader<SeverityRule> = (value, path) => {
  const fields = object(value, path);
  return {
    severity: oneOf(SEVERITIES)(fields.severity, `${path}.severity`),
    why: text(fields.why, `${path}.why`),
    types: list(oneOf(EVENT_TYPES))(fields.types, `${path}.types`),
    publishers: list(oneOf(PUBLISHER_KINDS))(fields.publishers, `${path}.publishers`),
    dataProtection: flag(fields.data_protection, `${path}.data_protection`),
    namesTheAct: flag(fields.names_the_act, `${path}.names_the_act`),
    with: list(text)(fields.with, `${path}.with`),
    without: list(text)(fields.without, `${path}.without`),
  };
};

const notAi: Reader<NotAiRule> = (value, path) => {
  const fields = object(value, path);
  return {
    why: text(fields.why, `${path}.why`),
    terms: list(text)(fields.terms, `${path}.terms`),
    whenTheTextHas: list(text)(fields.when_the_text_has, `${path}.when_the_text_has`),
  };
};

/** The topics of the taxonomy with their rules, in order. */
export const TOPIC_RULES: readonly TopicRule[] = list(topic)(topicsJson.topics, "topics.json: topics");

/** The Act's articles and annexes by number, with their English titles, and its number of recitals. */
export const ARTICLE_DATA = {
  articles: byName(text)(articlesJson.articles, "articles.json: articles"),
  annexes: byName(text)(articlesJson.annexes, "articles.json: annexes"),
  recitals: number(articlesJson.recitals, "articles.json: recitals"),
};

/** Names of laws and exceptions for citations; see data/laws.json. */
export const LAW_DATA = {
  act: list(text)(lawsJson.act.names, "laws.json: act.names"),
  proposal: list(text)(lawsJson.proposal.names, "laws.json: proposal.names"),
  actBeside: list(text)(
    lawsJson.act_when_beside_a_citation.names,
    "laws.json: act_when_beside_a_citation.names",
  ),
  amending: list(text)(lawsJson.amending.names, "laws.json: amending.names"),
  others: list(text)(lawsJson.others.names, "laws.json: others.names"),
  othersInSections: list(text)(lawsJson.others_in_sections.names, "laws.json: others_in_sections.names"),
  bodies: list(text)(lawsJson.not_an_article.followed_by, "laws.json: not_an_article.followed_by"),
  countedWords: list(text)(
    lawsJson.not_a_number_when_followed_by.words,
    "laws.json: not_a_number_when_followed_by.words",
  ),
};

/** Function words, typical letters and codes of languages; see data/languages.json. */
export const LANGUAGE_DATA = {
  strong: words(languagesJson.strong, "languages.json: strong"),
  weak: words(languagesJson.weak, "languages.json: weak"),
  sharedWith: words(languagesJson.shared_with, "languages.json: shared_with"),
  letters: byName(text)(languagesJson.letters, "languages.json: letters"),
  codes: byName(text)(languagesJson.codes, "languages.json: codes"),
};

/** The words that decide relevance; see data/relevance.json. */
export const RELEVANCE_DATA = {
  terms: words(relevanceJson.ai_terms, "relevance.json: ai_terms"),
  weakTerms: words(relevanceJson.weak_ai_terms, "relevance.json: weak_ai_terms"),
  weakNotBeside: words(relevanceJson.weak_ai_terms.not_beside, "relevance.json: weak_ai_terms.not_beside"),
  notAi: list(notAi)(relevanceJson.not_ai, "relevance.json: not_ai"),
  staff: list(text)(relevanceJson.staff.title, "relevance.json: staff.title"),
  ruleWords: words(relevanceJson.rule_words, "relevance.json: rule_words"),
  otherMatters: words(relevanceJson.other_matters, "relevance.json: other_matters"),
};

/** Known publishers; see data/publishers.json. */
export const PUBLISHER_DATA = {
  hosts: list(publisher)(publishersJson.hosts, "publishers.json: hosts"),
  names: list(publisher)(publishersJson.names, "publishers.json: names"),
};

/** The rules for event types, in order of precedence; see data/event_types.json. */
export const EVENT_TYPE_DATA = {
  rules: list(eventTypeRule)(eventTypesJson.rules, "event_types.json: rules"),
  otherwise: {
    type: oneOf(EVENT_TYPES)(eventTypesJson.otherwise.type, "event_types.json: otherwise.type"),
    why: text(eventTypesJson.otherwise.why, "event_types.json: otherwise.why"),
  },
};

/** The rules for severities, in order of precedence; see data/severity.json. */
export const SEVERITY_DATA = {
  signals: byName(signal)(severityJson.signals, "severity.json: signals"),
  rules: list(severityRule)(severityJson.rules, "severity.json: rules"),
  notRelevant: text(severityJson.not_relevant, "severity.json: not_relevant"),
};
