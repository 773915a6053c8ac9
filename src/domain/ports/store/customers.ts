// The part of the Store port that concerns customers: keys, payments, mails, audit.
import type { Act, AuditEntry } from "../../customer/audit.ts";
import type { ApiKey, Customer, DisabledBy } from "../../customer/customer.ts";
import type { Declaration, DeclaredCustomer } from "../../customer/declared_customers.ts";
import type { NewId } from "../../event/ids.ts";
import type { ClaimedMail, KeptMail, MailOutcome, MailRetry, MailStatus } from "../../customer/mail.ts";
import type {
  KeptPayment,
  PayerState,
  PaymentEvent,
  PaymentOutcome,
  PaymentVerdict,
} from "../../customer/payment.ts";
import type { Tier, TierLimits } from "../../customer/tier.ts";

/** What a key opens. */
export interface KeyHolder {
  customer: Customer;
  /** Who keeps the customer out; null while it is enabled. */
  disabledBy: DisabledBy | null;
  keyDisabled: boolean;
}

/** The tiers' limits, by tier. */
export type TierTable = Readonly<Record<Tier, TierLimits>>;

/** Who changes what customers may use, and what follows from it: the limits of the tiers, and mails. */
export interface TierAct extends Act {
  tiers: TierTable;
  newMailId(): string;
}

/** What of a customer only the operator is shown. */
export interface Account {
  customer: Customer;
  /** Oldest first. */
  keys: ApiKey[];
  disabledBy: DisabledBy | null;
  /** Unix ms; null while its data is kept. */
  erasedAtMs: number | null;
  /** Null for a customer that no payment made. */
  payment: PayerState | null;
}

/** A customer in the list of all; its keys stand oldest first. */
export type ListedCustomer = Omit<Account, "payment">;

/** How access has changed; `in_grace`: it is back although nothing was paid, for the grace is not over. */
export type AccessChange = "ended" | "restored" | "in_grace";

/** How payment events are judged, and what that needs. */
export interface PaymentReview {
  nowMs: number;
  tiers: TierTable;
  /** What follows from all that a payer's events say; they come in no order. */
  judge(events: readonly PaymentEvent[]): PaymentVerdict;
  /** Hears whose access a judgement has ended or given back; nothing of it holds unless the call ends well. */
  noteAccess(customerId: string, access: AccessChange): void;
  newId: NewId;
}

/** The counts of customers' affairs that need attention. */
export interface AccountHealth {
  queuedMails: number;
  /** When the oldest of them was asked for, Unix ms; null without one. */
  oldestQueuedMailAtMs: number | null;
  failedMails: number;
  /** Payers whose newest price the config does not name. */
  unknownPrices: number;
}

/** Customers and everything around them. Each call is atomic, and what it changes stands in the audit. */
export interface AccountStore {
  addCustomer(customer: Customer, key: ApiKey, by: Act): Promise<void>;
  findCustomer(id: string): Promise<Customer | null>;
  /** Null when there is no such customer. */
  findAccount(id: string): Promise<Account | null>;
  /** Oldest first. */
  listCustomers(): Promise<ListedCustomer[]>;
  /**
   * False when there is no such customer. One that is not paid for stays disabled although it is to be enabled. With
   * another tier its own limits end, unless others are given. With another tier or other limits the newest subscriptions over the number are held, or held ones come back, and a mail
   * says so. With another address a welcome mail that was given up is queued again; one that was put off because the
   * customer is kept out goes when it is let in.
   */
  changeCustomer(
    id: string,
    change: Partial<Pick<Customer, "tier" | "enabled" | "limits" | "email">>,
    by: TierAct,
  ): Promise<boolean>;
  /**
   * Makes the config's declarations hold, all in one transaction or nothing: new customers are added, known ones are as
   * declared and enabled, with the declared keys and no other; of those that were declared and are no more, keys are
   * refused and deliveries held. A key moves between declared customers with its hash.
   */
  declareCustomers(
    customers: readonly DeclaredCustomer[],
    by: TierAct,
  ): Promise<Declaration>;
  /**
   * Takes everything personal out of the store: address, mails, payer, the subscriptions' addresses and secrets. Its
   * id, its counts and the audit stay. False when there is no such customer, or it is already erased.
   */
  eraseCustomer(id: string, by: Act): Promise<boolean>;
  /**
   * Disables every key of the customer and adds the new one, or none. With `mailId` the customer is told by a mail. A
   * welcome mail that waits is cancelled: the key that it would make is no more wanted. False when there is no such
   * customer.
   */
  replaceKeys(customerId: string, key: ApiKey | null, by: Act & { mailId?: string }): Promise<boolean>;
  findKey(hash: string): Promise<KeyHolder | null>;

  /** Keeps a payment event, once, and does what follows from all events of its payer. */
  recordPayment(event: PaymentEvent, review: PaymentReview): Promise<PaymentOutcome>;
  /** Does again what follows from the events of the payer of this one; null when there is no such event. */
  replayPayment(id: string, review: PaymentReview, by: Act): Promise<PaymentOutcome | null>;
  /**
   * Judges payers anew: those whose grace is over, or every one. Returns how many were judged; each is a transaction of
   * its own.
   */
  reviewPayers(which: "grace" | "all", review: PaymentReview): Promise<number>;
  /** The newest received first; with `before` those that follow the event of that id in this order. */
  listPayments(query: { limit: number; before?: string; customerId?: string }): Promise<KeptPayment[]>;
  findPayment(id: string): Promise<KeptPayment | null>;

  /** Leases due mails, the longest due first, and counts the attempt. */
  claimMails(claim: { nowMs: number; leaseMs: number; limit: number }): Promise<ClaimedMail[]>;
  /**
   * Stores the key that an attempt of a welcome mail is about to hand over; the one of an earlier attempt is disabled.
   * False when the attempt is not awaited any more, or the customer has been given another key meanwhile.
   */
  storeWelcomeKey(mailId: string, attempt: number, key: ApiKey): Promise<boolean>;
  /** Records what came of an attempt; nothing follows unless it is the latest and still awaited. */
  finishMail(mailId: string, attempt: number, outcome: MailOutcome, nowMs: number): Promise<void>;
  /** The newest first; with `before` those that follow the mail of that id in this order. */
  listMails(
    query: { limit: number; before?: string; status?: MailStatus; customerId?: string },
  ): Promise<KeptMail[]>;
  /** Makes a mail due now that was given up or cancelled, or waits for its next attempt. */
  retryMail(id: string, by: Act): Promise<MailRetry>;
  /**
   * Cancels a mail that waits or was given up: it is sent no more and troubles nobody's health. False when there is none
   * such of that id.
   */
  cancelMail(id: string, by: Act): Promise<boolean>;
  /**
   * Takes out of mails that were sent or cancelled up to this time what they told; that they were is kept, so that none
   * is written twice. At most `limit`; returns how many.
   */
  blankMails(blank: { finishedUntilMs: number; limit: number }): Promise<number>;

  /** The newest first; with `before` those of a lower `seq`. */
  listAudit(query: { limit: number; before?: number; customerId?: string }): Promise<AuditEntry[]>;
  accountHealth(): Promise<AccountHealth>;
}
