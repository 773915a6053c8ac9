// How long an answer says that it stays as it is: `Cache-Control` and `Expires` (RFC 9111).
import { parseHttpDate } from "../../domain/http_time.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** A server is believed for so long that a document has not changed since it was sent, ms: some say so whatever happens. */
const BELIEVED_MS = 86_400_000;
/** Longer lifetimes than this all mean the same (RFC 9111, section 1.2.2). */
const MAX_SECONDS = 2_147_483_648;

/**
 * Until when an answer is fresh, Unix ms: `max-age` less its age, else `Expires` less its own date. Null where it says
 * nothing, and where it says that it is not to be kept.
 */
export function freshUntil(headers: Record<string, string>, nowMs: number): number | null {
  const directives = readDirectives(headers["cache-control"] ?? "");
  if (directives.has("no-store") || directives.has("no-cache")) return null;
  const ageMs = (readSeconds(headers["age"]) ?? 0) * SECOND_MS;
  const lifetimeMs = directives.has("max-age")
    ? (readSeconds(directives.get("max-age")) ?? 0) * SECOND_MS
    : expiresInMs(headers, nowMs);
  if (lifetimeMs === null || lifetimeMs <= ageMs) return null;
  return nowMs + lifetimeMs - ageMs;
}

/** Whether a document is to be sent again, changed or not; one from the future was sent before the clock was set back. */
export function isStale(sentMs: number, nowMs: number): boolean {
  return nowMs - sentMs >= BELIEVED_MS || sentMs > nowMs;
}

function readDirectives(header: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const part of header.split(",")) {
    const equals = part.indexOf("=");
    const name = equals === -1 ? part : part.slice(0, equals);
    const value = equals === -1 ? "" : part.slice(equals + 1).replaceAll('"', "");
    directives.set(name.trim().toLowerCase(), value.trim());
  }
  return directives;
}

function readSeconds(text: string | undefined): number | null {
  return /^\d+$/.test(text?.trim() ?? "") ? Math.min(Number(text), MAX_SECONDS) : null;
}

function expiresInMs(headers: Record<string, string>, nowMs: number): number | null {
  const expiresMs = parseHttpDate(headers["expires"], nowMs);
  if (expiresMs === null) return null;
  return expiresMs - (parseHttpDate(headers["date"], nowMs) ?? nowMs);
}

/** The later of what an answer says of how long it is fresh (Unix ms) and what its document does; null without either. */
export function laterOf(
  answerUntilMs: number | null,
  ttlMinutes: number | null,
  nowMs: number,
): number | null {
  const statedMs = ttlMinutes === null ? 0 : nowMs + ttlMinutes * MINUTE_MS;
  return Math.max(answerUntilMs ?? 0, statedMs) || null;
}
