// What the page of an event shows: its versions, the comparison of two of them, and the dates that concern it.
import { actDatesOf } from "../../../domain/event/act_calendar.ts";
import { datesIn, type NamedDate } from "../../../domain/event/dates_in_text.ts";
import { diffEvents } from "../../../domain/event/diff.ts";
import type { RegEvent } from "../../../domain/event/event.ts";
import { redline } from "../../../domain/event/redline.ts";
import type { DiffPart } from "../../components/diff.ts";
import type { Language } from "../../texts/texts.ts";
import { dayOf } from "../feed/feed_view.ts";
import type { Vocabulary } from "../vocabulary.ts";

/** The fields of an event that are compared by value. */
const COMPARED = [
  "severity",
  "event_type",
  "status",
  "published_at",
  "url_official",
  "language",
  "topics",
  "ai_act_articles",
  "language_versions",
] as const;

type ComparedField = typeof COMPARED[number];

export interface FieldComparison {
  field: ComparedField;
  removed: string[];
  added: string[];
}

export interface Comparison {
  /** The changes as a sentence, in the reader's language. */
  summary: string;
  /** The language of the compared texts. */
  language: string;
  title: DiffPart[];
  summaryText: DiffPart[];
  fields: FieldComparison[];
  /** Other languages in which a text differs. */
  otherLanguages: string[];
}

/** Compares two versions of a publication. Texts are compared in `language`, if either version has it. */
export function compareVersions(
  before: RegEvent,
  after: RegEvent,
  { language, shownLanguage, vocabulary, dateText }: {
    language: Language;
    shownLanguage: string;
    vocabulary: Vocabulary;
    dateText(event: RegEvent): string;
  },
): Comparison {
  const { summary, changes } = diffEvents(before, after, language);
  const [old, now] = [textsIn(before, shownLanguage), textsIn(after, shownLanguage)];
  const named = (field: ComparedField, event: RegEvent): string[] => {
    if (field === "published_at") return [dateText(event)];
    const value = event[field];
    return (Array.isArray(value) ? value : value === null ? [] : [value])
      .map((one) => nameOf(field, one, vocabulary));
  };
  const fields = COMPARED.filter((field) => changes.some((change) => change.field === field))
    .map((field): FieldComparison => {
      const [removed, added] = [named(field, before), named(field, after)];
      return {
        field,
        removed: removed.filter((value) => !added.includes(value)),
        added: added.filter((value) => !removed.includes(value)),
      };
    });
  const differs = (code: string) => {
    const [a, b] = [textsIn(before, code), textsIn(after, code)];
    return a.title !== b.title || a.summary !== b.summary;
  };
  const codes = new Set([...before.language_versions, ...after.language_versions]);
  return {
    summary,
    language: shownLanguage,
    title: diffParts(old.title, now.title),
    summaryText: diffParts(old.summary, now.summary),
    fields,
    otherLanguages: [...codes].filter((code) => code !== shownLanguage && differs(code)).sort(),
  };
}

export function nameOf(field: ComparedField, value: string, vocabulary: Vocabulary): string {
  switch (field) {
    case "severity":
      return vocabulary.severityName(value);
    case "event_type":
      return vocabulary.eventTypeName(value);
    case "topics":
      return vocabulary.topicName(value);
    case "language":
    case "language_versions":
      return vocabulary.languageName(value);
    default:
      return value;
  }
}

function diffParts(before: string, after: string): DiffPart[] {
  return redline(before, after).flatMap((part): DiffPart[] => {
    if ("kept" in part) return [{ kind: "same", text: part.kept }];
    return [{ kind: "removed" as const, text: part.removed }, { kind: "added" as const, text: part.added }]
      .filter(({ text }) => text !== "");
  });
}

function textsIn(event: RegEvent, language: string): { title: string; summary: string } {
  const own = Object.hasOwn(event.translations, language) ? event.translations[language] : undefined;
  return own ?? { title: "", summary: "" };
}

/** Chooses the language of the texts: the wanted one, the reader's, English, or the original. */
export function textLanguageOf(event: RegEvent, wanted: string, language: Language): string {
  const has = (code: string) => Object.hasOwn(event.translations, code);
  return [wanted, language, "en", event.language].find(has) ?? event.language;
}

/** Chooses the language in which two versions are compared: if possible, one that both have. */
export function comparedLanguage(
  before: RegEvent,
  after: RegEvent,
  wanted: string,
  language: Language,
): string {
  const codes = [wanted, language, "en", after.language];
  const has = (event: RegEvent, code: string) => Object.hasOwn(event.translations, code);
  return codes.find((code) => has(before, code) && has(after, code)) ??
    textLanguageOf(after, wanted, language);
}

export interface ConcerningDates {
  /** Dates after the publication, which its title or summary names. */
  named: NamedDate[];
  /** Dates of the AI Act for the cited articles or, if there are none, for the articles of the topics. */
  act: { on: string; what: string; basis: string; references: string[]; isPast: boolean }[];
  /** Where the articles come from; null if there are none. */
  articlesFrom: "citations" | "topics" | null;
}

/** Returns the dates in title and summary, each once, in order. */
function namedIn({ title, summary }: { title: string; summary: string }): NamedDate[] {
  const all = new Map([...datesIn(summary), ...datesIn(title)].map((date) => [date.on, date]));
  return [...all.values()].sort((a, b) => (a.on < b.on ? -1 : 1));
}

/** Returns the dates that an event names or that the AI Act states for its articles. `today` is `YYYY-MM-DD`. */
export function datesOf(
  event: RegEvent,
  texts: { title: string; summary: string },
  { today, language, vocabulary }: { today: string; language: Language; vocabulary: Vocabulary },
): ConcerningDates {
  const published = dayOf(event);
  const ofTopics = vocabulary.topics.filter(({ id }) => event.topics.includes(id))
    .flatMap(({ articles }) => articles);
  const isCiting = event.ai_act_articles.length > 0;
  const references = isCiting ? event.ai_act_articles : [...new Set(ofTopics)];
  return {
    named: namedIn(texts).filter(({ on }) => on > published),
    act: actDatesOf(references).map((date) => ({
      on: date.on,
      what: date[`what_${language}`],
      basis: date.basis,
      references: isCiting ? date.references : [],
      isPast: date.on <= today,
    })),
    articlesFrom: references.length === 0 ? null : isCiting ? "citations" : "topics",
  };
}
