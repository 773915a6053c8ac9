// What the page server needs of sessions and of forms that were already sent.
import type { Customer } from "../../domain/customer/customer.ts";
import type { Client, Session } from "../../domain/customer/session.ts";
import type { SessionStore } from "../../domain/ports/store/sessions.ts";

export interface PageSession {
  session: Pick<Session, "id" | "viewer">;
  /** The customer as it is now, or null for an operator. */
  customer: Customer | null;
}

export interface PageSessions {
  /** Returns the valid session with this token, or null. */
  find(token: string, client: Client): Promise<PageSession | null>;
}

export type PageForms = Pick<SessionStore, "beginForm" | "finishForm">;
