// Decides which law a citation belongs to: finds the laws that a text names and assigns them to citations.
import { LAW_DATA } from "../data.ts";
import type { Citation } from "./parse_citation.ts";
import { lazy } from "../memoize.ts";
import { buildPhraseIndex, findPhrases } from "../phrases/find_phrases.ts";
import { FoldedText } from "../phrases/fold_text.ts";

/**
 * `act`: the AI Act. `amending`: the regulation that amends it; its own articles are not the Act's, but texts about it
 * cite the Act's. `act_beside`: an abbreviation that means the Act only next to a citation. `other_in_sections`: a law
 * that is cited by sections. `other`: any other law.
 */
type LawKind = "act" | "amending" | "act_beside" | "other_in_sections" | "other";

interface LawMention {
  kind: LawKind;
  start: number;
  end: number;
}

const NAMES = lazy(() =>
  buildPhraseIndex<LawKind>([
    ...LAW_DATA.act.map((phrase) => ({ phrase, value: "act" as const })),
    ...LAW_DATA.actBeside.map((phrase) => ({ phrase, value: "act_beside" as const })),
    ...LAW_DATA.amending.map((phrase) => ({ phrase, value: "amending" as const })),
    ...LAW_DATA.othersInSections.map((phrase) => ({ phrase, value: "other_in_sections" as const })),
    ...LAW_DATA.others.map((phrase) => ({ phrase, value: "other" as const })),
  ])
);

const NUMBERS: ReadonlyMap<string, LawKind> = new Map([["2024/1689", "act"], ["2026/1744", "amending"]]);

/** "Regulation (EU) 2016/679", "Richtlinie 2014/90/EU", "règlement (UE) n° 910/2014". Group: the number. */
const NUMBERED =
  /\b(?:(?:Commission |Council )?(?:Delegated |Implementing )?(?:Regulations?|Directives?|Decisions?)|(?:Durchfuhrungs|Delegierten? )?(?:verordnung(?:en)?|richtlinien?|beschluss)|(?:reglements?|directives?|decisions?)(?: delegue| d'execution)?|laws?|legge|ley|loi)\s?(?:\([A-Z, ]{2,12}\)\s?)?(?:No\.? ?|Nr\.? ?|n°s? ?)?(\d{1,4}\/\d{1,4})(?:\/[A-Z]{2,3})?(?!\d)/gi;

/** The end of "Digital Services Act", "Data Protection Act 2018", "Machinery Regulation". */
const KIND_EN = / (?:Act|Regulation|Directive|Convention|Treaty)(?: \d{4})?\b/g;
/** One word of a law's name, which precedes the kind of law. Small words may be between the words of the name. */
const WORD_EN = /(?<![A-Za-z0-9_])[A-Z][a-z]+$/;
const SMALL_WORDS_EN: ReadonlySet<string> = new Set(["and", "of", "for", "on", "&"]);
const MAX_WORDS_EN = 5;

/** Words before "Act" or "Regulation" that do not name a law, as in "This Act". */
const NO_NAME =
  /^(?:The|This|That|These|Each|Any|An?|Under|Of|In|And|Union|Draft|Proposed|New|European|Delegated|Implementing|Commission|Council|Framework|Amending|Final|National|Omnibus|Future)$/;

/** "Bundesdatenschutzgesetz", "Maschinenverordnung"; not "KI-Gesetz", which is the Act. */
const NAMED_DE =
  /(?<![-A-Za-z])[A-Z][a-z]{3,40}(?:gesetz(?:es|buch(?:e?s)?)?|verordnung|richtlinie|staatsvertrag)(?![a-z])/g;

/** "la loi n° 78-17", "du décret", "code du travail"; not codes of practice. */
const NAMED_FR =
  /\b(?:loi (?:n°|no|du|de)|decret (?:n°|no|du)|ordonnance (?:n°|no|du)|arrete (?:n°|no|du)|code (?:du|civil|penal|monetaire|general|de (?!bonnes|pratique|conduite|bonne)[a-z]+|de la|des)|constitution|traite (?:sur|de))/gi;

/** Returns the laws that the text names, by position. If names overlap, only the longest counts. */
export function findLaws(text: string): LawMention[] {
  const flat = text.replace(/[-'"()[\]]/g, " ").replaceAll("\u00e0", "a");
  const found: LawMention[] = findPhrases(NAMES(), new FoldedText(text, flat))
    .map((hit) => ({ kind: hit.value, start: hit.start, end: hit.end }));
  for (const match of text.matchAll(NUMBERED)) {
    found.push({ kind: NUMBERS.get(match[1] ?? "") ?? "other", ...spanOf(match) });
  }
  for (const { 0: kind, index } of text.matchAll(KIND_EN)) {
    const start = nameStart(text, index);
    const name = text.slice(start, index);
    if (name === "" || NO_NAME.test(name) || name.endsWith("Intelligence")) continue;
    found.push({ kind: "other", start, end: index + kind.length });
  }
  for (const expression of [NAMED_DE, NAMED_FR]) {
    for (const match of text.matchAll(expression)) found.push({ kind: "other", ...spanOf(match) });
  }
  return withoutOverlaps(found);
}

/** Returns the start of a law's name that ends at `end`, or `end` if no name ends there. */
function nameStart(text: string, end: number): number {
  let start = end;
  for (let words = 0, at = end; words < MAX_WORDS_EN && at > 0; words++) {
    const from = wordStart(text, at);
    const word = WORD_EN.exec(text.slice(from, at));
    if (word === null) return start;
    start = from + word.index;
    if (word.index > 0) return start;
    const before = wordStart(text, from - 1);
    at = SMALL_WORDS_EN.has(text.slice(before, from - 1)) ? before - 1 : from - 1;
  }
  return start;
}

/** Returns the start of the word that ends at `end`. A line break is part of a word, so names do not cross lines. */
function wordStart(text: string, end: number): number {
  return text.lastIndexOf(" ", end - 1) + 1;
}

function spanOf(match: RegExpExecArray): { start: number; end: number } {
  return { start: match.index, end: match.index + match[0].length };
}

function withoutOverlaps(found: LawMention[]): LawMention[] {
  const sorted = found.sort((a, b) => a.start - b.start || b.end - a.end);
  const kept: LawMention[] = [];
  for (const mention of sorted) {
    const last = kept.at(-1);
    if (last === undefined || mention.start >= last.end) kept.push(mention);
    else if (mention.end - mention.start > last.end - last.start) kept[kept.length - 1] = mention;
  }
  return kept;
}

/** Words between a citation and its law: "Article 5 of the EU's new AI Act". */
const TIES = new Set(
  ("of the under in from to within pursuant per eu eus s european union unions said new upcoming final amended proposed draft " +
    "der des dem den die das nach gemass laut im zur zum von vom aus europaischen europaische neuen neue kunftigen " +
    "du de la le les l d au aux sur dans selon nouveau futur europeen europeenne ue union commission").split(
      " ",
    ),
);

/** Maximum number of characters between a citation and a law that follows it and is tied to it. */
const LONGEST_TIE = 60;

/**
 * Maximum number of characters between a citation and an untied law after it, if the law before the citation is in
 * another sentence. The Act may be farther away.
 */
const NEAR = 20;

/** Returns for each citation whether it belongs to the Act. `laws` must be sorted by position. */
export function citationsOfTheAct(
  text: string,
  citations: readonly Citation[],
  laws: readonly LawMention[],
): boolean[] {
  const governed: (LawKind | null)[] = [];
  const distant = distantLaws(laws);
  // From last to first, because in "Article 5 and Article 6 of the AI Act" the law also applies to the first citation.
  for (let i = citations.length - 1; i >= 0; i--) {
    const citation = citations[i] as Citation;
    const next = citations[i + 1];
    const tied = tiedLaw(text, citation, laws);
    const chained = next !== undefined && isChain(text.slice(citation.end, next.start))
      ? governed[i + 1] ?? null
      : null;
    governed[i] = tied ?? chained ?? untiedLaw(text, citation, distant);
  }
  return governed.map((kind) => kind === "act");
}

/** Returns the kind of law that is tied to the citation by words such as "of the" or by punctuation, or null. */
function tiedLaw(text: string, citation: Citation, laws: readonly LawMention[]): LawKind | null {
  const { before, after } = neighbours(laws, citation);
  const left = before === undefined ? "" : text.slice(before.end, citation.start);
  const tiedBefore = before !== undefined && BEFORE_TIE.test(left) ? before : null;
  if (after !== undefined && after.start - citation.end <= LONGEST_TIE) {
    const right = text.slice(citation.end, after.start);
    // In "BDSG Artikel 5, KI-VO", the law on the left is closer, because a comma precedes the law on the right.
    const looser = tiedBefore !== null && left.trim() === "" && right.includes(",");
    if (isTie(right) && !looser) return tiedKind(after.kind);
  }
  return tiedBefore === null ? null : tiedKind(tiedBefore.kind);
}

/** The text between a law and the citation after it: "AI Act (Article 5", "AI Act's Article 5", "RIA : l'article". */
const BEFORE_TIE = /^(?:'?s)?[\s,:([-]*(?:in |its |et |l'|the )?$/i;

function tiedKind(kind: LawKind): LawKind {
  if (kind === "act_beside") return "act";
  return kind === "act" ? "act" : "other";
}

function isTie(between: string): boolean {
  return !/[.:;!?]/.test(between.replace(/\bNo\./g, "")) && holdsOnly(between, TIES);
}

/** Words between citations of one law: "Article 5 and Article 6 of the AI Act", "Art. 6 i. V. m. Anhang III KI-VO". */
const CHAIN = new Set(
  ("and or to as well read together in conjunction with both also the of und oder bis sowie i v m verbindung mit auch " +
    "von der des dem et ou en liaison avec lu la le les l d du de").split(" "),
);

/** Maximum number of characters between two citations of a list. */
const LONGEST_CHAIN = 40;

function isChain(between: string): boolean {
  return between.length <= LONGEST_CHAIN && !/[:;!?\n]/.test(between) && holdsOnly(between, CHAIN);
}

function holdsOnly(text: string, words: ReadonlySet<string>): boolean {
  return text.toLowerCase().split(/[^a-z\u00e0]+/).every((word) => word === "" || words.has(word));
}

/**
 * Returns the laws to which an untied citation can refer. The amending regulation counts as the Act, because texts
 * about this regulation cite the Act's articles.
 */
function distantLaws(laws: readonly LawMention[]): LawMention[] {
  return laws.filter((law) => law.kind !== "act_beside" && law.kind !== "other_in_sections")
    .map((law): LawMention => law.kind === "amending" ? { ...law, kind: "act" } : law);
}

/** Returns the last law before the citation and the first one after it. `laws` are sorted and do not overlap. */
function neighbours(
  laws: readonly LawMention[],
  citation: Citation,
): { before: LawMention | undefined; after: LawMention | undefined } {
  return {
    before: laws.findLast((law) => law.end <= citation.start),
    after: laws.find((law) => law.start >= citation.end),
  };
}

/** Returns the kind of the law before or after an untied citation, depending on distances and ends of sentences. */
function untiedLaw(text: string, citation: Citation, laws: readonly LawMention[]): LawKind | null {
  const { before, after } = neighbours(laws, citation);
  if (after === undefined) return before?.kind ?? null;
  if (before === undefined) return after.kind;
  if (before.kind === after.kind) return before.kind;
  const right = text.slice(citation.end, after.start);
  if (sentenceEnds(right)) return before.kind;
  // In "… Articles 9 and 72, and the MDR", the law after the conjunction is a separate one.
  const isSeparate = CONJUNCTION.test(right);
  if (sentenceEnds(text.slice(before.end, citation.start))) {
    return after.kind === "act" || (right.length <= NEAR && !isSeparate) ? after.kind : before.kind;
  }
  return right.length < citation.start - before.end && !isSeparate ? after.kind : before.kind;
}

const CONJUNCTION = /[,;:]|\b(?:and|or|und|oder|sowie|et|ou)\b/i;

/** Maximum length of a sentence in characters. Longer text is assumed to contain the end of a sentence. */
const LONGEST_SENTENCE = 1_000;

/** Whether a sentence ends in the text. The period of an abbreviation such as "Art." or "Abs." does not count. */
function sentenceEnds(text: string): boolean {
  if (text.length > LONGEST_SENTENCE || text.includes("\n")) return true;
  for (const { index } of text.matchAll(/[.!?;] (?=["A-Z])/g)) {
    const word = text.slice(text.lastIndexOf(" ", index) + 1, index);
    if (
      !/^\(?(?:art|arts|abs|nr|no|lit|para|par|ziff|buchst|vgl|cf|s|al|bzw|z\.b|i\.v\.m|d\.h|u\.a|e\.g|i\.e)$/i
        .test(word)
    ) {
      return true;
    }
  }
  return false;
}
