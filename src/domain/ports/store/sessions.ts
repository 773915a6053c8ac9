// The part of the Store port for the pages: sessions, one-time links and submitted forms.
import type { Act } from "../../customer/audit.ts";
import type { NewSession, NewSignInLink, Session, SessionFacts, Viewer } from "../../customer/session.ts";

/** Whose sessions: a customer's, an operator's, or those of all operators. */
export type SessionOwner = { customerId: string } | { operator: string } | "operators";

/** A form that was sent with a session. `formId` is random and differs for each page view. */
interface SubmittedForm {
  sessionId: string;
  formId: string;
}

/** `location` is the local path that the form's response redirected to, or null if it was a page. */
export type FormState = { kind: "new" } | { kind: "running" } | { kind: "finished"; location: string | null };

/** Emails with a one-time link for the customers with this email address. */
export interface LinkMails {
  email: string;
  /** The local path to open after the sign-in, or null. */
  returnTo: string | null;
  nowMs: number;
  newMailId(): string;
}

/** Sessions. Each call is one transaction. All times are in Unix ms. */
export interface SessionStore {
  /**
   * Starts a session, and notes the use of its key. Returns false if the customer is unknown or disabled, or if the key is not valid or not the
   * customer's. The sign-in of an operator is audited.
   */
  startSession(session: NewSession & { viewer: Viewer }): Promise<boolean>;
  /** Returns the session whose token has this hash, valid or not, or null if there is none. */
  findSession(hash: string): Promise<SessionFacts | null>;
  /** Stores when and from where a session was last used. A power failure may undo the most recent calls. */
  noteSessionUse(hash: string, use: { atMs: number; ipAddress: string }): Promise<void>;
  /** Lists the owner's valid sessions, last used first. */
  listSessions(owner: SessionOwner, nowMs: number): Promise<Session[]>;
  endSession(hash: string): Promise<void>;
  /**
   * Ends one of the owner's sessions, or all of them except `except`. Returns how many sessions ended. Audited, unless
   * a customer ends its own sessions (`by` is null).
   */
  endSessions(
    owner: SessionOwner,
    which: { id: string } | { except: string | null },
    by: Act | null,
  ): Promise<number>;

  /** Stores a link; audited unless `by` is null. Returns false if the link's customer is unknown or disabled. */
  addSignInLink(link: NewSignInLink, by: Act | null): Promise<boolean>;
  /** Returns for whom a valid link is, or null if it was redeemed, has expired or never existed. */
  findSignInLink(hash: string, nowMs: number): Promise<Viewer | null>;
  /** Redeems a valid link and starts its session. Returns for whom it is, or null if it is not valid. */
  redeemSignInLink(hash: string, session: NewSession): Promise<Viewer | null>;
  /**
   * Queues an email with a one-time link for each enabled customer with this email address, except for customers that
   * had `MAX_LINK_MAILS_PER_HOUR` of them in the last hour. Returns the number of emails.
   */
  queueLinkMails(mails: LinkMails): Promise<number>;

  /** Notes that a form is being processed. The caller must process it only if it is `new`. */
  beginForm(form: SubmittedForm, nowMs: number): Promise<FormState>;
  /** Notes the outcome of a form. A form that was refused may be sent again. */
  finishForm(
    form: SubmittedForm,
    outcome: { kind: "done"; location: string | null } | { kind: "refused" },
  ): Promise<void>;

  /** Removes ended sessions, expired links, old forms, and emails with links that were finished a month ago. */
  removeOldSessions(nowMs: number): Promise<void>;
}
