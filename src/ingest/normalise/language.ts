// Language tags, as documents state them, to the two letters that the service uses.

/** Maximum length of a language tag (RFC 5646, section 4.4.1). */
export const MAX_TAG_CHARACTERS = 35;

const known = new Map<string, string | null>();

/**
 * The ISO 639-1 code of a language tag ("en-GB" and "en_US" are "en", "ger" and "deu" are "de"); null for none, for
 * words that are no tag and for languages without such a code.
 */
export function languageCode(tag: string | null): string | null {
  if (tag === null || tag.length > MAX_TAG_CHARACTERS) return null;
  const remembered = known.get(tag);
  if (remembered !== undefined) return remembered;
  const code = readTag(tag);
  if (known.size < 1000) known.set(tag, code); // tags come from outside: the memory is bounded
  return code;
}

function readTag(tag: string): string | null {
  try {
    const language = new Intl.Locale(tag.trim().replaceAll("_", "-")).language;
    return language.length === 2 ? language : null;
  } catch {
    return null;
  }
}
