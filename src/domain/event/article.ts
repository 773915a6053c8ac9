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

const INSERTED: ReadonlySet<string> = new Set(act.inserted_in_2026);
const AMENDED: ReadonlySet<string> = new Set(act.amended_in_2026);

/** EUR-Lex's codes for the languages of {@link citation}. */
const EUR_LEX_LANGUAGES: Readonly<Record<string, string>> = { en: "eng", de: "deu", fr: "fra" };

/** A provision of the Act as a reader needs it. */
interface Citation {
  /** The English title; empty for recitals, and if it is not known. */
  title: string;
  /** The place in the Official Journal. For a provision that was inserted later: the inserting regulation. */
  url: string;
  /** What Regulation (EU) 2026/1744 did with the article or annex. */
  change: "inserted" | "amended" | null;
}

/**
 * Returns the provision behind a canonical reference that {@link isInAct}. EUR-Lex's anchors are those of the Official
 * Journal of 12 July 2024: `art_53`, `053.001` for its first paragraph, `anx_III`, `rct_60`.
 */
export function citation(reference: string, language: string): Citation {
  const whole = reference.replace(/\(.*/, "");
  const [, number = ""] = whole.split(" ");
  const code = (Object.hasOwn(EUR_LEX_LANGUAGES, language) ? EUR_LEX_LANGUAGES[language] : null) ?? "eng";
  if (INSERTED.has(whole)) {
    return {
      title: titleOf(whole),
      url: `https://eur-lex.europa.eu/eli/reg/2026/1744/oj/${code}`,
      change: "inserted",
    };
  }
  const paragraph = /^Art\. (\d+)\((\d{1,3})\)/.exec(reference);
  const anchor = paragraph !== null
    ? `${number.padStart(3, "0")}.${paragraph[2]?.padStart(3, "0")}`
    : whole.startsWith("Art.")
    ? `art_${number}`
    : whole.startsWith("Annex")
    ? `anx_${number}`
    : `rct_${number}`;
  return {
    title: titleOf(whole),
    url: `https://eur-lex.europa.eu/eli/reg/2024/1689/oj/${code}#${anchor}`,
    change: AMENDED.has(whole) ? "amended" : null,
  };
}

function titleOf(whole: string): string {
  const [kind, number = ""] = whole.split(" ");
  return (kind === "Art." ? AI_ACT.articles.get(number) : AI_ACT.annexes.get(number)) ?? "";
}
