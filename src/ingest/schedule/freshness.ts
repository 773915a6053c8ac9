// Computes the freshness of a response from `Cache-Control` and `Expires` (RFC 9111).
import { parseHttpDate } from "../../domain/http_time.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** After this many ms, a document is requested unconditionally, because some servers always respond with 304. */
const MAX_UNCHANGED_MS = 86_400_000;
/** Maximum lifetime in seconds (RFC 9111, section 1.2.2). */
const MAX_SECONDS = 2_147_483_648;

/** Returns when a response stops being fresh, in Unix ms, or null if it is stale or states no time. */
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

/** Whether to request a document unconditionally. A future `sentMs` was stored before the clock was set back. */
export function isStale(sentMs: number, nowMs: number): boolean {
  return nowMs - sentMs >= MAX_UNCHANGED_MS || sentMs > nowMs;
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

/** Returns when both a response's freshness and its document's ttl end, in Unix ms, or null if neither is stated. */
export function laterOf(
  responseUntilMs: number | null,
  ttlMinutes: number | null,
  nowMs: number,
): number | null {
  const statedMs = ttlMinutes === null ? 0 : nowMs + ttlMinutes * MINUTE_MS;
  return Math.max(responseUntilMs ?? 0, statedMs) || null;
}
