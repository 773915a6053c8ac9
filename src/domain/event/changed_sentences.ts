// Finds the sentences in which two texts differ, and marks where unchanged sentences are left out.
import { commonSubsequence } from "../common_subsequence.ts";

export const OMISSION = "[…]";

/** Texts of up to this length, in UTF-16 units, are shown completely. */
export const WHOLE_UP_TO = 300;

/** Maximum number of sentences that differ. Above it, all but the common ends count as changed. */
const MAX_EDITS = 250;

/** Maximum number of segments. A text with more counts as one sentence, because comparing it would take too long. */
const MAX_SEGMENTS = 500;

interface TextChange {
  before: string;
  after: string;
  /** Whether {@link OMISSION} replaces unchanged sentences. */
  isExcerpt: boolean;
}

/**
 * Returns what to show of two different texts: short texts whole, and the changed sentences of long texts in order. The
 * returned texts always differ. `language` (ISO 639-1) determines where sentences end (UAX #29). Abbreviations such as
 * "Art." do not end a sentence.
 */
export function changedSentences(before: string, after: string, language: string): TextChange {
  if (before.length <= WHOLE_UP_TO && after.length <= WHOLE_UP_TO) return { before, after, isExcerpt: false };
  const old = sentencesOf(before, language);
  const now = sentencesOf(after, language);
  for (const maxEdits of [MAX_EDITS, 0]) {
    const kept = commonSubsequence(old, now, maxEdits);
    const shown = {
      before: excerpt(old, new Set(kept.map(([at]) => at))),
      after: excerpt(now, new Set(kept.map(([, at]) => at))),
    };
    const isExcerpt = kept.length > 0;
    // If sentences or spaces have only moved, the excerpts can be equal.
    if (isExcerpt && shown.before !== shown.after) return { ...shown, isExcerpt };
  }
  return { before, after, isExcerpt: false };
}

const ABBREVIATION =
  /(?:^|[\s(])(?:\p{L}|arts?|nos?|nr|abs|paras?|par|pt|lit|cf|vgl|ziff|mr|mrs|dr|al|pp)\.\s*$/iu;

function sentencesOf(text: string, language: string): string[] {
  const locale = /^[a-z]{2,3}$/.test(language) ? language : "en";
  const sentences: string[] = [];
  let goesOn = false;
  let segments = 0;
  for (const { segment } of new Intl.Segmenter(locale, { granularity: "sentence" }).segment(text)) {
    if (++segments > MAX_SEGMENTS) return [text.trim()];
    if (goesOn) sentences[sentences.length - 1] += segment;
    else sentences.push(segment);
    goesOn = ABBREVIATION.test(segment);
  }
  return sentences.map((sentence) => sentence.trim()).filter((sentence) => sentence !== "");
}

function excerpt(sentences: readonly string[], kept: ReadonlySet<number>): string {
  const shown: string[] = [];
  for (const [place, sentence] of sentences.entries()) {
    if (!kept.has(place)) shown.push(sentence);
    else if (shown.at(-1) !== OMISSION || !kept.has(place - 1)) shown.push(OMISSION);
  }
  return shown.join(" ");
}
