// The canonical form of references to the AI Act.

const CANONICAL = /^(Art\. \d{1,3}[a-z]?|Annex [IVX]{1,5}|Recital \d{1,3})(\([0-9a-z]{1,6}\)){0,4}$/;

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
