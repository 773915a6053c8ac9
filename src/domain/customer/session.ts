// Sessions of people who use the pages, and the one-time links that sign them in.
import { keyStateOf } from "./api_key.ts";
import type { ApiKey, Customer } from "./customer.ts";

/** Who uses the pages. Audit entries name an operator as `console:NAME`. */
export type Viewer = { kind: "customer"; customerId: string } | { kind: "operator"; name: string };

/** The longest name of an operator, in characters. */
const MAX_OPERATOR_NAME = 100;
const OPERATOR_NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._@+:'-]*$/u;

/** Whether a name can identify an operator in the audit log. */
export function isOperatorName(text: string): boolean {
  return text.length <= MAX_OPERATOR_NAME && OPERATOR_NAME.test(text);
}

/** How the session started: with an API key, a one-time link, or OpenID Connect. */
export type SignInMethod = "key" | "link" | "oidc";

export interface Client {
  ipAddress: string;
  /** The `User-Agent` header, cut to {@link MAX_USER_AGENT} characters. */
  userAgent: string;
}

export interface Session {
  /** `ses_` and a ULID. Not the token, so it may appear in pages. */
  id: string;
  viewer: Viewer;
  method: SignInMethod;
  createdAtMs: number;
  /** When the session was last used, Unix ms, at most {@link SESSION_USE_MS} out of date. */
  lastSeenAtMs: number;
  /** The IP address is that of the last use. */
  client: Client;
}

/** A session to store. */
export interface NewSession {
  id: string;
  /** SHA-256 of the token, lower-case hexadecimal. The token itself is only in the cookie. */
  hash: string;
  method: SignInMethod;
  /** The hash of the API key that the customer signed in with, or null. The session ends with the key. */
  keyHash: string | null;
  createdAtMs: number;
  client: Client;
}

/** A session with what decides whether it is still valid. */
export interface SessionFacts {
  session: Session;
  /** The session's customer, or null for an operator. */
  customer: Customer | null;
  /** The API key that the customer signed in with, or null. */
  key: Pick<ApiKey, "disabledAtMs" | "validUntilMs"> | null;
}

/** A one-time link to store. */
export interface NewSignInLink {
  /** SHA-256 of the token in the link, lower-case hexadecimal. */
  hash: string;
  viewer: Viewer;
  createdAtMs: number;
}

export const SESSION_IDLE_MS = 12 * 3_600_000;
export const SESSION_LIFE_MS = 7 * 86_400_000;
/** How much later a session must be used for its last use to be stored again, ms. */
export const SESSION_USE_MS = 60_000;
export const SIGN_IN_LINK_MS = 15 * 60_000;
/** How long the outcome of a form is kept, ms. A form that is sent again after that acts again. */
export const FORM_LIFE_MS = 86_400_000;
/** Maximum number of sessions per customer or operator. A new session ends those that were unused the longest. */
export const MAX_SESSIONS = 50;
/** Maximum number of emails with a one-time link per customer and hour. */
export const MAX_LINK_MAILS_PER_HOUR = 5;
export const MAX_USER_AGENT = 300;

/** Whether a session is valid. Uses absolute differences, so that no session outlives a clock that was set back. */
export function isSessionValid({ session, customer, key }: SessionFacts, nowMs: number): boolean {
  return Math.abs(nowMs - session.lastSeenAtMs) < SESSION_IDLE_MS &&
    Math.abs(nowMs - session.createdAtMs) < SESSION_LIFE_MS &&
    customer?.enabled !== false &&
    (key === null || keyStateOf(key, nowMs) !== "disabled");
}

export function isLinkValid(
  { createdAtMs, redeemedAtMs }: { createdAtMs: number; redeemedAtMs: number | null },
  nowMs: number,
): boolean {
  return redeemedAtMs === null && Math.abs(nowMs - createdAtMs) < SIGN_IN_LINK_MS;
}
