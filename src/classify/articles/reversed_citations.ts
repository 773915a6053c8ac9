// Citations in reversed order: "points (a) and (b) of Article 5(1)", "Buchstabe f des Artikels 5 Absatz 1".
import { type Head, PARAGRAPH_WORD, POINT_WORD, readAt, SECTION_WORD } from "./grammar.ts";
import { type Citation, parseCitation } from "./parse_citation.ts";

/** Number of characters before a head that are searched for parts. */
const LONGEST_BEFORE = 70;

/** The words between the parts and the article. */
const JOIN = /\s(?:of|in|to|under|des|der|von|im|in|du|de|de l'|de la|dans l')(?: the| dem| den)?\s?$/i;

const VALUE = /^[([]?(?:\d{1,2}[a-d]?|[a-z]|[a-k][a-d]|[ivx]{1,4})[)\],;]*(?:[([]?[a-z]{1,2}[)\],;]*)?$/i;
const WORDS: ReadonlySet<string> = new Set(
  ("and or und oder et ou to bis \u00e0 - sowie paragraph paragraphs paragraphe paragraphes abs abs. absatz absatzes " +
    "absatze point points buchst buchst. buchstabe buchstaben lit lit. nr nr. nummer nummern ziffer ziffern section " +
    "abschnitt").split(" "),
);

/** Adds the parts that precede a citation of a single reference, if there are any. */
export function withReversedParts(text: string, citation: Citation, head: Head): Citation {
  if (citation.references.length !== 1) return citation;
  const from = Math.max(0, citation.start - LONGEST_BEFORE);
  const before = text.slice(from, citation.start);
  const join = JOIN.exec(before);
  if (join === null) return citation;
  const parts = partsAtEnd(before.slice(0, join.index));
  if (parts === null) return citation;
  const own = text.slice(head.start, citation.end);
  const reordered = `${own}, ${parts.words}`;
  const parsed = parseCitation(reordered, { ...head, start: 0, end: head.end - head.start }, () => false);
  if (parsed === null || parsed.end < reordered.length) return citation;
  return { references: parsed.references, start: from + parts.at, end: citation.end };
}

/** Returns the longest run of part words and values at the end of the text. The run must start with a part word. */
function partsAtEnd(text: string): { words: string; at: number } | null {
  const pieces = [...text.matchAll(/\S+/g)];
  let start: number | null = null;
  for (let i = pieces.length - 1; i >= 0; i--) {
    const piece = pieces[i];
    if (piece === undefined || !isPiece(piece[0])) break;
    if (startsWithPartWord(text, piece.index)) start = piece.index;
  }
  return start === null ? null : { words: text.slice(start), at: start };
}

function isPiece(text: string): boolean {
  return WORDS.has(text.toLowerCase()) || VALUE.test(text);
}

function startsWithPartWord(text: string, at: number): boolean {
  return [PARAGRAPH_WORD, POINT_WORD, SECTION_WORD].some((word) => readAt(word, text, at) !== null);
}
