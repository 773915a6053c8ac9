// Protects forms from other sites: a token bound to the session, and the origin that browsers state.
import { createHash, timingSafeEqual } from "node:crypto";

/** Returns the token that every form of a session contains. It does not reveal the session's token. */
export function csrfTokenOf(sessionToken: string): string {
  return createHash("sha256").update(`regfeed form ${sessionToken}`).digest("base64url");
}

export function isCsrfToken(sent: string, sessionToken: string): boolean {
  const [a, b] = [sent, csrfTokenOf(sessionToken)].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}

/** Where a form comes from: `own` pages, `other` sites, or `unknown`, as with programs that are not browsers. */
type FormOrigin = "own" | "other" | "unknown";

/**
 * Reads where a form comes from. `Sec-Fetch-Site` takes precedence, because pages with the referrer policy `no-referrer`
 * send `Origin: null` (Fetch, "append a request Origin header").
 */
export function formOriginOf(headers: Headers, publicUrl: string): FormOrigin {
  const site = headers.get("sec-fetch-site");
  if (site !== null) return site === "same-origin" ? "own" : "other";
  const origin = headers.get("origin");
  if (origin === null) return "unknown";
  const host = URL.parse(origin)?.host;
  return host !== undefined && [headers.get("host"), URL.parse(publicUrl)?.host].includes(host)
    ? "own"
    : "other";
}
