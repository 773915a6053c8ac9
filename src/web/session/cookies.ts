// The cookies of the pages: session, language and toast.

const DAY_S = 86_400;
const MAX_TOAST_LENGTH = 300;

/** Reads the cookies of a request. If a name occurs twice, the first counts (RFC 6265, section 5.4). */
export function readCookies(header: string | null): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (header ?? "").split(";")) {
    const [name = "", ...value] = part.split("=");
    if (!cookies.has(name.trim())) cookies.set(name.trim(), value.join("=").trim());
  }
  return cookies;
}

export interface SessionCookie {
  name: string;
  /** Returns the value of `Set-Cookie` that stores a token. It ends with the browser's session at the latest. */
  set(token: string): string;
  clear(): string;
}

/**
 * The session's cookie. Over https it has the prefix `__Host-`, so that no other host can set it. Over http, which only
 * works on this machine, it has neither the prefix nor `Secure`.
 */
export function sessionCookieFor(publicUrl: string): SessionCookie {
  const isSecure = publicUrl.startsWith("https:");
  const name = isSecure ? "__Host-regfeed" : "regfeed";
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
  return {
    name,
    set: (token) => `${name}=${token}; ${attributes}`,
    clear: () => `${name}=; ${attributes}; Max-Age=0`,
  };
}

export const LANGUAGE_COOKIE = "regfeed_language";

export function setLanguageCookie(language: string): string {
  return `${LANGUAGE_COOKIE}=${language}; Path=/; Max-Age=${365 * DAY_S}; SameSite=Lax; HttpOnly`;
}

export const TOAST_COOKIE = "regfeed_toast";
export const CLEAR_TOAST = `${TOAST_COOKIE}=; Path=/; Max-Age=0; SameSite=Lax; HttpOnly`;

/** Carries a message to the page that a redirect leads to. */
export function setToastCookie({ text, tone }: { text: string; tone: string }): string {
  const value = encodeURIComponent(JSON.stringify([tone, text.slice(0, MAX_TOAST_LENGTH).toWellFormed()]));
  return `${TOAST_COOKIE}=${value}; Path=/; Max-Age=60; SameSite=Lax; HttpOnly`;
}

/** Reads the message of a redirect. Anyone can set the cookie, so the text must be escaped. */
export function readToastCookie(value: string | undefined): { text: string; tone: "good" | "bad" } | null {
  if (value === undefined || value === "") return null;
  try {
    const [tone, text] = JSON.parse(decodeURIComponent(value)) as unknown[];
    if (typeof text !== "string" || text === "") return null;
    return { text: text.slice(0, MAX_TOAST_LENGTH), tone: tone === "bad" ? "bad" : "good" };
  } catch {
    return null;
  }
}
