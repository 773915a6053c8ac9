// Permanent redirects of a source, which are adopted once they have stayed the same for several days.
import { placeholderAt } from "../../domain/source/extraction_rules.ts";
import type { SourceMove } from "../../domain/source/source.ts";

/** Time after which a permanent redirect is adopted, in ms. Many redirects are mistakes that are soon corrected. */
export const ADOPTED_AFTER_MS = 3 * 86_400_000;

/** The redirect of a configured URL. `moved`: permanent; `unknown`: temporary or not known; `failed`: no document. */
export type RedirectTrack = { kind: "none" | "unknown" | "failed" } | { kind: "moved"; to: string };

export type PermanentRedirects = RedirectTrack & { address: string };

/** Returns the adopted redirect of the configured URL, or null if there is none. */
export function adoptedAddress(moves: readonly SourceMove[], configured: string): string | null {
  const move = moves.find(({ from }) => from === configured);
  return move?.adoptedAtMs ? move.url : null;
}

/** Returns the redirects of a source after a fetch. Redirects of URLs that are no longer configured are dropped. */
export function decideMoves(
  before: readonly SourceMove[],
  found: readonly PermanentRedirects[],
  nowMs: number,
): SourceMove[] {
  return found.flatMap((one) =>
    decideMove(before.find(({ from }) => from === one.address) ?? null, one, nowMs) ?? []
  );
}

function decideMove(known: SourceMove | null, found: PermanentRedirects, nowMs: number): SourceMove | null {
  const isAdopted = known !== null && known.adoptedAtMs !== null;
  switch (found.kind) {
    case "unknown":
      return known;
    case "failed":
      // Dropping the adopted redirect makes the next fetch request the configured URL again.
      return isAdopted ? null : known;
    case "none":
      // An adopted redirect stays, because the response came from its target. Any other redirect has ended.
      return isAdopted ? known : null;
    case "moved":
      // A time in the future was stored before the clock was set back.
      if (known === null || known.url !== found.to || known.sinceMs > nowMs) {
        return { from: found.address, url: found.to, sinceMs: nowMs, adoptedAtMs: null };
      }
      return nowMs - known.sinceMs >= ADOPTED_AFTER_MS ? { ...known, adoptedAtMs: nowMs } : known;
  }
}

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
 * Derives the redirect of a URL template from the redirect of a URL built from the template. The template's tail starts
 * after the last slash before its first placeholder. If the new URL does not end with the filled tail, the result is
 * `unknown`.
 */
export function movedTemplate(
  redirect: RedirectTrack,
  template: string,
  fill: (text: string) => string,
): RedirectTrack {
  const at = placeholderAt(template);
  if (redirect.kind !== "moved" || at === -1) return redirect;
  const tail = template.slice(template.slice(0, at).lastIndexOf("/") + 1);
  const { to } = redirect;
  const filled = fill(tail);
  const url = URL.parse(filled, "https://filled.invalid/")?.href.slice("https://filled.invalid/".length) ??
    filled;
  return to.endsWith(`/${url}`)
    ? { kind: "moved", to: to.slice(0, -url.length) + tail }
    : { kind: "unknown" };
}
