// Decides whether an item is about AI regulation: it must be about AI, not only mention it, and about rules.
import type { EventType } from "../domain/event/event.ts";
import { LAW_DATA, RELEVANCE_DATA } from "./data.ts";
import type { EventTypeResult } from "./event_type.ts";
import type { Item } from "./item.ts";
import { lazy } from "./memoize.ts";
import { buildPatternIndex, findPatterns } from "./phrases/find_patterns.ts";
import { buildPhraseIndex, findPhrases, type PhraseHit } from "./phrases/find_phrases.ts";
import { indexByLanguage } from "./phrases/phrases_by_language.ts";

export interface AiSubject {
  /**
   * Where AI is mentioned. `title`: in the title. `opening`: as the subject of the summary. `passing`: in passing.
   * `none`: nowhere, or only in the summary with words that may be about something else.
   */
  level: "title" | "opening" | "passing" | "none";
  /** Where the AI Act (or the regulation that amends it) is named, or null if it is not. */
  namesTheAct: "title" | "opening" | "text" | null;
  words: string[];
}

/** Whether an item is relevant, and why: the conclusion first, then the evidence. */
export interface RelevanceResult {
  relevant: boolean;
  grounds: Ground[];
}

interface Ground {
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

/** Phrases that give terms another meaning, with the terms that they affect. */
const NOT_AI = lazy(() =>
  buildPhraseIndex(
    RELEVANCE_DATA.notAi.flatMap((rule) =>
      rule.when_the_text_has.map((phrase) => ({ phrase, value: new Set(rule.terms) as ReadonlySet<string> }))
    ),
  )
);

/** Minimum number of mentions of AI for a longer summary to be about AI. */
const MENTIONS = 3;

/** Maximum length of a summary for which one mention of AI is enough, in characters. */
const SHORT_SUMMARY = 600;

const NO_SUBJECT: AiSubject = { level: "none", namesTheAct: null, words: [] };

export function findAiSubject(item: Item): AiSubject {
  const index = TERMS(item.language.language);
  const title = findPhrases(index, item.title);
  const summary = findPhrases(index, item.summary);
  if (title.length + summary.length === 0) return NO_SUBJECT;
  const isTrue = trueHits([...title, ...summary], item);
  const inTitle = title.filter(isTrue);
  const inSummary = summary.filter(isTrue);
  const opening = inSummary.filter((hit) => hit.start < item.opening.words.length);
  const isAct = (hit: PhraseHit<TermKind>) => hit.value === "act";
  const words = [...new Set([...inTitle, ...inSummary].map((hit) => hit.phrase))];
  return {
    level: levelOf(inTitle, inSummary, opening, item),
    namesTheAct: inTitle.some(isAct)
      ? "title"
      : opening.some(isAct)
      ? "opening"
      : inSummary.some(isAct)
      ? "text"
      : null,
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
  const isShort = item.summary.text.length <= SHORT_SUMMARY;
  if (opening.some((hit) => hit.value !== "weak") && (isShort || firm.length >= MENTIONS)) return "opening";
  return "passing";
}

/** Whether the text defines the abbreviation as something else, as in "Air India (AI)" or "Avian Influenza (AI)". */
function hasOtherInitials(text: string): boolean {
  return [...text.matchAll(SPELT_OUT)].some(([words]) => !AI_SPELT_OUT.test(words));
}

const SPELT_OUT = /\b(?:A[a-z]+ I[a-z]+ \(AI\)|I[a-z]+ A[a-z]+ \(IA\))/gi;
const AI_SPELT_OUT = /^(?:Artificial Intelligence|Intelligence Artificielle)/i;

const INITIALS: ReadonlySet<string> = new Set(["AI", "IA"]);

/** Returns a filter that drops hits about other subjects, such as avian influenza, trading or encryption. */
function trueHits(hits: readonly PhraseHit<TermKind>[], item: Item): (hit: PhraseHit<TermKind>) => boolean {
  const texts = [item.title, item.opening];
  const excluded = texts.flatMap((text) => findPhrases(NOT_AI(), text)).map((hit) => hit.value);
  if (texts.some(({ text }) => hasOtherInitials(text))) excluded.push(INITIALS);
  const isKept = ({ phrase }: PhraseHit<TermKind>) => !excluded.some((terms) => terms.has(phrase));
  const isWeak = ({ value }: PhraseHit<TermKind>) => value === "weak";
  if (!hits.some((hit) => isWeak(hit) && isKept(hit))) return isKept;
  const index = NOT_BESIDE(item.language.language);
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

/** Event types that do not imply that an item is about rules. */
const OTHER_TYPES: ReadonlySet<EventType> = new Set<EventType>([
  "report",
  "faq",
  "press-release",
  "speech",
  "event",
  "other",
]);

/** Points for a rule word by where it is, and for an event type that implies rules by where its evidence is. */
const TITLE_WORD = 2;
const OPENING_WORD = 1;
const RULE_TYPE = 2;
const RULE_TYPE_IN_SUMMARY = 1;
/** Points for a publisher; see {@link authorityPoints}. */
const AUTHORITY = 2;
/** Maximum number of words that count in the title. The same maximum applies to the opening. */
const COUNTED_WORDS = 2;
/** Points for rules that an item needs if AI is in its title, and if AI is only in its summary. */
const ENOUGH_IN_TITLE = 2;
const ENOUGH_IN_OPENING = 4;

/** Decides whether an item is about AI regulation. Calls `eventType` only if the event type matters. */
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
    return subject.words.length === 0 ? because(false, "it does not mention AI", []) : because(
      false,
      "its title does not mention AI, and its summary contains only words that may be about something else",
      subject.words,
    );
  }
  const post = findPatterns(STAFF(), item.title)[0];
  if (post !== undefined) {
    return because(false, "it is a job advertisement", [post.words]);
  }
  if (subject.namesTheAct === "title" || (subject.namesTheAct === "opening" && subject.level !== "passing")) {
    return because(true, "it names the AI Act", subject.words);
  }
  if (subject.level === "passing") {
    return because(false, "it mentions AI only in passing", subject.words);
  }
  return weigh(item, subject, eventType());
}

/** Compares the points for rules with those for other matters. */
function weigh(item: Item, subject: AiSubject, eventType: EventTypeResult): RelevanceResult {
  const index = MATTERS(item.language.language);
  const title = wordsOf(findPhrases(index, item.title));
  const opening = wordsOf(findPhrases(index, item.opening));
  const fresh = (words: string[], seen: string[]) => words.filter((word) => !seen.includes(word));
  const authority = authorityPoints(item, subject);
  const type = typePoints(eventType);
  const rules = points(title.rule, fresh(opening.rule, title.rule)) + type + authority;
  const others = points(title.other, fresh(opening.other, title.other));
  const enough = subject.level === "title" ? ENOUGH_IN_TITLE : ENOUGH_IN_OPENING;
  // A headline on AI and rules may also mention other matters; a summary needs to be clearer.
  const relevant = rules >= enough && (subject.level === "title" ? rules >= others : rules > others);
  const ofRules = [
    ...title.rule,
    ...fresh(opening.rule, title.rule),
    ...(type > 0 ? [`type: ${eventType.type}`] : []),
    ...(authority > 0 ? [`publisher: ${item.publisher.supervisesBy}`] : []),
  ];
  const ofOthers = [...title.other, ...fresh(opening.other, title.other)];
  const conclusion = relevant
    ? "it is about AI and rules"
    : rules < enough
    ? "it is about AI, but not enough about rules"
    : "it is about AI, but more about other matters than about rules";
  const where = subject.level === "title" ? "AI is in its title" : "AI is only in its summary";
  return {
    relevant,
    grounds: [
      { why: `${conclusion} (${where})`, words: subject.words },
      { why: `points for rules: ${rules} (needed: ${enough})`, words: ofRules },
      ...(others > 0 ? [{ why: `points for other matters: ${others}`, words: ofOthers }] : []),
    ],
  };
}

/** Scores the publisher. A supervisor counts if AI is in the title, and a data protection authority always counts. */
function authorityPoints({ publisher }: Item, { level }: AiSubject): number {
  return publisher.dataProtection || (publisher.supervises && level === "title") ? AUTHORITY : 0;
}

function typePoints(eventType: EventTypeResult): number {
  if (OTHER_TYPES.has(eventType.type)) return 0;
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
