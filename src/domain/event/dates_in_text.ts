// Finds the dates that a text names, in English, German and French.

export interface NamedDate {
  /** `YYYY-MM-DD`. */
  on: string;
  /** The words around the date. */
  context: string;
}

const MONTHS = [
  ["january", "januar", "jänner", "janvier"],
  ["february", "februar", "feber", "février"],
  ["march", "märz", "mars"],
  ["april", "avril"],
  ["may", "mai"],
  ["june", "juni", "juin"],
  ["july", "juli", "juillet"],
  ["august", "août"],
  ["september", "septembre"],
  ["october", "oktober", "octobre"],
  ["november", "novembre"],
  ["december", "dezember", "décembre"],
];

/** ISO 8601, digits as in German, and words with the day or the month first. `m` may be any word. */
const FORMS = [
  /(?<![\p{L}\d.-])(?<y>20\d\d)-(?<m>\d\d)-(?<d>\d\d)(?![\p{L}\d-])/gu,
  /(?<![\p{L}\d.-])(?<d>\d{1,2})\.(?<m>\d{1,2})\.(?<y>20\d\d)(?![\p{L}\d-])/gu,
  /(?<![\p{L}\d.-])(?<d>\d{1,2})(?:st|nd|rd|th|er|\.)? (?<m>\p{L}{3,9}),? (?<y>20\d\d)(?![\p{L}\d-])/gu,
  /(?<![\p{L}\d.-])(?<m>\p{L}{3,9}) (?<d>\d{1,2})(?:st|nd|rd|th)?,? (?<y>20\d\d)(?![\p{L}\d-])/gu,
];

const MAX_FOUND = 200;
/** How much of the text is shown on each side of a date, in UTF-16 units. */
const CONTEXT = 90;

/** Returns the complete dates that a text names, each once, in ascending order. Days that do not exist are left out. */
export function datesIn(text: string): NamedDate[] {
  const plain = text.replace(/\s+/g, " ");
  const found = new Map<string, string>();
  for (const match of FORMS.flatMap((form) => [...plain.matchAll(form)])) {
    if (found.size >= MAX_FOUND) break;
    const { y = "", m = "", d = "" } = match.groups ?? {};
    const on = dayOf(y, m, d);
    if (on !== null && !found.has(on)) found.set(on, contextOf(plain, match.index, match[0].length));
  }
  return [...found].map(([on, context]) => ({ on, context })).sort((a, b) => a.on < b.on ? -1 : 1);
}

function dayOf(year: string, month: string, day: string): string | null {
  const named = MONTHS.findIndex((names) => names.includes(month.toLowerCase())) + 1;
  const number = named === 0 ? Number(month) : named; // NaN for a word that is not a month
  const date = new Date(Date.UTC(Number(year), number - 1, Number(day)));
  const isReal = date.getUTCMonth() === number - 1 && date.getUTCDate() === Number(day);
  return isReal ? date.toISOString().slice(0, 10) : null;
}

/** Returns the words around a place, with "…" where the text is cut. */
function contextOf(text: string, at: number, length: number): string {
  const from = at <= CONTEXT ? 0 : text.indexOf(" ", at - CONTEXT) + 1;
  const end = at + length + CONTEXT >= text.length
    ? text.length
    : text.lastIndexOf(" ", at + length + CONTEXT);
  return `${from === 0 ? "" : "… "}${
    text.slice(Math.min(from, at), Math.max(end, at + length)).toWellFormed()
  }${end === text.length ? "" : " …"}`;
}
