// References to the AI Act: their canonical form, and whether the Act contains them.
import act from "./articles.json" with { type: "json" };

/** The Act's articles and annexes by number, with their English titles, and its number of recitals. */
export const AI_ACT = {
  articles: new Map(Object.entries(act.articles)),
  annexes: new Map(Object.entries(act.annexes)),
  recitals: act.recitals,
};

const LAST_ARTICLE = Math.max(...[...AI_ACT.articles.keys()].map((number) => parseInt(number)));
const LAST_ANNEX = [...AI_ACT.annexes.keys()].at(-1);

const CANONICAL = /^(Art\. \d{1,3}[a-z]?|Annex [IVX]{1,5}|Recital \d{1,3})(\(([0-9a-z]{1,6}|[A-E])\)){0,4}$/;

/** Returns the canonical form of a reference (`Art. 50(2)`, `Annex III`, `Recital 60`), or null for any other text. */
export function canonicalArticle(text: string): string | null {
  const plain = text.trim().replace(/\s+/g, " ");
  const written = plain
    .replace(/^(article|artikel|art)\.? ?/i, "Art. ")
    .replace(/^annexe? /i, "Annex ")
    .replace(/^anhang /i, "Annex ")
    .replace(/^(recital|considérant|erwägungsgrund) /i, "Recital ")
    .replace(/^(?=\d)/, "Art. ")
    .replace(/ (?=\()/g, "")
    .replace(/^Annex [ivx]+/i, (annex) => `Annex ${annex.slice(6).toUpperCase()}`);
  return CANONICAL.test(written) ? written : null;
}

/** Returns a canonical reference and the references that contain it: `Art. 50(2)` is within `Art. 50`. */
export function wholesOf(reference: string): string[] {
  const wholes = [reference];
  for (let whole = reference; whole.endsWith(")");) {
    whole = whole.slice(0, whole.lastIndexOf("("));
    wholes.push(whole);
  }
  return wholes;
}

/** Whether the article, annex or recital of a canonical reference exists. Paragraphs and points are not checked. */
export function isInAct(reference: string): boolean {
  const [, kind, number = ""] = /^(Art\.|Annex|Recital) ([0-9a-zIVX]+)/.exec(reference) ?? [];
  if (kind === "Art.") return AI_ACT.articles.has(number);
  if (kind === "Annex") return AI_ACT.annexes.has(number);
  return /^[1-9]\d*$/.test(number) && Number(number) <= AI_ACT.recitals;
}

/** Returns what is wrong with the text of a reference, or null if the Act contains it. */
export function articleProblem(text: string): string | null {
  const reference = canonicalArticle(text);
  if (reference === null) return "is not a valid reference; use the form Art. 50(2), Annex III or Recital 60";
  if (isInAct(reference)) return null;
  return `is not in the AI Act, which has Art. 1 to ${LAST_ARTICLE}, some with a letter such as Art. 4a, ` +
    `Annex I to ${LAST_ANNEX}, and Recital 1 to ${AI_ACT.recitals}`;
}
