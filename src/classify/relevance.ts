// Whether an item concerns AI regulation: it must speak of AI, not in passing, and of rules.
import type { EventType } from "../domain/event.ts";
import { LAW_DATA, RELEVANCE_DATA } from "./data.ts";
import type { EventTypeResult } from "./event_type.ts";
import type { Item } from "./item.ts";
import { lazy } from "./lazy.ts";
import { buildPatternIndex, findPatterns } from "./phrases/find_patterns.ts";
import { buildPhraseIndex, findPhrases, type PhraseHit } from "./phrases/find_phrases.ts";
import { indexByLanguage } from "./phrases/phrases_by_language.ts";

/** What an item says of AI. */
export interface AiSubject {
  /** In the title; at the beginning of the summary (or all over it); in passing; not at all. */
  level: "title" | "opening" | "passing" | "none";
  /** Where the AI Act (or the regulation that amends it) is named; null when it is not. */
  namesTheAct: "title" | "opening" | "text" | null;
  words: string[];
}

/** Whether an item is relevant, and what says so: the conclusion first, then what was weighed for it. */
export interface RelevanceResult {
  relevant: boolean;
  grounds: Ground[];
}

/** One part of a decision, in words, and the words of the item that it rests on. */
export interface Ground {
  why: string;
  words: string[];
}

type TermKind = "act" | "term" | "weak";

const TERMS = indexByLanguage<TermKind>([
  { words: new Map([["any", [...LAW_DATA.act, ...LAW_DATA.amending]]]), value: "act" },
  { words: RELEVANCE_DATA.terms, value: "term" },
  { words: RELEVANCE_DATA.weakTerms, value: "weak" },
]);

const NOT_BESIDE = indexByLanguage([{ words: RELEVANCE_DATA.weakNotBeside, value: true }]);

/** What takes terms away, each with the terms. */
const NOT_AI = lazy(() =>
  buildPhraseIndex(
    RELEVANCE_DATA.notAi.flatMap((rule) =>
      rule.whenTheTextHas.map((phrase) => ({ phrase, value: new Set(rule.terms) as ReadonlySet<string> }))
    ),
  )
);

/** How often AI must be named in a longer summary before it is more than a passing mention. */
const MENTIONS = 3;

/** A summary of at most this many characters has no room for passing mentions. */
const SHORT_SUMMARY = 600;

const NO_SUBJECT: AiSubject = { level: "none", namesTheAct: null, words: [] };

/** Finds what an item says of AI. */
export function findAiSubject(item: Item): AiSubject {
  const index = TERMS.of(item.language.language);
  const title = findPhrases(index, item.title);
  const summary = findPhrases(index, item.summary);
  if (title.length + summary.length === 0) return NO_SUBJECT;
  const isTrue = trueHits([...title, ...summary], item);
  const inTitle = title.filter(isTrue);
  const inSummary = summary.filter(isTrue);
  const opening = inSummary.filter((hit) => hit.start < item.opening.words.length);
  const acts = inSummary.filter((hit) => hit.value === "act");
  const words = [...new Set([...inTitle, ...inSummary].map((hit) => hit.phrase))];
  return {
    level: levelOf(inTitle, inSummary, opening, item),
    namesTheAct: actOf(inTitle, acts, opening),
    words,
  };
}

function levelOf(
  title: readonly PhraseHit<TermKind>[],
  summary: readonly PhraseHit<TermKind>[],
  opening: readonly PhraseHit<TermKind>[],
  item: Item,
): AiSubject["level"] {
  if (title.length > 0) return "title";
  const firm = summary.filter((hit) => hit.value !== "weak");
  if (firm.length === 0) return "none";
  const room = item.summary.text.length > SHORT_SUMMARY;
  if (opening.some((hit) => hit.value !== "weak") && (!room || firm.length >= MENTIONS)) return "opening";
  return "passing";
}

function actOf(
  title: readonly PhraseHit<TermKind>[],
  summary: readonly PhraseHit<TermKind>[],
  opening: readonly PhraseHit<TermKind>[],
): AiSubject["namesTheAct"] {
  if (title.some((hit) => hit.value === "act")) return "title";
  if (opening.some((hit) => hit.value === "act")) return "opening";
  return summary.length > 0 ? "text" : null;
}

/** "Air India (AI)", "Avian Influenza (AI)": what the letters stand for is said, and it is not artificial intelligence. */
const OTHER_INITIALS =
  /\b(?:(?!Artificial Intelligence)A[A-Za-z]{2,30} I[A-Za-z]{2,30} \(AI\)|(?!Intelligence Artificielle)I[A-Za-z]{2,30} A[A-Za-z]{2,30} \(IA\))/i;

const INITIALS: ReadonlySet<string> = new Set(["AI", "IA"]);

/**
 * Tells the hits that are about AI: not "AI" where it means avian influenza and the like, nor weak terms in texts on
 * trading or encryption.
 */
function trueHits(hits: readonly PhraseHit<TermKind>[], item: Item): (hit: PhraseHit<TermKind>) => boolean {
  const texts = [item.title, item.opening];
  const taken = texts.flatMap((text) => findPhrases(NOT_AI(), text)).map((hit) => hit.value);
  if (texts.some(({ text }) => OTHER_INITIALS.test(text))) taken.push(INITIALS);
  const isKept = ({ phrase }: PhraseHit<TermKind>) => !taken.some((terms) => terms.has(phrase));
  const isWeak = ({ value }: PhraseHit<TermKind>) => value === "weak";
  if (!hits.some((hit) => isWeak(hit) && isKept(hit))) return isKept;
  const index = NOT_BESIDE.of(item.language.language);
  const isBeside = texts.some((text) => findPhrases(index, text).length > 0);
  return (hit) => isKept(hit) && !(isBeside && isWeak(hit));
}

const STAFF = lazy(() =>
  buildPatternIndex(RELEVANCE_DATA.staff.map((pattern) => ({ pattern, value: true })))
);

type MatterKind = "rule" | "other";

const MATTERS = indexByLanguage<MatterKind>([
  { words: RELEVANCE_DATA.ruleWords, value: "rule" },
  { words: RELEVANCE_DATA.otherMatters, value: "other" },
]);

/** Kinds of events that exist only where there are rules. */
const RULE_TYPES: ReadonlySet<EventType> = new Set<EventType>([
  "legislation",
  "delegated-act",
  "implementing-act",
  "national-legislation",
  "corrigendum",
  "guidance",
  "code-of-practice",
  "standard",
  "consultation",
  "decision",
  "enforcement",
  "court-ruling",
  "opinion",
]);

/** Points: a word of the title, a word of the summary's beginning, a kind of event by the title or address, by the summary. */
const TITLE_WORD = 2;
const OPENING_WORD = 1;
const RULE_TYPE = 2;
const RULE_TYPE_IN_SUMMARY = 1;
/** Points for a publisher whose business is to supervise others. */
const AUTHORITY = 2;
/** At most this many words count in each place. */
const COUNTED_WORDS = 2;
/** Points of rules that an item needs when AI is in its title, and when it is only in its summary. */
const ENOUGH_IN_TITLE = 2;
const ENOUGH_IN_OPENING = 4;

/** Decides whether an item that says this of AI concerns AI regulation; its kind is asked for only where it matters. */
export function decideRelevance(
  item: Item,
  subject: AiSubject,
  eventType: () => EventTypeResult,
): RelevanceResult {
  const because = (relevant: boolean, why: string, words: string[]) => ({
    relevant,
    grounds: [{ why, words }],
  });
  if (subject.level === "none") {
    return subject.words.length === 0 ? because(false, "nothing in it is about AI", []) : because(
      false,
      "nothing in its title says that it is about AI, and in its summary only words that need not",
      subject.words,
    );
  }
  const post = findPatterns(STAFF(), item.title)[0];
  if (post !== undefined) {
    return because(false, "somebody is wanted for a post", [post.words]);
  }
  if (subject.namesTheAct === "title" || (subject.namesTheAct === "opening" && subject.level !== "passing")) {
    return because(true, "it names the AI Act", subject.words);
  }
  if (subject.level === "passing") {
    return because(false, "AI is mentioned in passing", subject.words);
  }
  return weigh(item, subject, eventType());
}

/** Weighs what an item that speaks of AI says of rules against what it says of other matters. */
function weigh(item: Item, subject: AiSubject, eventType: EventTypeResult): RelevanceResult {
  const index = MATTERS.of(item.language.language);
  const title = wordsOf(findPhrases(index, item.title));
  const opening = wordsOf(findPhrases(index, item.opening));
  const fresh = (words: string[], seen: string[]) => words.filter((word) => !seen.includes(word));
  const authority = authorityPoints(item, subject);
  const kind = kindPoints(eventType);
  const rules = points(title.rule, fresh(opening.rule, title.rule)) + kind + authority;
  const others = points(title.other, fresh(opening.other, title.other));
  const enough = subject.level === "title" ? ENOUGH_IN_TITLE : ENOUGH_IN_OPENING;
  // A headline on AI and rules may well tell of money too; a summary has to be clearer.
  const relevant = rules >= enough && (subject.level === "title" ? rules >= others : rules > others);
  const ofRules = [
    ...title.rule,
    ...fresh(opening.rule, title.rule),
    ...(kind > 0 ? [`kind: ${eventType.type}`] : []),
    ...(authority > 0 ? [`publisher: ${item.publisher.supervisesBy}`] : []),
  ];
  const ofOthers = [...title.other, ...fresh(opening.other, title.other)];
  const conclusion = relevant
    ? "it speaks of AI and of rules"
    : rules < enough
    ? "it speaks of AI, but hardly of rules"
    : "it speaks of AI, but more of other matters than of rules";
  const place = subject.level === "title"
    ? "AI is in its title"
    : "AI is at the beginning of its summary alone";
  return {
    relevant,
    grounds: [
      { why: `${conclusion}: ${place}`, words: subject.words },
      { why: `rules: points ${rules}, needed ${enough}`, words: ofRules },
      ...(others > 0 ? [{ why: `other matters: points ${others}`, words: ofOthers }] : []),
    ],
  };
}

/** A supervisor's item on AI is about rules; one that only comes to speak of AI need not be, except on personal data. */
function authorityPoints({ publisher }: Item, { level }: AiSubject): number {
  return publisher.dataProtection || (publisher.supervises && level === "title") ? AUTHORITY : 0;
}

function kindPoints(eventType: EventTypeResult): number {
  if (!RULE_TYPES.has(eventType.type)) return 0;
  return eventType.signal?.field === "summary" ? RULE_TYPE_IN_SUMMARY : RULE_TYPE;
}

function wordsOf(hits: readonly PhraseHit<MatterKind>[]): Record<MatterKind, string[]> {
  const words = { rule: new Set<string>(), other: new Set<string>() };
  for (const hit of hits) words[hit.value].add(hit.phrase);
  return { rule: [...words.rule], other: [...words.other] };
}

function points(title: readonly string[], opening: readonly string[]): number {
  return TITLE_WORD * Math.min(COUNTED_WORDS, title.length) +
    OPENING_WORD * Math.min(COUNTED_WORDS, opening.length);
}
