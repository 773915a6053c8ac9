// What the sign-in pages need of the accounts.
import type { SessionOwner } from "../../domain/ports/store/sessions.ts";
import type { Client, Session, Viewer } from "../../domain/customer/session.ts";
import type { PageSessions } from "../session/page_sessions.ts";

/** A session that has started. The token goes into the cookie. */
export interface Started {
  token: string;
  viewer: Viewer;
}

/** Why an API key is refused. */
type KeyRefusal = "unknown" | "replaced" | "unpaid" | "disabled";

export interface SignInSessions extends PageSessions {
  redeem(linkToken: string, client: Client): Promise<Started | null>;
  start(viewer: Viewer, by: { method: "oidc"; client: Client }): Promise<Started | null>;
  end(token: string): Promise<void>;
  list(owner: SessionOwner): Promise<Session[]>;
  endSome(
    owner: SessionOwner,
    which: { id: string } | { except: string | null },
    by: { actor: string; address: string } | null,
  ): Promise<number>;
}

export interface SignIn {
  withKey(key: string, client: Client): Promise<Started | { refused: KeyRefusal }>;
  /** Requests an email with a one-time link. Says nothing about whether a customer has the address. */
  requestLink(email: string, returnTo: string | null): void;
  /** Returns for whom a one-time link is, or null if it is not valid. */
  viewerOf(linkToken: string): Promise<Viewer | null>;
}

/** What the browser keeps during a sign-in with OpenID Connect. */
export interface OidcAttempt {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
}

export type OidcFault =
  | "unreachable"
  | "cancelled"
  | "state"
  | "code"
  | "signature"
  | "issuer"
  | "audience"
  | "nonce"
  | "expired"
  | "token"
  | "not_operator";

export interface Oidc {
  /** The name of the organisation's sign-in, or null. */
  name: string | null;
  begin(returnTo: string): Promise<{ url: string; attempt: OidcAttempt } | { fault: OidcFault }>;
  /** Returns the operator's name. `callback` is the path and query of the issuer's response. */
  finish(callback: string, attempt: OidcAttempt): Promise<{ operator: string } | { fault: OidcFault }>;
}
