// The texts of the pages by language. English defines which texts there are.
import * as en from "./en.ts";
import * as de from "./de.ts";
import * as fr from "./fr.ts";

export const LANGUAGES = ["en", "de", "fr"] as const;

export type Language = typeof LANGUAGES[number];

export type Texts = typeof en;

export const TEXTS: Readonly<Record<Language, Texts>> = { en, de, fr };

/**
 * Chooses the language of a page: the one that the visitor chose, otherwise the first of `Accept-Language` that the
 * pages have (RFC 9110, section 12.5.4), otherwise English.
 */
export function chooseLanguage(chosen: string | undefined, acceptLanguage: string | null): Language {
  const known = asLanguage(chosen);
  if (known !== null) return known;
  let best: { language: Language; weight: number } | null = null;
  for (const part of (acceptLanguage ?? "").split(",").slice(0, 20)) {
    const [range = "", ...parameters] = part.trim().toLowerCase().split(";").map((text) => text.trim());
    const language = asLanguage(range.split("-")[0]);
    const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const weight = quality === undefined ? 1 : Number(quality);
    if (language === null || !(weight > 0) || (best !== null && weight <= best.weight)) continue;
    best = { language, weight };
  }
  return best?.language ?? "en";
}

function asLanguage(text: string | undefined): Language | null {
  return LANGUAGES.find((language) => language === text) ?? null;
}
