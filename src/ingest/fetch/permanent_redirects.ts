// Where a source has moved for good: believed only when it has said the same for days.
import { placeholderAt } from "../../domain/source/extraction_rules.ts";
import type { SourceMove } from "../../domain/source/source.ts";

/** A permanent redirect is adopted when the same one is still there after this, ms: many are mistakes of an hour. */
export const ADOPTED_AFTER_MS = 3 * 86_400_000;

/**
 * What a fetch showed of where the document of a configured address is: `moved` for good (301, 308), or `here`, without
 * any redirect. `unsaid`: a temporary redirect (302, 303, 307), which says nothing of it; `failed`: it was not had.
 */
export type RedirectTrack = { kind: "here" | "unsaid" | "failed" } | { kind: "moved"; to: string };

/** What a fetch showed of one configured address. */
export type PermanentRedirects = RedirectTrack & { address: string };

/** The address to ask: where the configured one has moved to, once that is adopted; null for the configured one itself. */
export function adoptedAddress(moves: readonly SourceMove[], configured: string): string | null {
  const move = moves.find(({ from }) => from === configured);
  return move?.adoptedAtMs ? move.url : null;
}

/** What is known of the moves of a source's addresses after a fetch; moves of others than these are forgotten. */
export function decideMoves(
  before: readonly SourceMove[],
  found: readonly PermanentRedirects[],
  nowMs: number,
): SourceMove[] {
  return found.map((one) => {
    const known = before.find(({ from }) => from === one.address) ?? null;
    return decideMove(known, one, nowMs);
  }).filter((move) => move !== null);
}

function decideMove(known: SourceMove | null, found: PermanentRedirects, nowMs: number): SourceMove | null {
  const isAdopted = known !== null && known.adoptedAtMs !== null;
  switch (found.kind) {
    case "unsaid":
      return known;
    case "failed":
      // What was adopted is given up, so that the configured address is asked; a redirect that is watched stays.
      return isAdopted ? null : known;
    case "here":
      // Of an adopted address it says that the document moves no further, of the configured one that it is back.
      return isAdopted ? known : null;
    case "moved":
      // From the future: the clock was set back meanwhile.
      if (known === null || known.url !== found.to || known.sinceMs > nowMs) {
        return { from: found.address, url: found.to, sinceMs: nowMs, adoptedAtMs: null };
      }
      return nowMs - known.sinceMs >= ADOPTED_AFTER_MS ? { ...known, adoptedAtMs: nowMs } : known;
  }
}

/** What a dry run says of the addresses that have moved for good. */
export function describeRedirects(found: readonly PermanentRedirects[]): string[] {
  return found.flatMap((one) =>
    one.kind !== "moved" ? [] : [
      `${one.address} redirects permanently to ${one.to}: after ${
        ADOPTED_AFTER_MS / 86_400_000
      } days of redirects, only the new URL is fetched; change the URL in the config`,
    ]
  );
}

/**
 * Where a template of addresses has moved to, when one address made of it has moved. `tail` is what stands in the template
 * behind the last slash before its first placeholder, filled as it was for that address: the new address must end with
 * it. What is fixed to the days of one request is no new address, and nothing can be said then.
 */
export function movedTemplate(
  standing: RedirectTrack,
  template: string,
  fill: (text: string) => string,
): RedirectTrack {
  const at = placeholderAt(template);
  if (standing.kind !== "moved" || at === -1) return standing;
  const tail = template.slice(template.slice(0, at).lastIndexOf("/") + 1);
  const { to } = standing;
  const filled = fill(tail);
  const url = URL.parse(filled, "https://filled.invalid/")?.href.slice("https://filled.invalid/".length) ??
    filled;
  return to.endsWith(`/${url}`) ? { kind: "moved", to: to.slice(0, -url.length) + tail } : { kind: "unsaid" };
}
