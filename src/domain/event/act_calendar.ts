// The dates on which the provisions of the AI Act apply.
import { AI_ACT, wholesOf } from "./article.ts";
import calendar from "./act_calendar.json" with { type: "json" };

interface ActDate {
  /** `YYYY-MM-DD`. */
  on: string;
  what_en: string;
  what_de: string;
  what_fr: string;
  /** The provision of the Act that states the date, such as `Art. 113(a)`. */
  basis: string;
  /** Which of the given references the date concerns. */
  references: string[];
}

/** All articles in the Act's order, in which Art. 4a follows Art. 4. */
const NUMBERS = [...AI_ACT.articles.keys()]
  .sort((a, b) => parseInt(a) - parseInt(b) || (a < b ? -1 : 1))
  .map((number) => `Art. ${number}`);

const DATES = calendar.dates.map((one) => ({ ...one, covers: new Set(one.covers.flatMap(expanded)) }));

/** Expands `Art. 1 to Art. 5`. */
function expanded(range: string): string[] {
  const [first = "", last] = range.split(" to ");
  return last === undefined ? [first] : NUMBERS.slice(NUMBERS.indexOf(first), NUMBERS.indexOf(last) + 1);
}

/** Returns the dates that concern any of the canonical references, or parts of them, in order. */
export function actDatesOf(references: readonly string[]): ActDate[] {
  return DATES.flatMap(({ date: on, covers, except, what_en, what_de, what_fr, basis }) => {
    const concerned = references.filter((reference) => {
      const wholes = wholesOf(reference);
      const isCovered = wholes.some((whole) => covers.has(whole)) ||
        [...covers].some((covered) => wholesOf(covered).includes(reference));
      return isCovered && !wholes.some((whole) => except.includes(whole));
    });
    return concerned.length === 0 ? [] : [{ on, what_en, what_de, what_fr, basis, references: concerned }];
  });
}
