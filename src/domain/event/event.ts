// The event record: one version of an official publication.
import type { Severity } from "./severity.ts";

/** The event types, in the order of the taxonomy. */
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

export type EventType = typeof EVENT_TYPES[number];

/** The title and summary of a publication in one language, as plain text. */
export interface LocalizedText {
  title: string;
  summary: string;
}

export const DATE_PRECISIONS = ["time", "date"] as const;

/** `date`: the source states only the day. */
export type DatePrecision = typeof DATE_PRECISIONS[number];

/**
 * One version of one publication; append-only. The field names are those of the specification (section 2.1), so the
 * stored record is also the API's JSON. Times are Unix ms.
 */
export interface RegEvent {
  /** `evt_` and a ULID. Never reused or changed. */
  id: string;
  source_id: string;
  /** The source, with the name that the config gave it when this version was recorded. */
  source: { id: string; name: string };
  /** Shared by all versions of one publication of one source. */
  external_id: string;
  /** Starts at 1. Each revision by the source increments it. */
  version: number;
  /** The id of the previous version, or null for version 1. */
  supersedes: string | null;
  event_type: EventType;
  /** Topic ids, most relevant first. */
  topics: string[];
  severity: Severity;
  /** The English title, or the original title if the source publishes no English one. */
  title_en: string;
  /** The English or original summary, chosen like the title; may be empty. */
  summary_en: string;
  /** Absolute http(s) URL of the official publication. */
  url_official: string;
  /** Canonical references such as `Art. 53(1)(d)`, `Annex III` and `Recital 60`, sorted and without duplicates. */
  ai_act_articles: string[];
  /** The publication date stated by the source. A date without a time is midnight in the source's time zone. */
  published_at: number;
  published_at_precision: DatePrecision;
  /** The publication date as the source states it, `YYYY-MM-DD`; null if the source stated no usable date. */
  published_on: string | null;
  /** True if the source stated no usable date. `published_at` is then the ingestion time of the first version. */
  published_at_estimated: boolean;
  ingested_at: number;
  /** The original language (ISO 639-1). */
  language: string;
  language_versions: string[];
  /** The texts by language, for every entry of `language_versions`. */
  translations: Record<string, LocalizedText>;
  /** `withdrawn` in the version that records that the source no longer lists the publication; otherwise null. */
  status: "withdrawn" | null;
}

/** Adds a language to a record, unless it has that language. English texts also become `title_en` and `summary_en`. */
export function withTranslation(event: RegEvent, language: string, words: LocalizedText): RegEvent {
  if (Object.hasOwn(event.translations, language)) return event;
  return {
    ...event,
    ...(language === "en" ? { title_en: words.title, summary_en: words.summary } : {}),
    language_versions: [...event.language_versions, language],
    translations: { ...event.translations, [language]: words },
  };
}
