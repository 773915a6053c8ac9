// Finds and removes the language in a URL, for publications in several languages.
import type { RegEvent } from "../../domain/event/event.ts";
import type { SourceSettings } from "../../domain/source/source.ts";

export interface LanguageForms {
  /** ISO 639-1 codes, the main language first. */
  codes: readonly string[];
  /** Finds the language in a URL: the first group or, if the pattern has no group, the whole match. */
  pattern: RegExp;
}

/** Returns the language forms of a source with publications in several languages, or null for other sources. */
export function languageForms(
  { languages, urls, languagePattern }: Pick<SourceSettings, "languages" | "urls" | "languagePattern">,
): LanguageForms | null {
  if (urls === undefined && languagePattern === undefined) return null;
  const codes = [...new Set([...languages, ...Object.keys(urls ?? {})])];
  const pattern = languagePattern === undefined ? usualForms(codes) : new RegExp(languagePattern, "di");
  return { codes, pattern };
}

/** Matches a subdomain (`de.example`), segment (`/de/`), suffix (`news_de`, `act.de.html`) or parameter (`lang=de`). */
function usualForms(codes: readonly string[]): RegExp {
  const code = `(?:${codes.join("|")})`;
  return new RegExp(
    [
      `(?<=^https?://)${code}(?=\\.)`,
      `(?<=/)${code}(?=[/?#]|$)`,
      `(?<=_)${code}(?=(?:\\.\\w+)?(?:[/?#]|$))`,
      `(?<=[.-])${code}(?=\\.\\w{3,5}(?:[?#]|$))`,
      `(?<=[?&](?:lang|language|locale|lg|hl)=)${code}(?=[-_&#]|$)`,
    ].join("|"),
    "di",
  );
}

/** Replaces the language in a URL with `*`. A URL without a language of the source is returned as is. */
export function withoutLanguage(
  url: string,
  { codes, pattern }: LanguageForms,
): { url: string; language: string | null } {
  const found = pattern.exec(url);
  const range = found?.indices?.[1] ?? found?.indices?.[0];
  if (range === undefined) return { url, language: null };
  const [start, end] = range;
  const language = url.slice(start, end).toLowerCase();
  if (!codes.includes(language)) return { url, language: null };
  return { url: `${url.slice(0, start)}*${url.slice(end)}`, language };
}

/** Returns the record with its title and summary in a language, or unchanged if it has no text in that language. */
export function textsIn<T extends Pick<RegEvent, "title_en" | "summary_en" | "translations">>(
  event: T,
  language: string | undefined,
): T {
  const text = language !== undefined && Object.hasOwn(event.translations, language)
    ? event.translations[language]
    : undefined;
  return text === undefined ? event : { ...event, title_en: text.title, summary_en: text.summary };
}
