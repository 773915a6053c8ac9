// The event record: what one version of one official publication says.
import type { Severity } from "./severity.ts";

/** The kinds of events, in the order in which the taxonomy lists them. */
export const EVENT_TYPES = [
  "legislation",
  "delegated-act",
  "implementing-act",
  "national-legislation",
  "corrigendum",
  "guidance",
  "code-of-practice",
  "standard",
  "consultation",
  "decision",
  "enforcement",
  "court-ruling",
  "opinion",
  "report",
  "faq",
  "press-release",
  "speech",
  "event",
  "other",
] as const;

/** The kind of an event; see {@link EVENT_TYPES}. */
export type EventType = typeof EVENT_TYPES[number];

/** The words of a publication in one language, as plain text. */
export interface LocalizedText {
  title: string;
  summary: string;
}

/**
 * One version of one publication, append-only: the specification's record (section 2.1), field for field and under its
 * names, so that the record that is stored is the JSON that the API serves. Every time is in Unix ms.
 */
export interface RegEvent {
  /** `evt_` and a ULID; never reused, never changed. */
  id: string;
  source_id: string;
  /** Shared by all versions of one publication of one source. */
  external_id: string;
  /** Starts at 1, one more for each revision by the source. */
  version: number;
  /** The id of the version before this one, null for version 1. */
  supersedes: string | null;
  event_type: EventType;
  /** Topic ids of the taxonomy, the strongest first. */
  topics: string[];
  severity: Severity;
  /** The English title; where the source publishes no English, its own words. */
  title_en: string;
  /** The English summary; where the source publishes no English, its own words; may be empty. */
  summary_en: string;
  /** Absolute http(s) address of the official publication. */
  url_official: string;
  /** Canonical references such as `Art. 53(1)(d)`, `Annex III`, `Recital 60`; sorted, each once. */
  ai_act_articles: string[];
  /** When the source says it was published. */
  published_at: number;
  /** True if no date was stated, or one over a day ahead: `published_at` is then when it was first seen. */
  published_at_estimated: boolean;
  ingested_at: number;
  /** The language of this publication's own words (ISO 639-1). */
  language: string;
  /** Every language in which the event's words are held. */
  language_versions: string[];
  /** The original words of every language of `language_versions`. */
  translations: Record<string, LocalizedText>;
  /** Stands only in a version that says that the source lists the publication no longer. */
  status?: "withdrawn" | undefined;
}

/**
 * The record with one more language, as it is served from then on: the words are added, and English ones become the
 * English title and summary. Nothing else of it changes; a language that it has already stays as it is.
 */
export function withTranslation(event: RegEvent, language: string, words: LocalizedText): RegEvent {
  if (Object.hasOwn(event.translations, language)) return event;
  return {
    ...event,
    ...(language === "en" ? { title_en: words.title, summary_en: words.summary } : {}),
    language_versions: [...event.language_versions, language],
    translations: { ...event.translations, [language]: words },
  };
}
