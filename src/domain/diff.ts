// The difference between two versions of one publication, as receivers and readers get it.
import type { RegEvent } from "./event.ts";

/** One field that changed: its values, or for a list what came and went. */
export type FieldChange =
  | { field: string; before: string | number | null; after: string | number | null }
  | { field: string; added: string[]; removed: string[] };

/** What a revision changed, against the version before it. */
export interface EventDiff {
  previous_id: string;
  previous_version: number;
  /** The changed fields, in words: "title_en, summary_en changed". */
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
] as const;
const LISTS = ["topics", "ai_act_articles", "language_versions"] as const;

/** The difference from `previous` to `next`; the words of other languages stand as `translations.CODE.title|summary`. */
export function diffEvents(previous: RegEvent, next: RegEvent): EventDiff {
  const changes: FieldChange[] = [];
  for (const field of SCALARS) {
    if (previous[field] !== next[field]) changes.push({ field, before: previous[field], after: next[field] });
  }
  for (const field of LISTS) {
    const added = next[field].filter((value) => !previous[field].includes(value));
    const removed = previous[field].filter((value) => !next[field].includes(value));
    if (added.length + removed.length > 0) changes.push({ field, added, removed });
  }
  changes.push(...translationChanges(previous, next));
  const fields = changes.map((change) => change.field);
  return {
    previous_id: previous.id,
    previous_version: previous.version,
    summary: fields.length === 0 ? "no field changed" : `${fields.join(", ")} changed`,
    changes,
  };
}

/** Changes of words that `title_en` and `summary_en` do not show already. */
function translationChanges(previous: RegEvent, next: RegEvent): FieldChange[] {
  const changes: FieldChange[] = [];
  const codes = new Set([...Object.keys(previous.translations), ...Object.keys(next.translations)]);
  for (const code of [...codes].sort()) {
    for (const part of ["title", "summary"] as const) {
      const before = previous.translations[code]?.[part] ?? null;
      const after = next.translations[code]?.[part] ?? null;
      const shown = before === previous[`${part}_en`] && after === next[`${part}_en`];
      if (before !== after && !shown) changes.push({ field: `translations.${code}.${part}`, before, after });
    }
  }
  return changes;
}
