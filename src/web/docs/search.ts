// Searches the documentation: the sections that contain the words of a query, the best first.

export interface SearchSection {
  url: string;
  /** The title of the page. */
  title: string;
  /** The heading of the section; empty for the beginning of a page. */
  heading: string;
  /** What else names the section, such as `GET /v1/events`. */
  keywords?: string;
  text: string;
  /** The language of the content. */
  language: string;
  /** Whether other sections are shown first. */
  isSecondary?: boolean;
}

export interface SearchResult extends SearchSection {
  /** A part of the text; the marked parts are those that match. */
  excerpt: { text: string; isMarked: boolean }[];
}

export interface SearchIndex {
  /** Returns the sections with all words or, if none has all, with the most of them; the best first. */
  find(query: string): SearchResult[];
}

export const MAX_QUERY_LENGTH = 100;
const MAX_WORDS = 8;
const MAX_RESULTS = 20;
const TITLE_SCORE = 12;
const HEADING_SCORE = 10;
/** For a name that begins with the word, and for one that ends with it. */
const OPENING_SCORE = 5;
/** The factor for secondary sections. */
const SECONDARY = 0.1;
const TEXT_SCORE = 1;
/** Occurrences in a text beyond this number do not count. */
const MAX_COUNTED = 4;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 220;

interface FoldedSection {
  section: SearchSection;
  title: string;
  heading: string;
  keywords: string;
  text: string;
}

export function createSearchIndex(sections: readonly SearchSection[]): SearchIndex {
  const folded: FoldedSection[] = sections.map((section) => ({
    section,
    title: fold(section.title),
    heading: fold(section.heading),
    keywords: fold(section.keywords ?? ""),
    text: fold(section.text),
  }));
  return {
    find(query) {
      const words = wordsOf(query);
      const found = folded.flatMap((section) => {
        const scores = words.map((word) => scoreOf(section, word));
        const matched = scores.filter((score) => score > 0).length;
        return matched === 0 ? [] : [{ section, matched, score: sum(scores) }];
      });
      const most = Math.max(0, ...found.map(({ matched }) => matched));
      const best = found.filter(({ matched }) => matched === most).sort((a, b) => b.score - a.score);
      return best.slice(0, MAX_RESULTS).map(({ section }) => ({
        ...section.section,
        excerpt: excerptOf(section, words),
      }));
    },
  };
}

/** The words of a query, without accents and case, each only once. */
export function wordsOf(query: string): string[] {
  const words = fold(query.slice(0, MAX_QUERY_LENGTH)).split(/[\s"'`,;()]+/).filter((word) => word !== "");
  return [...new Set(words)].slice(0, MAX_WORDS);
}

/** Returns the text in lower case and without accents. Its length stays the same, so that positions do. */
function fold(text: string): string {
  return text.normalize("NFC").replace(
    /[^\0-\x7f]/g,
    (unit) => unit.normalize("NFD").charAt(0).toLowerCase().charAt(0),
  ).toLowerCase();
}

function scoreOf({ section, title, heading, keywords, text }: FoldedSection, word: string): number {
  const titleScore = heading === "" ? TITLE_SCORE : TITLE_SCORE / 3;
  const score = scoreIn(title, word, titleScore) + scoreIn(heading, word, HEADING_SCORE) +
    scoreIn(keywords, word, HEADING_SCORE) + positionsOf(text, word, MAX_COUNTED).length * TEXT_SCORE;
  return section.isSecondary === true ? score * SECONDARY : score;
}

function scoreIn(name: string, word: string, score: number): number {
  const [first] = positionsOf(name, word, 1);
  if (first === undefined) return 0;
  const isWhole = first + word.length === name.length;
  return score + (first === 0 ? OPENING_SCORE : 0) + (isWhole ? OPENING_SCORE : 0);
}

/** Where words of the text begin with `word`. */
function positionsOf(text: string, word: string, most: number): number[] {
  const found: number[] = [];
  for (
    let at = text.indexOf(word);
    at >= 0 && found.length < most;
    at = text.indexOf(word, at + word.length)
  ) {
    if (at === 0 || !isWordCharacter(text.charAt(at - 1))) found.push(at);
  }
  return found;
}

function isWordCharacter(character: string): boolean {
  return /[\p{L}\p{N}]/u.test(character);
}

function excerptOf({ section, text }: FoldedSection, words: readonly string[]): SearchResult["excerpt"] {
  const original = section.text.normalize("NFC");
  const firsts = words.flatMap((word) => positionsOf(text, word, 1));
  const around = Math.max(0, Math.min(...firsts, text.length) - EXCERPT_BEFORE);
  const from = firsts.length === 0 || around === 0 ? 0 : text.indexOf(" ", around) + 1;
  const end = Math.min(text.length, from + EXCERPT_LENGTH);
  const to = end === text.length ? end : Math.max(from, text.lastIndexOf(" ", end));
  const marks = words.flatMap((word) =>
    positionsOf(text.slice(from, to), word, EXCERPT_LENGTH).map((at) => ({
      at: from + at,
      end: from + at + word.length,
    }))
  ).sort((a, b) => a.at - b.at);
  const parts: SearchResult["excerpt"] = [{ text: from > 0 ? "… " : "", isMarked: false }];
  let position = from;
  for (const { at, end } of marks) {
    if (at < position) continue;
    parts.push({ text: original.slice(position, at), isMarked: false });
    parts.push({ text: original.slice(at, end), isMarked: true });
    position = end;
  }
  parts.push({ text: `${original.slice(position, to)}${to < text.length ? " …" : ""}`, isMarked: false });
  return parts.filter((part) => part.text !== "");
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
