// The part of the Store port for the queue of emails.
import type { Act } from "../../customer/audit.ts";
import type { ApiKey } from "../../customer/customer.ts";
import type { ClaimedMail, KeptMail, MailOutcome, MailRetry, MailStatus } from "../../customer/mail.ts";

/** Emails. Each call is one transaction. All times are in Unix ms. */
export interface MailStore {
  /** Leases due emails, longest due first, and counts the attempts. */
  claimMails(claim: { nowMs: number; leaseMs: number; limit: number }): Promise<ClaimedMail[]>;
  /**
   * Stores the key that an attempt to send a welcome email is about to use, and disables the key of an earlier attempt.
   * If its label is taken, the key gets the next free label. Returns false unless the attempt is the latest of a queued email.
   */
  storeWelcomeKey(mailId: string, attempt: number, key: ApiKey): Promise<boolean>;
  /** Records the outcome of an attempt. Has no effect unless the attempt is the latest and has no result yet. */
  finishMail(mailId: string, attempt: number, outcome: MailOutcome, nowMs: number): Promise<void>;
  /** Lists emails, newest first; with `before`, only those that follow the email with that id. */
  listMails(
    query: { limit: number; before?: string; status?: MailStatus; customerId?: string },
  ): Promise<KeptMail[]>;
  /** Returns null if the email does not exist. */
  findMail(id: string): Promise<KeptMail | null>;
  /** Makes an email due now if it failed, was cancelled, or waits for its next attempt. */
  retryMail(id: string, by: Act): Promise<MailRetry>;
  /** Cancels a queued or failed email. Returns false if no such email has this id. */
  cancelMail(id: string, by: Act): Promise<boolean>;
  /**
   * Removes the content of at most `limit` emails that were sent or cancelled up to `finishedUntilMs`. The rows stay,
   * so that no email is sent twice. Returns the number of emails changed.
   */
  blankMails(blank: { finishedUntilMs: number; limit: number }): Promise<number>;
}
