// Finds the articles, annexes and recitals of the AI Act that a text cites, in canonical form.
import { isInAct } from "../../domain/event/article.ts";
import { LAW_DATA } from "../data.ts";
import { findHeads, type Head, type ReferenceKind, romanToNumber } from "./grammar.ts";
import { citationsOfTheAct, findLaws } from "./laws.ts";
import { type Citation, parseCitation, type Reference } from "./parse_citation.ts";
import { withReversedParts } from "./reversed_citations.ts";
import { lazy } from "../memoize.ts";
import { foldPhrase } from "../phrases/fold_text.ts";

export interface CitedArticle {
  /**
   * `Art. 53(1)(d)`, `Annex III`, `Annex III(5)(b)`, `Annex I(A)(11)`, `Recital 60`. Each part is in parentheses, so
   * that a reference starts with the text of the reference that contains it.
   */
  canonical: string;
  kind: ReferenceKind;
  number: string;
  /** The citation in the folded text. */
  words: string;
}

/** Returns the references to the AI Act in a folded text, without duplicates, sorted by kind and number. */
export function findArticles(text: string): CitedArticle[] {
  if (isOnTheProposal(text)) return [];
  const citations = findCitations(text);
  if (citations.length === 0) return [];
  const ofTheAct = citationsOfTheAct(text, citations, findLaws(text));
  const cited = new Map<string, CitedArticle>();
  for (const [i, citation] of citations.entries()) {
    if (!ofTheAct[i]) continue;
    const words = text.slice(citation.start, citation.end);
    for (const reference of citation.references) {
      const canonical = canonicalReference(reference);
      if (isInAct(canonical) && !cited.has(canonical)) {
        cited.set(canonical, { canonical, kind: reference.kind, number: reference.number, words });
      }
    }
  }
  return [...cited.values()].sort(compareCited);
}

/** A reference that a text cites, but not as one of the AI Act. */
export interface OmittedReference {
  canonical: string;
  why: string;
  /** The citation in the folded text. */
  words: string;
}

/** Maximum number of references whose omission is explained. */
const MAX_OMITTED = 10;

/** Returns the references in a folded text that {@link findArticles} omits. `namesTheAct`: whether the text names the Act. */
export function findOmitted(text: string, namesTheAct: boolean): OmittedReference[] {
  const citations = findCitations(text);
  const ofTheAct = citationsOfTheAct(text, citations, findLaws(text));
  const whyNot = (i: number, canonical: string): string | null => {
    if (!namesTheAct) return "cited, but the text does not name the AI Act";
    if (isOnTheProposal(text)) return "cited, but from the proposal for the AI Act";
    if (ofTheAct[i] !== true) return "cited as an article of another law";
    return isInAct(canonical) ? null : "cited, but not in the AI Act";
  };
  const omitted = new Map<string, OmittedReference>();
  for (const [i, citation] of citations.entries()) {
    const words = text.slice(citation.start, citation.end);
    for (const canonical of citation.references.map(canonicalReference)) {
      const why = whyNot(i, canonical);
      if (why !== null) omitted.set(`${canonical} ${why}`, { canonical, why, words });
    }
  }
  return [...omitted.values()].slice(0, MAX_OMITTED);
}

function findCitations(text: string): Citation[] {
  const citations: Citation[] = [];
  let end = 0;
  for (const head of findHeads(text)) {
    if (head.start < end) continue;
    const citation = isBody(text, head) ? null : parseCitation(text, head, isCount);
    if (citation === null) continue;
    citations.push(withReversedParts(text, citation, head));
    end = citation.end;
  }
  return citations;
}

/** Whether a text names the Commission's proposal, which numbers articles differently, but not the Act's number. */
function isOnTheProposal(text: string): boolean {
  return LAW_DATA.proposal.some((name) => text.includes(name)) && !text.includes("2024/1689");
}

/** Whether the canonical reference `whole` equals `part` or contains it. */
export function coversReference(whole: string, part: string): boolean {
  return part === whole || part.startsWith(`${whole}(`);
}

function canonicalReference(reference: Reference): string {
  const name = { article: "Art.", annex: "Annex", recital: "Recital" }[reference.kind];
  return `${name} ${reference.number}${reference.path.map((part) => `(${part})`).join("")}`;
}

/** Whether the head is part of the name of a body, such as "Article 29 Working Party". */
function isBody(text: string, head: Head): boolean {
  const after = text.slice(head.end, head.end + 45);
  return LAW_DATA.bodies.some((body) => {
    const at = after.indexOf(body);
    return at >= 0 && /^[\s"]*\d{1,3}[\s"-]*$/.test(after.slice(0, at));
  }) ||
    /\bgroupe(?: de travail)?(?: de l')?[\s"]*$/i.test(text.slice(Math.max(0, head.start - 25), head.start));
}

const COUNTED = lazy((): ReadonlySet<string> =>
  new Set(LAW_DATA.countedWords.map(foldPhrase).concat("%", "\u20ac", "$"))
);

/** Whether the number that ends at `end` is a count or a date: "12 other", "2 August", "2. August", "5 %". */
function isCount(text: string, end: number): boolean {
  const next = /^(?:er)?\.? ?([A-Za-z%\u20ac$]+)/.exec(text.slice(end, end + 24));
  const word = next?.[1] ?? "";
  return COUNTED().has(word) || COUNTED().has(word.charAt(0).toLowerCase() + word.slice(1));
}

const KIND_ORDER: Record<ReferenceKind, number> = { article: 0, annex: 1, recital: 2 };

function compareCited(a: CitedArticle, b: CitedArticle): number {
  return KIND_ORDER[a.kind] - KIND_ORDER[b.kind] || numberOf(a) - numberOf(b) ||
    comparePaths(a.canonical, b.canonical);
}

function numberOf(cited: CitedArticle): number {
  return cited.kind === "annex" ? romanToNumber(cited.number) : parseInt(cited.number, 10);
}

/** Orders numbers by value and letters alphabetically; a reference comes before its parts. */
function comparePaths(a: string, b: string): number {
  const partsA = a.split("(");
  const partsB = b.split("(");
  for (let i = 0; i < Math.max(partsA.length, partsB.length); i++) {
    const partA = partsA[i];
    const partB = partsB[i];
    if (partA === undefined || partB === undefined) return partA === undefined ? -1 : 1;
    const order = (parseInt(partA, 10) || 0) - (parseInt(partB, 10) || 0) ||
      (partA < partB ? -1 : Number(partA > partB));
    if (order !== 0) return order;
  }
  return 0;
}
