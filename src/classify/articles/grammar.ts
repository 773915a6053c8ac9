// Regular expressions for the parts of a citation in folded text: English, German, French, and some other languages.

export type ReferenceKind = "article" | "annex" | "recital";

/** The word that starts a citation: "Articles", "Art.", "Anhang", "considérants" … */
export interface Head {
  kind: ReferenceKind;
  start: number;
  end: number;
  /** Whether the word is plural ("Articles"), as before a list. The ambiguous German "Artikel" counts as singular. */
  plural: boolean;
}

const HEAD =
  /(?<![A-Za-z0-9_])(?:(articles?|artikel(?:en|[ns])?|articulos?|articol[oi]|arts?|artt)|(annex|annexes|annexe|anhang(?:e?s)?|anhangen?|anh(?=\.)|anexos?|allegat[oi]|bijlagen?)|(recitals?|considerand[oi]s?|overwegingen?|erwagungsgr(?:und(?:es)?|unden?)|erw\. ?gr|erwgr?|eg(?= ?(?:nr\.? ?)?\d)|considerants?|cons(?=\.)))(?:\.|(?![A-Za-z0-9_]))/gi;

/** Returns every head in a text, in order. */
export function findHeads(text: string): Head[] {
  const heads: Head[] = [];
  for (const match of text.matchAll(HEAD)) {
    const [whole, article, annex] = match;
    if (whole === "art" || whole === "arts") continue; // "state of the art"
    if (/^eg$/i.test(whole) && !isRecitalShort(text, match.index)) continue;
    const word = whole.toLowerCase().replace(".", "");
    heads.push({
      kind: article !== undefined ? "article" : annex !== undefined ? "annex" : "recital",
      start: match.index,
      end: match.index + whole.length,
      plural:
        /^(articles|arts|artt|artikeln|artikelen|articulos|articoli|annexes|anhangen?|recitals|considerants|erwagungsgrunden?)$/
          .test(word),
    });
  }
  return heads;
}

/** Whether "EG" means a German recital, as in "EG 60" but not in "2006/42/EG 60 …", "(EG) Nr. 300/2008" or "eg 5". */
function isRecitalShort(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 11), at);
  return text.startsWith("EG", at) && !/[/(]$/.test(before) && before.toLowerCase() !== "verordnung ";
}

/** Returns the match of a sticky expression at a position, or null. */
export function readAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** The text between a head and its number: "Article n° 5", "recital (60)". */
export const BEFORE_NUMBER = /\s?(?:n°|no\.?|nr\.?)?\s?\(?/iy;

/** "5", "75d", "4 bis" (not "8 bis 15", a German range), "1er". Groups: number, Latin suffix, letters. */
export const NUMBER =
  /(\d{1,3})(?!\d)(?:(?: |-)?(bis|ter|quater|quinquies)(?![a-z]| ?-? ?\(?\d| (?:art|anh|abs|einschl|inkl|zu ))|er(?![a-z])|re(?![a-z])|([a-z]{1,2})(?![a-z0-9]))?/iy;

/** "article premier". */
export const FIRST = / ?premier(?![a-z])/iy;

/** "III" as the number of an annex. */
export const ROMAN = /(?=[IVX])(X?(?:IX|IV|V?I{0,3}))(?![A-Za-z0-9])/y;

/** "(2)", "(1a)", "(f)", "(ba)", "(iii)", "(1 bis)", "[2]". */
export const BRACKETED =
  /\s?[([]\s?(\d{1,2}[a-d]{0,2}|[a-z]|[a-k][a-d]|x?(?:ix|iv|v?i{0,3}))(?: (bis|ter|quater))?\s?[)\]]/y;

/** ".1" of "Article 5.1". */
export const DOTTED = /\.(\d{1,2})(?![\d])(?!\.\d)/y;

/** ".f" or ".a" after a dotted paragraph. */
export const DOTTED_LETTER = /\.?([a-z])(?![a-z0-9.])/y;

/** "5 b)", "§ 1, f)", "h) iii)": a letter or Roman numeral with only a closing parenthesis. */
export const LOOSE_LETTER = /(,?)\s?([a-z]|[a-k][a-d]|x?(?:ix|iv|v?i{1,3}))\)/y;

/** "f" of "5(1)f". */
export const ADJACENT_LETTER = /([a-z])(?![a-z0-9)])/y;

/** " b" of "5 b" in an annex. */
export const SPACED_LETTER = /\s([a-z])(?![a-z0-9])/y;

/** "Art. 6 II", short for "Absatz 2" in German legal writing. */
export const ROMAN_PARAGRAPH = / (X?(?:IX|IV|V?I{0,3}))(?=[ ,.;:)]|$)/y;

/** The word for a paragraph. The group matches only plural forms. */
export const PARAGRAPH_WORD =
  /,?\s?\(?(?:(paragraphs|paragraphes|paragraphen|paras|absatze|absatzen|§§)|(?:paragraphe?|par(?=\.)|para|absatz(?:es)?|abs|apartados?|paragrafo|lid|alinea|al(?=\.)|§))(?![a-z])\.?\s?(?:n°\s?)?/iy;

/** The word for a point, number or letter. The group matches only plural forms. */
export const POINT_WORD =
  /,?\s?\(?(?:(points|letters|lettres|buchstaben|nummern|numbers|ziffern|nrn|pts)|(?:point|letter|lettre|letra|lettera|punto|punt|buchstabe[ns]?|buchst|litera|lit|numero|number|nummer|nr|nos|no|n°|ziffer|ziff|pt|subpoint|sub-point|sous))(?![a-z])\.?\s?/iy;

/** The value after a paragraph or point word: "1", "1er", "2a", "1 bis", "(1)", "f", "f)", "ba", never "to" or "de". */
export const VALUE =
  /[([]?\s?(?:(\d{1,2})(?!\d)(?:er(?![a-z])|([a-d]{1,2})(?![a-z0-9]))?|([a-z]|[a-k][a-d])(?![a-z0-9])|((?:x|x?i[xv]|x?v?i{1,3}))(?![a-z0-9]))(?: (bis|ter|quater)(?! ?\d|[a-z]| [a-z](?![a-z])| \())?\s?[)\]]?/y;

/** "Section A" of an annex. */
export const SECTION_WORD = /,?\s?(?:section|abschnitt|teil|part|partie)\s([A-E])(?![A-Za-z0-9])/iy;

/** Subparagraphs, sentences and indents, which the canonical form omits. */
export const SKIPPED =
  /,?\s?(?:(?:first|second|third|fourth|last|1st|2nd|3rd) (?:sub-?paragraph|sentence|indent|alinea)|(?:premier|deuxieme|troisieme|quatrieme|dernier|second|seconde|premiere|1er|2e|3e) (?:alinea|phrase|tiret)|(?:unterabs(?:atz|\.)?|uabs\.?|satz|halbsatz|hs\.|S\.) ?\d{1,2}(?!\d))(?![a-z])/iy;

/** The text between the ends of a range: "to", "bis", "à", "-". */
export const RANGE =
  /\s?(?:-|\sup to and including\s|\sto\s|\sthrough\s|\suntil\s|\sbis (?:zu|einschliesslich|einschl\.|inklusive)\s|\sbis\s|\sjusqu'(?:\u00e0|au)\s|\s?\u00e0\s|\sau\s)\s?/iy;

export const SEPARATOR =
  /\s?(?:[,;]\s?)?(?:\s?(?:and|or|und|oder|et|ou|as well as|sowie|ainsi que|and\/or|und\/oder|et\/ou|resp\.|bzw\.|u\.|e|y)\s|&\s?)|\s?[,;]\s/iy;

/** Latin suffixes as letters: "4 bis" is 4a (EU drafting practice in French, Italian and Spanish). */
export const LATIN_SUFFIX: Readonly<Record<string, string>> = {
  bis: "a",
  ter: "b",
  quater: "c",
  quinquies: "d",
};

const NUMERALS = " I II III IV V VI VII VIII IX X XI XII XIII XIV XV XVI XVII XVIII XIX".split(" ");

export function romanToNumber(roman: string): number {
  return NUMERALS.indexOf(roman);
}

/** Returns the Roman numeral for 1 to 19. */
export function numberToRoman(number: number): string {
  return NUMERALS[number] ?? "";
}
