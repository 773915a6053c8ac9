// Finding many words and phrases in one pass over a text.
import {
  addByStart,
  createStartIndex,
  isLongStart,
  isWordCharacter,
  longAt,
  shortAt,
  type StartIndex,
} from "./starts.ts";
import { type FoldedText, foldPhrase } from "./fold_text.ts";

/** A phrase of the data and what it stands for. */
export interface PhraseEntry<T> {
  /**
   * Words as a reader would write them. `*` at the end of a word stands for any ending; a word all in capitals
   * matches only in capitals (so that "AI" is not the French "ai"); hyphens and apostrophes count as spaces.
   */
  phrase: string;
  value: T;
}

/** A phrase found in a text. */
export interface PhraseHit<T> {
  /** As the data has it. */
  phrase: string;
  value: T;
  /** Where it starts and ends in the folded words. */
  at: number;
  end: number;
}

/** A word of phrases that begin alike, with the phrases that end with it and the words that go on from it. */
export interface Step<T> {
  lower: string;
  /** The word as written, where it must be in capitals; null where capitals do not matter. */
  capitals: string | null;
  openEnd: boolean;
  ending: RankedEntry<T>[];
  /** By the code of their first character. */
  next: Map<number, Step<T>[]>;
}

/** A phrase with its place among those that start together: short first words come first. */
export interface RankedEntry<T> extends PhraseEntry<T> {
  rank: number;
}

/** Phrases by the beginning of their first word, so that each word of a text is compared with few of them. */
export interface PhraseIndex<T> {
  byStart: StartIndex<Step<T>>;
}

const CAPITALS = /^[A-Z][A-Z0-9]+s?$/;

/** Builds an index; throws on a phrase of fewer than two characters, which would match too much. */
export function buildPhraseIndex<T>(entries: readonly PhraseEntry<T>[]): PhraseIndex<T> {
  const byStart = createStartIndex<Step<T>>();
  const firsts = new Map<string, Step<T>>();
  for (const [place, entry] of entries.entries()) {
    const folded = foldPhrase(entry.phrase);
    if (folded.replace("*", "").length < 2) {
      throw new Error(`phrase "${entry.phrase}" is too short: give at least two characters`);
    }
    const [firstWord = "", ...others] = folded.split(" ");
    let step = newStep<T>(firstWord);
    // "l'IA" begins with one letter: the space after it is known too.
    const beginning = step.lower.length > 1 ? step.lower : folded.toLowerCase().slice(0, 2);
    const known = firsts.get(firstWord);
    if (known === undefined) {
      firsts.set(firstWord, step);
      addByStart(byStart, beginning, step);
    } else {
      step = known;
    }
    for (const word of others) step = stepAfter(step, word);
    step.ending.push({ ...entry, rank: isLongStart(beginning) ? entries.length + place : place });
  }
  return { byStart };
}

function newStep<T>(folded: string): Step<T> {
  const openEnd = folded.endsWith("*");
  const word = openEnd ? folded.slice(0, -1) : folded;
  const capitals = CAPITALS.test(word) ? word : null;
  return { lower: word.toLowerCase(), capitals, openEnd, ending: [], next: new Map() };
}

/** The step for a further word: one that is there, or a new one. */
function stepAfter<T>({ next }: Step<T>, folded: string): Step<T> {
  const step = newStep<T>(folded);
  const code = step.lower.charCodeAt(0);
  const known = next.get(code) ?? [];
  const same = known.find(({ lower, capitals, openEnd }) =>
    lower === step.lower && capitals === step.capitals && openEnd === step.openEnd
  );
  if (same === undefined) next.set(code, [...known, step]);
  return same ?? step;
}

/** Every phrase that starts at a word of the text, in the order of the text; overlapping ones are all found. */
export function findPhrases<T>(index: PhraseIndex<T>, text: FoldedText): PhraseHit<T>[] {
  const hits: PhraseHit<T>[] = [];
  const { at, two, four } = text.starts;
  let ended: Ended<T>[] = [];
  for (let word = 0; word < at.length; word++) {
    const short = shortAt(index.byStart, two[word] as number);
    const long = longAt(index.byStart, four[word] as number);
    if (short === undefined && long === undefined) continue;
    const place = at[word] as number;
    followAll(short, text, place, ended);
    followAll(long, text, place, ended);
    if (ended.length === 0) continue;
    if (ended.length > 1) ended.sort((a, b) => a.entry.rank - b.entry.rank);
    for (const { entry, end } of ended) {
      hits.push({ phrase: entry.phrase, value: entry.value, at: place, end });
    }
    ended = [];
  }
  return hits;
}

/** Whether any phrase starts at a word of the text; ends at the first. */
export function hasPhrase<T>(index: PhraseIndex<T>, text: FoldedText): boolean {
  const ended: Ended<T>[] = [];
  const { at, two, four } = text.starts;
  for (let word = 0; word < at.length && ended.length === 0; word++) {
    const short = shortAt(index.byStart, two[word] as number);
    const long = longAt(index.byStart, four[word] as number);
    if (short === undefined && long === undefined) continue;
    const place = at[word] as number;
    followAll(short, text, place, ended);
    followAll(long, text, place, ended);
  }
  return ended.length > 0;
}

/** A phrase that was followed to its end. */
interface Ended<T> {
  entry: RankedEntry<T>;
  end: number;
}

function followAll<T>(
  steps: readonly Step<T>[] | undefined,
  text: FoldedText,
  at: number,
  ended: Ended<T>[],
): void {
  if (steps !== undefined) { for (const step of steps) follow(step, text, at, ended); }
}

/** Adds the phrases that begin with this step at a place of the text. */
function follow<T>(step: Step<T>, text: FoldedText, at: number, ended: Ended<T>[]): void {
  const { lower, words } = text;
  if (!lower.startsWith(step.lower, at)) return;
  if (step.capitals !== null && !words.startsWith(step.capitals, at)) return;
  let end = at + step.lower.length;
  if (step.openEnd) { while (isWordCharacter(lower.charCodeAt(end))) end++; }
  else if (isWordCharacter(lower.charCodeAt(end))) return;
  for (const entry of step.ending) ended.push({ entry, end });
  if (step.next.size === 0 || lower[end] !== " ") return;
  followAll(step.next.get(lower.charCodeAt(end + 1)), text, end + 1, ended);
}
