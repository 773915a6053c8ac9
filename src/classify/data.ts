// The rules and words of ./data, checked and made ready for matching once, when the program starts.
import articlesJson from "./data/articles.json" with { type: "json" };
import eventTypesJson from "./data/event_types.json" with { type: "json" };
import languagesJson from "./data/languages.json" with { type: "json" };
import lawsJson from "./data/laws.json" with { type: "json" };
import publishersJson from "./data/publishers.json" with { type: "json" };
import relevanceJson from "./data/relevance.json" with { type: "json" };
import severityJson from "./data/severity.json" with { type: "json" };
import topicsJson from "./data/topics.json" with { type: "json" };
import { EVENT_TYPES, type EventType } from "../domain/event.ts";
import { SEVERITIES, type Severity } from "../domain/severity.ts";
import type { Topic } from "../domain/topic.ts";
import { byName, list, number, object, oneOf, type Reader, text, textOrNull } from "./data_readers.ts";

/** Words by language: `any` holds in all, `other` in languages that have no list of their own. */
export type WordLists = ReadonlyMap<string, readonly string[]>;

/** A topic with what leads to it; see data/topics.json. */
export interface TopicRule extends Topic {
  ledBy: string[];
  eventTypes: EventType[];
  publishers: PublisherKind[];
  fallbackFor: PublisherKind[];
  fromPublishers: (PublisherKind | "data-protection")[];
  titleOnly: boolean;
  words: WordLists;
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

/** See {@link PUBLISHER_KINDS}; `unknown` where neither the address nor the title says. */
export type PublisherKind = typeof PUBLISHER_KINDS[number];

/** Publishers of one kind, by the hosts or the names given. */
export interface PublisherRule {
  kind: PublisherKind;
  dataProtection: boolean;
  /** Supervises, audits or sets the standards of others. */
  supervises: boolean;
  hosts: string[];
  names: string[];
}

/** Where a rule looks, and for what: patterns for the words, a glob for the CELEX number, a part of the address. */
export interface SignalPatterns {
  celex: string[];
  url: string[];
  title: string[];
  category: string[];
  summary: string[];
}

/** A rule for the kind of an event; see data/event_types.json. */
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
  /** Any of these signals; empty: none is asked for. */
  with: string[];
  without: string[];
}

/** A term that is not about AI where certain other words stand. */
export interface NotAiRule {
  why: string;
  terms: string[];
  whenTheTextHas: string[];
}

const flag: Reader<boolean> = (value, place) => {
  if (value !== undefined && value !== true) {
    throw new Error(`${place} must be true or absent`);
  }
  return value === true;
};

const words: Reader<WordLists> = (value, place) => {
  if (value === undefined) return new Map();
  const { why: _why, not_beside: _notBeside, ...lists } = object(value, place);
  return byName(list(text))(lists, place);
};

const topic: Reader<TopicRule> = (value, place) => {
  const fields = object(value, place);
  return {
    id: text(fields.id, `${place}.id`),
    name_en: text(fields.name_en, `${place}.name_en`),
    name_de: text(fields.name_de, `${place}.name_de`),
    name_fr: text(fields.name_fr, `${place}.name_fr`),
    parent: textOrNull(fields.parent, `${place}.parent`),
    articles: list(text)(fields.articles, `${place}.articles`),
    ledBy: list(text)(fields.led_by, `${place}.led_by`),
    eventTypes: list(oneOf(EVENT_TYPES))(fields.event_types, `${place}.event_types`),
    publishers: list(oneOf(PUBLISHER_KINDS))(fields.publishers, `${place}.publishers`),
    fallbackFor: list(oneOf(PUBLISHER_KINDS))(fields.fallback_for, `${place}.fallback_for`),
    fromPublishers: list(oneOf([...PUBLISHER_KINDS, "data-protection" as const]))(
      fields.from_publishers,
      `${place}.from_publishers`,
    ),
    titleOnly: fields.title_only !== undefined,
    words: words(fields.words, `${place}.words`),
  };
};

const publisher: Reader<PublisherRule> = (value, place) => {
  const fields = object(value, place);
  return {
    kind: oneOf(PUBLISHER_KINDS)(fields.kind, `${place}.kind`),
    dataProtection: flag(fields.data_protection, `${place}.data_protection`),
    supervises: flag(fields.supervises, `${place}.supervises`),
    hosts: list(text)(fields.hosts, `${place}.hosts`),
    names: list(text)(fields.names, `${place}.names`),
  };
};

const eventTypeRule: Reader<EventTypeRule> = (value, place) => {
  const fields = object(value, place);
  return {
    type: oneOf(EVENT_TYPES)(fields.type, `${place}.type`),
    why: text(fields.why, `${place}.why`),
    celex: list(text)(fields.celex, `${place}.celex`),
    url: list(text)(fields.url, `${place}.url`),
    title: list(text)(fields.title, `${place}.title`),
    category: list(text)(fields.category, `${place}.category`),
    summary: list(text)(fields.summary, `${place}.summary`),
    unless: list(text)(fields.unless, `${place}.unless`),
  };
};

const signal: Reader<SignalRule> = (value, place) => {
  const fields = object(value, place);
  const patterns = list(text)(fields.words, `${place}.words`);
  return {
    why: text(fields.why, `${place}.why`),
    celex: list(text)(fields.celex, `${place}.celex`),
    url: list(text)(fields.url, `${place}.url`),
    title: patterns,
    category: [],
    summary: flag(fields.also_in_summary, `${place}.also_in_summary`) ? patterns : [],
  };
};

const severityRule: Reader<SeverityRule> = (value, place) => {
  const fields = object(value, place);
  return {
    severity: oneOf(SEVERITIES)(fields.severity, `${place}.severity`),
    why: text(fields.why, `${place}.why`),
    types: list(oneOf(EVENT_TYPES))(fields.types, `${place}.types`),
    publishers: list(oneOf(PUBLISHER_KINDS))(fields.publishers, `${place}.publishers`),
    dataProtection: flag(fields.data_protection, `${place}.data_protection`),
    namesTheAct: flag(fields.names_the_act, `${place}.names_the_act`),
    with: list(text)(fields.with, `${place}.with`),
    without: list(text)(fields.without, `${place}.without`),
  };
};

const notAi: Reader<NotAiRule> = (value, place) => {
  const fields = object(value, place);
  return {
    why: text(fields.why, `${place}.why`),
    terms: list(text)(fields.terms, `${place}.terms`),
    whenTheTextHas: list(text)(fields.when_the_text_has, `${place}.when_the_text_has`),
  };
};

/** The topics of the taxonomy with their rules, in its order. */
export const TOPIC_RULES: readonly TopicRule[] = list(topic)(topicsJson.topics, "topics.json: topics");

/** The Act's articles and annexes by number, with their English titles, and how many recitals it has. */
export const ARTICLE_DATA = {
  articles: byName(text)(articlesJson.articles, "articles.json: articles"),
  annexes: byName(text)(articlesJson.annexes, "articles.json: annexes"),
  recitals: number(articlesJson.recitals, "articles.json: recitals"),
};

/** The names of laws and the traps of citations; see data/laws.json. */
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

/** Function words and codes of languages; see data/languages.json. */
export const LANGUAGE_DATA = {
  strong: words(languagesJson.strong, "languages.json: strong"),
  weak: words(languagesJson.weak, "languages.json: weak"),
  sharedWith: words(languagesJson.shared_with, "languages.json: shared_with"),
  letters: byName(text)(languagesJson.letters, "languages.json: letters"),
  codes: byName(text)(languagesJson.codes, "languages.json: codes"),
};

/** The words that make an item relevant or not; see data/relevance.json. */
export const RELEVANCE_DATA = {
  terms: words(relevanceJson.ai_terms, "relevance.json: ai_terms"),
  weakTerms: words(relevanceJson.weak_ai_terms, "relevance.json: weak_ai_terms"),
  weakNotBeside: words(relevanceJson.weak_ai_terms.not_beside, "relevance.json: weak_ai_terms.not_beside"),
  notAi: list(notAi)(relevanceJson.not_ai, "relevance.json: not_ai"),
  staff: list(text)(relevanceJson.staff.title, "relevance.json: staff.title"),
  ruleWords: words(relevanceJson.rule_words, "relevance.json: rule_words"),
  otherMatters: words(relevanceJson.other_matters, "relevance.json: other_matters"),
};

/** Who publishes; see data/publishers.json. */
export const PUBLISHER_DATA = {
  hosts: list(publisher)(publishersJson.hosts, "publishers.json: hosts"),
  names: list(publisher)(publishersJson.names, "publishers.json: names"),
};

/** The rules for event types, in the order in which they are tried; see data/event_types.json. */
export const EVENT_TYPE_DATA = {
  rules: list(eventTypeRule)(eventTypesJson.rules, "event_types.json: rules"),
  otherwise: {
    type: oneOf(EVENT_TYPES)(eventTypesJson.otherwise.type, "event_types.json: otherwise.type"),
    why: text(eventTypesJson.otherwise.why, "event_types.json: otherwise.why"),
  },
};

/** The rules for severities, in the order in which they are tried; see data/severity.json. */
export const SEVERITY_DATA = {
  signals: byName(signal)(severityJson.signals, "severity.json: signals"),
  rules: list(severityRule)(severityJson.rules, "severity.json: rules"),
  notRelevant: text(severityJson.not_relevant, "severity.json: not_relevant"),
};
