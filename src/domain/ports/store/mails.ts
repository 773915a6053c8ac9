// The part of the Store port that concerns the queue of mails.
import type { Act } from "../../customer/audit.ts";
import type { ApiKey } from "../../customer/customer.ts";
import type { ClaimedMail, KeptMail, MailOutcome, MailRetry, MailStatus } from "../../customer/mail.ts";

/** Mails. Each call is one transaction. Every time is in Unix ms. */
export interface MailStore {
  /** Leases due mails, the longest due first, and counts the attempt. */
  claimMails(claim: { nowMs: number; leaseMs: number; limit: number }): Promise<ClaimedMail[]>;
  /**
   * Stores the key that an attempt of a welcome mail is about to send, and disables the key of an earlier attempt.
   * False when the attempt is not awaited any more, or the customer has got another key meanwhile.
   */
  storeWelcomeKey(mailId: string, attempt: number, key: ApiKey): Promise<boolean>;
  /** Records the outcome of an attempt; without effect unless it is the latest and still awaited. */
  finishMail(mailId: string, attempt: number, outcome: MailOutcome, nowMs: number): Promise<void>;
  /** The newest first; with `before` those after the mail of that id in this order. */
  listMails(
    query: { limit: number; before?: string; status?: MailStatus; customerId?: string },
  ): Promise<KeptMail[]>;
  /** Makes a mail due now that failed, was cancelled, or waits for its next attempt. */
  retryMail(id: string, by: Act): Promise<MailRetry>;
  /** Cancels a queued or failed mail. False without one of that id. */
  cancelMail(id: string, by: Act): Promise<boolean>;
  /**
   * Removes the content of mails that were sent or cancelled up to `finishedUntilMs`; the rows stay, so that none is
   * written twice. At most `limit`; returns how many.
   */
  blankMails(blank: { finishedUntilMs: number; limit: number }): Promise<number>;
}
