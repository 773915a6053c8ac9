// Describes the changes of a revision as a sentence: "Title changed; 2 topics added".
import { DEFINED_EVENT_TYPES, DEFINED_SEVERITIES, type DefinedTerm, termName } from "./definitions.ts";
import { languageName } from "./language_codes.ts";
import { isAtLeast, SEVERITIES, type Severity } from "./severity.ts";

type Noun = readonly [one: string, many: string];

type Fate = "changed" | "added" | "removed";

interface DiffTexts {
  nothing: string;
  title(fate: Fate): string;
  summary(fate: Fate): string;
  address: string;
  type(before: string, after: string): string;
  severity(before: string, after: string, raised: boolean): string;
  date: string;
  language: string;
  withdrawn: string;
  restored: string;
  lists: Record<"topics" | "ai_act_articles" | "language_versions", Noun>;
  added: Noun;
  removed: Noun;
}

const WORDS: Record<string, DiffTexts> = {
  en: {
    nothing: "no field changed",
    title: (fate) => `title ${fate}`,
    summary: (fate) => `summary ${fate}`,
    address: "official URL changed",
    type: (before, after) => `type changed from ${before} to ${after}`,
    severity: (before, after, raised) =>
      `severity ${raised ? "raised" : "lowered"} from ${before} to ${after}`,
    date: "publication date changed",
    language: "language changed",
    withdrawn: "withdrawn by the source",
    restored: "listed by the source again",
    lists: {
      topics: ["topic", "topics"],
      ai_act_articles: ["article reference", "article references"],
      language_versions: ["language version", "language versions"],
    },
    added: ["added", "added"],
    removed: ["removed", "removed"],
  },
  de: {
    nothing: "kein Feld geändert",
    title: (fate) => `Titel ${GERMAN_FATES[fate]}`,
    summary: (fate) => `Zusammenfassung ${GERMAN_FATES[fate]}`,
    address: "offizielle URL geändert",
    type: (before, after) => `Art geändert von „${before}“ zu „${after}“`,
    severity: (before, after, raised) =>
      `Schweregrad ${raised ? "angehoben" : "gesenkt"} von ${before} auf ${after}`,
    date: "Veröffentlichungsdatum geändert",
    language: "Sprache geändert",
    withdrawn: "von der Quelle zurückgezogen",
    restored: "von der Quelle wieder aufgeführt",
    lists: {
      topics: ["Thema", "Themen"],
      ai_act_articles: ["Artikelverweis", "Artikelverweise"],
      language_versions: ["Sprachfassung", "Sprachfassungen"],
    },
    added: ["hinzugefügt", "hinzugefügt"],
    removed: ["entfernt", "entfernt"],
  },
  fr: {
    nothing: "aucun champ modifié",
    title: (fate) => `titre ${FRENCH_FATES[fate]}`,
    summary: (fate) => `résumé ${FRENCH_FATES[fate]}`,
    address: "URL officielle modifiée",
    type: (before, after) => `type modifié de « ${before} » en « ${after} »`,
    severity: (before, after, raised) => `gravité ${raised ? "relevée" : "abaissée"} de ${before} à ${after}`,
    date: "date de publication modifiée",
    language: "langue modifiée",
    withdrawn: "retiré par la source",
    restored: "de nouveau publié par la source",
    // All these nouns are feminine, as the participles below must be.
    lists: {
      topics: ["thématique", "thématiques"],
      ai_act_articles: ["référence d’article", "références d’articles"],
      language_versions: ["version linguistique", "versions linguistiques"],
    },
    added: ["ajoutée", "ajoutées"],
    removed: ["supprimée", "supprimées"],
  },
};

const GERMAN_FATES: Record<Fate, string> = { changed: "geändert", added: "hinzugefügt", removed: "entfernt" };
const FRENCH_FATES: Record<Fate, string> = { changed: "modifié", added: "ajouté", removed: "supprimé" };

interface DescribeOptions {
  language: string;
  /** The language of `title_en` and `summary_en` if the event has several languages; otherwise null. */
  own: string | null;
}

/**
 * Describes the changes in the reader's language if it is in {@link WORDS}, and otherwise in English. Changes of
 * translations into the reader's language come first. Changes of texts in other languages name the language.
 */
export function describeChanges(changes: readonly FieldChange[], { language, own }: DescribeOptions): string {
  const known = Object.hasOwn(WORDS, language) ? language : "en";
  const words = WORDS[known] as DiffTexts;
  const read = (change: FieldChange) => change.field.startsWith(`translations.${language}.`);
  const inOrder = [...changes.filter(read), ...changes.filter((change) => !read(change))];
  const elsewhere = () => own === null || own === language ? "" : ` (${languageName(own, known)})`;
  const parts = inOrder.flatMap((change) =>
    clausesOf(change, { changes, words, language: known, elsewhere })
  );
  const line = (parts.length === 0 ? [words.nothing] : [...new Set(parts)]).join("; ");
  return line.charAt(0).toUpperCase() + line.slice(1);
}

interface Context {
  changes: readonly FieldChange[];
  words: DiffTexts;
  language: string;
  /** Returns the language of `title_en` and `summary_en` in parentheses, or an empty string if it is obvious. */
  elsewhere(): string;
}

function clausesOf(change: FieldChange, context: Context): string[] {
  const { words, elsewhere, language } = context;
  if ("added" in change) {
    const [one, many] = words.lists[change.field as keyof DiffTexts["lists"]] ?? [change.field, change.field];
    return ([[change.added, words.added], [change.removed, words.removed]] as const)
      .filter(([values]) => values.length > 0)
      .map(([values, [past, pasts]]) =>
        values.length === 1 ? `1 ${one} ${past}` : `${values.length} ${many} ${pasts}`
      );
  }
  const before = String(change.before ?? "");
  const after = String(change.after ?? "");
  const fate: Fate = before === "" ? "added" : after === "" ? "removed" : "changed";
  switch (change.field) {
    case "title_en":
      return [words.title(fate) + elsewhere()];
    case "summary_en":
      return [words.summary(fate) + elsewhere()];
    case "url_official":
      return [words.address];
    case "event_type":
      return [words.type(typeName(before, language), typeName(after, language))];
    case "severity":
      return [
        words.severity(
          severityName(before, language),
          severityName(after, language),
          isRaised(before, after),
        ),
      ];
    case "published_at":
      return [words.date];
    case "language":
      return [words.language];
    case "status":
      return [after === "withdrawn" ? words.withdrawn : words.restored];
    default:
      return translationClause(change.field, fate, context);
  }
}

/** In English, sentences contain the ids. */
function nameIn(terms: readonly DefinedTerm[], id: string, language: string): string {
  return language === "de" || language === "fr" ? termName(terms, id, language) : id;
}

function typeName(id: string, language: string): string {
  return nameIn(DEFINED_EVENT_TYPES, id, language);
}

function severityName(id: string, language: string): string {
  return nameIn(DEFINED_SEVERITIES, id, language).toLowerCase();
}

function isRaised(before: string, after: string): boolean {
  const known = (text: string): text is Severity => SEVERITIES.some((severity) => severity === text);
  return known(before) && known(after) && isAtLeast(after, before);
}

/** Returns nothing if the language was added or removed, because the change of `language_versions` says so. */
function translationClause(field: string, fate: Fate, { changes, words, language }: Context): string[] {
  const [, code, part] = /^translations\.(.+)\.(title|summary)$/.exec(field) ?? [];
  if (code === undefined) return [field];
  const whole = changes.some((change) =>
    "added" in change && change.field === "language_versions" &&
    [...change.added, ...change.removed].includes(code)
  );
  if (whole) return [];
  const clause = part === "title" ? words.title(fate) : words.summary(fate);
  return [`${clause} (${languageName(code, language)})`];
}

/**
 * A changed field, with its values or with the added and removed values of a list. `excerpt` means that the values
 * contain only the changed sentences of a long text, with "[…]" in place of the others.
 */
export type FieldChange =
  | { field: string; before: string | number | null; after: string | number | null; excerpt?: true }
  | { field: string; added: string[]; removed: string[] };
