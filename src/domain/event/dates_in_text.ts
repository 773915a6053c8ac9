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

const NAMES = MONTHS.flat().join("|");

const DATE = new RegExp(
  [
    "(?<y1>20\\d\\d)-(?<m1>\\d\\d)-(?<d1>\\d\\d)",
    "(?<d2>\\d{1,2})\\.(?<m2>\\d{1,2})\\.(?<y2>20\\d\\d)",
    `(?<d3>\\d{1,2})(?:st|nd|rd|th|er|\\.)? (?<m3>${NAMES}),? (?<y3>20\\d\\d)`,
    `(?<m4>${NAMES}) (?<d4>\\d{1,2})(?:st|nd|rd|th)?,? (?<y4>20\\d\\d)`,
  ].map((form) => `(?<![\\p{L}\\d.-])${form}(?![\\p{L}\\d-])`).join("|"),
  "giu",
);

const MAX_FOUND = 200;
/** How much of the text is shown on each side of a date, in UTF-16 units. */
const CONTEXT = 90;

/** Returns the complete dates that a text names, each once, in ascending order. Days that do not exist are left out. */
export function datesIn(text: string): NamedDate[] {
  const plain = text.replace(/\s+/g, " ");
  const found = new Map<string, string>();
  for (const match of plain.matchAll(DATE)) {
    if (found.size >= MAX_FOUND) break;
    const groups = match.groups ?? {};
    const value = (letter: string) =>
      [1, 2, 3, 4].map((at) => groups[`${letter}${at}`]).find((one) => one) ?? "";
    const on = dayOf(value("y"), value("m"), value("d"));
    if (on !== null && !found.has(on)) found.set(on, contextOf(plain, match.index, match[0].length));
  }
  return [...found].map(([on, context]) => ({ on, context })).sort((a, b) => a.on < b.on ? -1 : 1);
}

function dayOf(year: string, month: string, day: string): string | null {
  const named = MONTHS.findIndex((names) => names.includes(month.toLowerCase())) + 1;
  const number = named === 0 ? Number(month) : named;
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
