// The part of the Store port that concerns customers: keys, usage, stored responses, audit.
import type { Act, AuditEntry } from "../../customer/audit.ts";
import type { ApiKey, Customer, DisabledBy } from "../../customer/customer.ts";
import type { DailyAction, DailyGrant, DailyRequest } from "../../customer/daily_limit.ts";
import type { Declaration, DeclaredCustomer } from "../../customer/declared_customers.ts";
import type { PayerState } from "../../customer/payment.ts";
import type { Tier, TierLimits } from "../../customer/tier.ts";

export interface KeyHolder {
  customer: Customer;
  /** Who disabled the customer; null while it is enabled. */
  disabledBy: DisabledBy | null;
  keyDisabled: boolean;
}

export type TierTable = Readonly<Record<Tier, TierLimits>>;

/** An act that may change a customer's plan: the tiers' limits, and ids for the mails that follow. */
export interface TierAct extends Act {
  tiers: TierTable;
  newMailId(): string;
}

export interface Account {
  customer: Customer;
  /** Oldest first. */
  keys: ApiKey[];
  disabledBy: DisabledBy | null;
  /** Unix ms; null while its data is kept. */
  erasedAtMs: number | null;
  /** Null for a customer that was not created by a payment. */
  payment: PayerState | null;
}

/** A customer in the list of all; its keys are sorted, oldest first. */
export type ListedCustomer = Omit<Account, "payment">;

/** The counts of customers' affairs that need attention. */
export interface AccountHealth {
  queuedMails: number;
  /** When the oldest of them was queued, Unix ms; null if there is none. */
  oldestQueuedMailAtMs: number | null;
  failedMails: number;
  /** Payers whose newest price the config does not name. */
  unknownPrices: number;
}

export interface Usage {
  /** Events delivered or on their way this month. */
  deliveries: number;
  held: number;
  activeSubscriptions: number;
  /** When the customer was notified that the month is nearly used up, and used up; null when it was not. */
  warnedAtMs: number | null;
  spentAtMs: number | null;
}

/** The response to a request with an idempotency key, for repetitions of the request. */
export interface StoredResponse {
  key: string;
  requestHash: string;
  json: string;
}

export interface CustomerStorage {
  customerId: string;
  /** Approximate size of its subscriptions, deliveries, bodies and attempts. */
  bytes: number;
}

/** Customers. Each call is one transaction, and changes are audited. Every time is in Unix ms. */
export interface CustomerStore {
  addCustomer(customer: Customer, key: ApiKey, by: Act): Promise<void>;
  findCustomer(id: string): Promise<Customer | null>;
  /** Null without such a customer. */
  findAccount(id: string): Promise<Account | null>;
  /** Oldest first. */
  listCustomers(): Promise<ListedCustomer[]>;
  /**
   * Changes a customer, with the effects of `planCustomerChange`: see src/domain/plans. A customer whose payments have
   * ended stays disabled. False without such a customer.
   */
  changeCustomer(
    id: string,
    change: Partial<Pick<Customer, "tier" | "enabled" | "limits" | "email">>,
    by: TierAct,
  ): Promise<boolean>;
  /**
   * Applies the config's declarations, all or none: new customers are added, known ones are enabled and as declared,
   * with the declared keys and no other; customers that are no longer declared are disabled. A key moves between
   * declared customers with its hash.
   */
  declareCustomers(customers: readonly DeclaredCustomer[], by: TierAct): Promise<Declaration>;
  /**
   * Erases all personal data: email address, mails, payer, the subscriptions' URLs and secrets. The id, the counts and
   * the audit stay. False without such a customer, or when it is erased already.
   */
  eraseCustomer(id: string, by: Act): Promise<boolean>;
  /**
   * Disables every key of the customer and adds the new one, if any. With `mailId` the customer is notified. A queued
   * welcome mail is cancelled, as its key is not needed any more. False without such a customer.
   */
  replaceKeys(customerId: string, key: ApiKey | null, by: Act & { mailId?: string }): Promise<boolean>;
  findKey(hash: string): Promise<KeyHolder | null>;

  /** Requests counted for the customer on the UTC day ("2026-07-31"). */
  countedRequests(customerId: string, day: string): Promise<number>;
  /** Adds to the counts; a crash may lose those of the most recent call. */
  addRequests(counts: readonly { customerId: string; day: string; requests: number }[]): Promise<void>;
  /** The customer's usage in the UTC month ("2026-07"). */
  usageOf(customerId: string, month: string): Promise<Usage>;
  /** Uses one of the customer's limits per UTC day, or refuses and changes nothing. */
  countDaily(customerId: string, request: DailyRequest): Promise<DailyGrant>;
  /** The use of those limits on the UTC day of the time. */
  usedToday(customerId: string, nowMs: number): Promise<Record<DailyAction, number>>;
  /** The customers with the most stored data, the largest first. Reads counters. */
  largestCustomers(limit: number): Promise<CustomerStorage[]>;

  /** Stores a response under the customer's idempotency key. */
  storeResponse(customerId: string, response: StoredResponse, atMs: number): Promise<void>;
  /** The response stored under the customer's idempotency key after the time; null if there is none. */
  findResponse(customerId: string, key: string, afterMs: number): Promise<StoredResponse | null>;
  /** Removes responses that were stored up to the time. */
  removeResponses(untilMs: number): Promise<void>;

  /** The newest first; with `before` those of a lower `seq`. */
  listAudit(query: { limit: number; before?: number; customerId?: string }): Promise<AuditEntry[]>;
  accountHealth(): Promise<AccountHealth>;
}
