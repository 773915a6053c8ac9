// How English, German and French (and, in the plain forms, Spanish, Italian and Dutch) write the parts of a citation: heads, numbers, paragraphs, points, lists, ranges.
// Every reader is a sticky expression on folded text (see text.ts), bounded in length, so none can run away.

/** What a citation refers to. */
export type ReferenceKind = "article" | "annex" | "recital";

/** The word that opens a citation: "Articles", "Art.", "Anhang", "considérants" … */
export interface Head {
  kind: ReferenceKind;
  start: number;
  /** Where what follows the word begins. */
  end: number;
  /** Written in the plural ("Articles"), so that a list of numbers follows; German "Artikel" says neither. */
  plural: boolean;
}

const HEAD =
  /(?<![A-Za-z0-9_])(?:(articles?|artikel(?:en|[ns])?|articulos?|articol[oi]|arts?|artt)|(annex|annexes|annexe|anhang(?:e?s)?|anhangen?|anh(?=\.)|anexos?|allegat[oi]|bijlagen?)|(recitals?|considerand[oi]s?|overwegingen?|erwagungsgr(?:und(?:es)?|unden?)|erw\. ?gr|erwgr?|eg(?= ?(?:nr\.? ?)?\d)|considerants?|cons(?=\.)))(?:\.|(?![A-Za-z0-9_]))/gi;

/** Every head of a text, in order. */
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

/** "EG 60" is a German recital; "2006/42/EG 60 …", "(EG) Nr. 300/2008" and "eg 5" are not. */
function isRecitalShort(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 11), at);
  return text.startsWith("EG", at) && !/[/(]$/.test(before) && before.toLowerCase() !== "verordnung ";
}

/** A reader: the match of its expression exactly at `at`, or null. */
export function readAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** What may stand between a head and its number: "Article n° 5", "recital (60)", "article premier" has none. */
export const BEFORE_NUMBER = /\s?(?:n°|no\.?|nr\.?)?\s?\(?/iy;

/** "5", "75d", "4 bis" (not "8 bis 15", a German range), "1er"; the suffix in the first or second group after the number. */
export const NUMBER =
  /(\d{1,3})(?!\d)(?:(?: |-)?(bis|ter|quater|quinquies)(?![a-z]| ?-? ?\(?\d| (?:art|anh|abs|einschl|inkl|zu ))|er(?![a-z])|re(?![a-z])|([a-z]{1,2})(?![a-z0-9]))?/iy;

/** "article premier". */
export const FIRST = / ?premier(?![a-z])/iy;

/** "III" as the number of an annex, or "3". */
export const ROMAN = /(?=[IVX])(X?(?:IX|IV|V?I{0,3}))(?![A-Za-z0-9])/y;

/** "(2)", "(1a)", "(f)", "(ba)", "(iii)", "(1 bis)"; also "[2]" and, after a letter's point, "f)". */
export const BRACKETED =
  /\s?[([]\s?(\d{1,2}[a-d]{0,2}|[a-z]|[a-k][a-d]|x?(?:ix|iv|v?i{0,3}))(?: (bis|ter|quater))?\s?[)\]]/y;

/** "Article 5.1": a paragraph after a full stop. */
export const DOTTED = /\.(\d{1,2})(?![\d])(?!\.\d)/y;

/** ".f" or ".a" after a dotted paragraph. */
export const DOTTED_LETTER = /\.?([a-z])(?![a-z0-9.])/y;

/** "5 b)", "§ 1, f)", "h) iii)": a letter or a Roman sub-point that only a closing bracket marks. */
export const LOOSE_LETTER = /(,?)\s?([a-z]|[a-k][a-d]|x?(?:ix|iv|v?i{1,3}))\)/y;

/** "5(1)f" after a bracket. */
export const ADJACENT_LETTER = /([a-z])(?![a-z0-9)])/y;

/** "5 b" in an annex. */
export const SPACED_LETTER = /\s([a-z])(?![a-z0-9])/y;

/** "Art. 6 II": the German lawyers' short form of "Absatz 2". */
export const ROMAN_PARAGRAPH = / (X?(?:IX|IV|V?I{0,3}))(?=[ ,.;:)]|$)/y;

/** The word for a paragraph, and whether it is written in the plural. */
export const PARAGRAPH_WORD =
  /,?\s?\(?(?:(paragraphs|paragraphes|paragraphen|paras|absatze|absatzen|§§)|(?:paragraphe?|par(?=\.)|para|absatz(?:es)?|abs|apartados?|paragrafo|lid|alinea|al(?=\.)|§))(?![a-z])\.?\s?(?:n°\s?)?/iy;

/** The word for a point, number or letter, and whether it is written in the plural. */
export const POINT_WORD =
  /,?\s?\(?(?:(points|letters|lettres|buchstaben|nummern|numbers|ziffern|nrn|pts)|(?:point|letter|lettre|letra|lettera|punto|punt|buchstabe[ns]?|buchst|litera|lit|numero|number|nummer|nr|nos|no|n°|ziffer|ziff|pt|subpoint|sub-point|sous))(?![a-z])\.?\s?/iy;

/**
 * What a paragraph or point word names: "1", "1er", "2a", "1 bis", "(1)", "f", "f)", "b bis)". Two letters are an
 * inserted point ("ba"), never a short word ("to", "de").
 */
export const VALUE =
  /[([]?\s?(?:(\d{1,2})(?!\d)(?:er(?![a-z])|([a-d]{1,2})(?![a-z0-9]))?|([a-z]|[a-k][a-d])(?![a-z0-9])|((?:x|x?i[xv]|x?v?i{1,3}))(?![a-z0-9]))(?: (bis|ter|quater)(?! ?\d|[a-z]| [a-z](?![a-z])| \())?\s?[)\]]?/y;

/** "Section A" of an annex. */
export const SECTION_WORD = /,?\s?(?:section|abschnitt|teil|part|partie)\s([A-E])(?![A-Za-z0-9])/iy;

/** Subparagraphs, sentences, indents: part of the way to a point, but not of the canonical form. */
export const SKIPPED =
  /,?\s?(?:(?:first|second|third|fourth|last|1st|2nd|3rd) (?:sub-?paragraph|sentence|indent|alinea)|(?:premier|deuxieme|troisieme|quatrieme|dernier|second|seconde|premiere|1er|2e|3e) (?:alinea|phrase|tiret)|(?:unterabs(?:atz|\.)?|uabs\.?|satz|halbsatz|hs\.|S\.) ?\d{1,2}(?!\d))(?![a-z])/iy;

/** Between the ends of a range: "to", "bis", "à", "-". */
export const RANGE =
  /\s?(?:-|\sup to and including\s|\sto\s|\sthrough\s|\suntil\s|\sbis (?:zu|einschliesslich|einschl\.|inklusive)\s|\sbis\s|\sjusqu'(?:\u00e0|au)\s|\s?\u00e0\s|\sau\s)\s?/iy;

/** Between the items of a list. */
export const SEPARATOR =
  /\s?(?:[,;]\s?)?(?:\s?(?:and|or|und|oder|et|ou|as well as|sowie|ainsi que|and\/or|und\/oder|et\/ou|resp\.|bzw\.|u\.|e|y)\s|&\s?)|\s?[,;]\s/iy;

/** The letter that a Latin suffix stands for: "4 bis" is 4a (EU drafting practice in French, Italian, Spanish). */
export const LATIN_SUFFIX: Readonly<Record<string, string>> = {
  bis: "a",
  ter: "b",
  quater: "c",
  quinquies: "d",
};

/** The value of a Roman number up to XIX, as annexes and German paragraphs are numbered. */
export function romanToNumber(roman: string): number {
  const values: Record<string, number> = { I: 1, V: 5, X: 10 };
  let total = 0;
  for (let i = 0; i < roman.length; i++) {
    const value = values[roman[i] ?? ""] ?? 0;
    total += value < (values[roman[i + 1] ?? ""] ?? 0) ? -value : value;
  }
  return total;
}

/** The Roman number of 1 to 19. */
export function numberToRoman(number: number): string {
  const ones = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"];
  return (number >= 10 ? "X" : "") + (ones[number % 10] ?? "");
}
