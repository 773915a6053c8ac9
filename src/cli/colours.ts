// Colours of the states and severities in lists. A colour adds no information: the word itself says the same.
import type { Cell, Colour } from "./table.ts";

const COLOURS: ReadonlyMap<string, Colour> = new Map(
  Object.entries(
    {
      green: ["ok", "enabled", "delivered", "sent", "done", "applied", "valid"],
      yellow: ["held", "partial", "pending", "waiting", "late", "silent", "unpaid", "medium", "expiring"],
      red: ["failing", "failed", "blocked", "high", "critical", "PROBLEM"],
      dim: ["off", "gone", "new", "disabled", "cancelled", "erased", "info", "skipped"],
    } satisfies Record<Colour, string[]>,
  ).flatMap(([colour, words]) => words.map((word) => [word, colour as Colour])),
);

export function stateCell(word: string): Cell {
  const colour = COLOURS.get(word);
  return colour === undefined ? word : { text: word, colour };
}
