// The part of the Store port for customers: keys, usage, stored responses and the audit log.
import type { Act, ActName, AuditEntry, AuditQuery } from "../../customer/audit.ts";
import type { ApiKey, Customer, DisabledBy } from "../../customer/customer.ts";
import type { DailyAction, DailyGrant, DailyRequest } from "../../customer/daily_limit.ts";
import type { Declaration, DeclaredCustomer } from "../../customer/declared_customers.ts";
import type { PayerState } from "../../customer/payment.ts";
import type { Tier, TierLimits } from "../../customer/tier.ts";

export interface KeyHolder {
  customer: Customer;
  disabledBy: DisabledBy | null;
  key: Pick<ApiKey, "disabledAtMs" | "validUntilMs" | "lastUsedAtMs">;
}

/** The replacement of a customer's keys that have the new key's label. */
export interface RotationAct extends Act {
  /** Until when the replaced keys are valid, Unix ms, or null if they are disabled at once. */
  oldUntilMs: number | null;
  /** The id of the email that tells the customer, or null if none is sent. */
  mailId: string | null;
}

export type TierTable = Readonly<Record<Tier, TierLimits>>;

/** An act that may change a customer's limits, with the limits of all tiers, and ids for the emails that it causes. */
export interface TierAct extends Act {
  tiers: TierTable;
  newMailId(): string;
}

export interface Account {
  customer: Customer;
  /** The keys, oldest first. */
  keys: ApiKey[];
  disabledBy: DisabledBy | null;
  /** When the customer was erased, Unix ms, or null if it was not. */
  erasedAtMs: number | null;
  payment: PayerState | null;
}

export type ListedCustomer = Omit<Account, "payment">;

export interface AccountHealth {
  queuedMails: number;
  /** When the oldest queued email was queued, Unix ms, or null if there is none. */
  oldestQueuedMailAtMs: number | null;
  failedMails: number;
  /** The number of payers whose newest price is not in the config. */
  unknownPrices: number;
}

export interface Usage {
  /** The number of events that were delivered this month or are pending. */
  deliveries: number;
  held: number;
  activeSubscriptions: number;
  /** When the customer was notified that 80% (`warnedAtMs`) and 100% (`spentAtMs`) of the quota was used, or null. */
  warnedAtMs: number | null;
  spentAtMs: number | null;
}

/** What a customer used on one UTC day. */
export interface DayOfUsage {
  /** Such as "2026-07-31". */
  day: string;
  requests: number;
  /** Number of deliveries that arrived, without replays. */
  deliveries: number;
}

/** A response that is sent again if the request is repeated with the same idempotency key. */
export interface StoredResponse {
  key: string;
  requestHash: string;
  json: string;
}

export interface CustomerStorage {
  customerId: string;
  /** The approximate size of the customer's subscriptions, deliveries, bodies and attempts. */
  bytes: number;
}

/** Customers. Each call is one transaction, and changes are audited. All times are in Unix ms. */
export interface CustomerStore {
  addCustomer(customer: Customer, key: ApiKey, by: Act): Promise<void>;
  findCustomer(id: string): Promise<Customer | null>;
  findAccount(id: string): Promise<Account | null>;
  /** Lists all customers, oldest first. */
  listCustomers(): Promise<ListedCustomer[]>;
  /**
   * Changes a customer, with the effects that `planCustomerChange` (src/domain/plans) returns. A customer whose
   * payments have ended stays disabled. Returns false if the customer does not exist.
   */
  changeCustomer(
    id: string,
    change: Partial<Pick<Customer, "tier" | "enabled" | "limits" | "email">>,
    by: TierAct,
  ): Promise<boolean>;
  /**
   * Applies the config's declarations, either all or none. Adds new customers, updates and enables known ones, and
   * disables those that are no longer declared. Gives each customer exactly its declared keys, which may have belonged
   * to another declared customer before.
   */
  declareCustomers(customers: readonly DeclaredCustomer[], by: TierAct): Promise<Declaration>;
  /**
   * Erases all personal data: the email address, the emails, the payer, and the subscriptions' URLs and secrets. Keeps
   * the id, the counts and the audit log. Returns false if the customer does not exist or is already erased.
   */
  eraseCustomer(id: string, by: Act): Promise<boolean>;
  /** Adds a key to a customer. Returns false if a key of the customer without an end has the same label. */
  addKey(customerId: string, key: ApiKey, by: Act): Promise<boolean>;
  /**
   * Adds a key and ends the keys that it replaces, as `planRotation` (src/domain/plans) says. Cancels an unsent welcome
   * email if its key is replaced, or if no key is. Returns the replaced keys, or null if the customer does not exist.
   */
  rotateKey(customerId: string, key: ApiKey, by: RotationAct): Promise<ApiKey[] | null>;
  /**
   * Disables the customer's key with this hash, or with null every key, and cancels an unsent welcome email with such a
   * key. With null, cancels any unsent welcome email. Returns false if the customer does not exist.
   */
  disableKeys(customerId: string, hash: string | null, by: Act): Promise<boolean>;
  findKey(hash: string): Promise<KeyHolder | null>;
  /** Stores when keys were last used. A power failure may undo the most recent calls. */
  noteKeyUses(uses: readonly { hash: string; atMs: number }[]): Promise<void>;

  /** Returns the number of requests counted for the customer on the UTC day ("2026-07-31"). */
  countedRequests(customerId: string, day: string): Promise<number>;
  /** Adds to the counts. A power failure may undo the most recent calls. */
  addRequests(counts: readonly { customerId: string; day: string; requests: number }[]): Promise<void>;
  /** Returns the customer's usage in the UTC month ("2026-07"). */
  usageOf(customerId: string, month: string): Promise<Usage>;
  /** Returns the days since `sinceDay` on which the customer used the service, oldest first. */
  usageByDay(customerId: string, sinceDay: string): Promise<DayOfUsage[]>;
  /** Uses part of a daily limit, or refuses and changes nothing. */
  countDaily(customerId: string, request: DailyRequest): Promise<DailyGrant>;
  /** Returns how much of each daily limit is used on the UTC day of `nowMs`. */
  usedToday(customerId: string, nowMs: number): Promise<Record<DailyAction, number>>;
  /** Returns the customers with the most stored data, largest first. Reads only counters. */
  largestCustomers(limit: number): Promise<CustomerStorage[]>;

  storeResponse(customerId: string, response: StoredResponse, atMs: number): Promise<void>;
  /** Returns the response stored under the customer's idempotency key after `afterMs`, or null if there is none. */
  findResponse(customerId: string, key: string, afterMs: number): Promise<StoredResponse | null>;
  /** Removes the responses that were stored up to `untilMs`. */
  removeResponses(untilMs: number): Promise<void>;

  listAudit(query: AuditQuery): Promise<AuditEntry[]>;
  /** Records an act that changes nothing in the store. `change` must not contain secrets or email addresses. */
  recordAct(by: Act, act: ActName, change: Record<string, unknown>): Promise<void>;
  accountHealth(): Promise<AccountHealth>;
}
