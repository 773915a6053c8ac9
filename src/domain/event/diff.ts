// Computes the difference between two versions of a publication.
import { changedSentences } from "./changed_sentences.ts";
import { describeChanges, type FieldChange } from "./diff_words.ts";
import type { RegEvent } from "./event.ts";

export interface EventDiff {
  previous_id: string;
  previous_version: number;
  /** The changes as a sentence, such as "Title changed; 2 topics added". */
  summary: string;
  changes: FieldChange[];
}

const SCALARS = [
  "title_en",
  "summary_en",
  "url_official",
  "event_type",
  "severity",
  "published_at",
  "language",
  "status",
] as const;
const TEXTS: ReadonlySet<string> = new Set(["title_en", "summary_en"]);
const LISTS = ["topics", "ai_act_articles", "language_versions"] as const;

/**
 * Returns the difference from `previous` to `next`. A date to which a time was added, or from which it was removed, is
 * not a change. The summary is in the given language if it is English, German or
 * French, and otherwise in English. Changes of translations have the fields `translations.CODE.title` and
 * `translations.CODE.summary`.
 */
export function diffEvents(previous: RegEvent, next: RegEvent, language = "en"): EventDiff {
  const changes: FieldChange[] = [];
  const own = next.language_versions.includes("en") ? "en" : next.language;
  for (const field of SCALARS) {
    const before = previous[field];
    const after = next[field];
    if (before === after || (field === "published_at" && isSameDay(previous, next))) continue;
    const isText = TEXTS.has(field) && typeof before === "string" && typeof after === "string";
    changes.push(isText ? textChange(field, { before, after, language: own }) : { field, before, after });
  }
  for (const field of LISTS) {
    const added = next[field].filter((value) => !previous[field].includes(value));
    const removed = previous[field].filter((value) => !next[field].includes(value));
    if (added.length + removed.length > 0) changes.push({ field, added, removed });
  }
  changes.push(...translationChanges(previous, next));
  return {
    previous_id: previous.id,
    previous_version: previous.version,
    summary: describeChanges(changes, { language, own: next.language_versions.length > 1 ? own : null }),
    changes,
  };
}

function isSameDay(previous: RegEvent, next: RegEvent): boolean {
  return previous.published_on !== null && previous.published_on === next.published_on &&
    (previous.published_at_precision === "date" || next.published_at_precision === "date");
}

/** Returns the changes of translations that `title_en` and `summary_en` do not show. */
function translationChanges(previous: RegEvent, next: RegEvent): FieldChange[] {
  const changes: FieldChange[] = [];
  const codes = new Set([...Object.keys(previous.translations), ...Object.keys(next.translations)]);
  for (const code of [...codes].sort()) {
    for (const part of ["title", "summary"] as const) {
      const before = textsOf(previous, code)?.[part] ?? null;
      const after = textsOf(next, code)?.[part] ?? null;
      const shown = before === previous[`${part}_en`] && after === next[`${part}_en`];
      if (before === after || shown) continue;
      const field = `translations.${code}.${part}`;
      changes.push(
        before === null || after === null
          ? { field, before, after }
          : textChange(field, { before, after, language: code }),
      );
    }
  }
  return changes;
}

function textsOf(event: RegEvent, code: string): { title: string; summary: string } | undefined {
  return Object.hasOwn(event.translations, code) ? event.translations[code] : undefined;
}

function textChange(
  field: string,
  { before, after, language }: { before: string; after: string; language: string },
): FieldChange {
  const { isExcerpt, ...shown } = changedSentences(before, after, language);
  return isExcerpt ? { field, ...shown, excerpt: true } : { field, ...shown };
}
