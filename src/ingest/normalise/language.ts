// Converts language tags to ISO 639-1 codes.

/** Maximum length of a language tag (RFC 5646, section 4.4.1). */
export const MAX_TAG_CHARACTERS = 35;

/** Returns the ISO 639-1 code of a tag ("en" for "en-GB" and "en_US", "de" for "deu"), or null if it has none. */
export function languageCode(tag: string | null): string | null {
  if (tag === null || tag.length > MAX_TAG_CHARACTERS) return null;
  try {
    const { language } = new Intl.Locale(tag.trim().replaceAll("_", "-"));
    return language.length === 2 ? language : null;
  } catch {
    return null;
  }
}
