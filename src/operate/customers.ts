// Adds, changes and erases customers.
import { join } from "node:path";
import { makeKey } from "../accounts/keys.ts";
import type { Act } from "../domain/customer/audit.ts";
import type { Customer } from "../domain/customer/customer.ts";
import type { ListedSubscription } from "../domain/delivery/subscription.ts";
import type { FolderListing } from "../domain/ports/ports.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Tier, TierLimits } from "../domain/customer/tier.ts";
import { Refusal } from "../domain/operator/refusal.ts";
import { newIdOf, type Operation } from "./operation.ts";

/** A limit that no customer's number of emails reaches. */
const ALL = 1_000_000_000;

interface NewCustomer {
  email: string;
  tier: Tier;
  /** The customer's own limits; only for the tier `embedded`. */
  limits: Partial<TierLimits>;
  /** Whether another customer may have the email address. */
  another: boolean;
}

/** A new key, which is stored nowhere and shown once. */
export interface NewKey {
  customer: Customer;
  key: string;
  label: string | null;
}

export async function addCustomer(
  operation: Operation,
  { email, tier, limits, another }: NewCustomer,
  by: Act,
): Promise<NewKey> {
  const { clock, random, store } = operation;
  await refuseDeclaredEmail(operation, email);
  if (!another) await refuseKnownEmail(store, email);
  const nowMs = clock.nowMs();
  const customer: Customer = {
    id: newIdOf(operation)("customer"),
    email,
    tier,
    enabled: true,
    limits,
    language: "en",
    declared: false,
    createdAtMs: nowMs,
  };
  const { key, stored } = makeKey((count) => random.bytes(count), nowMs);
  await store.addCustomer(customer, stored, by);
  return { customer, key, label: stored.label };
}

type CustomerEdit = Partial<Pick<Customer, "tier" | "enabled" | "limits" | "email">>;

export interface EditedCustomer {
  /** The customer as it is now. */
  customer: Customer;
  /** The subscriptions that the limits of the tier hold. */
  held: ListedSubscription[];
}

/** Changes a customer. Without `limits`, an embedded customer keeps its own limits. */
export async function changeCustomer(
  operation: Operation,
  id: string,
  { another, ...edit }: CustomerEdit & { another: boolean },
  by: Act,
): Promise<EditedCustomer> {
  const { config, store } = operation;
  const before = await requireChangeable(store, id);
  if (edit.email !== undefined || edit.enabled === true) {
    await refuseDeclaredEmail(operation, edit.email ?? before.email);
  }
  if (edit.email !== undefined && !another) await refuseKnownEmail(store, edit.email, id);
  const newId = newIdOf(operation);
  await store.changeCustomer(id, edit, { ...by, tiers: config.tiers, newMailId: () => newId("mail") });
  const customer = await requireCustomer(store, id);
  if (edit.enabled === true && !customer.enabled) {
    throw new Refusal("customer_stays_unpaid", { customer: id });
  }
  const held = (await store.listSubscriptions(id)).filter(({ disabledBy }) => disabledBy === "tier");
  return { customer, held };
}

/** The files of emails, if the config has no mail server. */
export interface Outbox {
  exists(path: string): Promise<boolean>;
  list(folder: string): Promise<FolderListing>;
  removeFile(path: string): Promise<void>;
}

interface ErasedCustomer {
  /** The number of emails that were removed from the outbox. */
  letters: number;
  /** Whether the payment provider still charges the customer. */
  isPaying: boolean;
}

export async function eraseCustomer(
  { config, store, files }: Operation & { files: Outbox },
  id: string,
  by: Act,
): Promise<ErasedCustomer> {
  await requireErasable(store, id);
  const account = await store.findAccount(id);
  // Removes the files before the list of emails is erased and again afterwards, because a server may add a file.
  const ids = new Set((await store.listMails({ limit: ALL, customerId: id })).map((mail) => mail.id));
  const { outbox } = config.mail;
  const removed = await removeLetters(files, outbox, ids);
  if (!await store.eraseCustomer(id, by)) throw new Refusal("customer_erased", { customer: id });
  const letters = removed + await removeLetters(files, outbox, ids);
  return { letters, isPaying: account?.payment?.access === "granted" };
}

/** Returns the customer. Throws a {@link Refusal} if the config still declares it, or if it does not exist. */
export async function requireErasable(store: Store, id: string): Promise<Customer> {
  const customer = await requireCustomer(store, id);
  // A declared customer that is disabled has been removed from the config.
  if (customer.declared && customer.enabled) throw new Refusal("customer_still_declared", { customer: id });
  return customer;
}

/** Removes emails from the outbox, and returns how many. The name of a welcome email's file includes the attempt. */
async function removeLetters(files: Outbox, outbox: string, mailIds: ReadonlySet<string>): Promise<number> {
  if (mailIds.size === 0 || !await files.exists(outbox)) return 0;
  const letters = (await files.list(outbox)).files.map(({ name }) => name).filter((name) => {
    const id = /^(mail_[^.]+)(?:\.\d+)?\.eml$/.exec(name)?.[1];
    return id !== undefined && mailIds.has(id);
  });
  for (const name of letters) await files.removeFile(join(outbox, name));
  return letters.length;
}

/** Returns the customer. Throws a {@link Refusal} if the config declares it, or if it was erased. */
export async function requireChangeable(store: Store, id: string): Promise<Customer> {
  const account = await store.findAccount(id);
  if (account === null) throw new Refusal("customer_unknown", { customer: id });
  if (account.customer.declared) throw new Refusal("customer_declared", { customer: id });
  if (account.erasedAtMs !== null) throw new Refusal("customer_erased", { customer: id });
  return account.customer;
}

async function requireCustomer(store: Store, id: string): Promise<Customer> {
  const customer = await store.findCustomer(id);
  if (customer === null) throw new Refusal("customer_unknown", { customer: id });
  return customer;
}

/** Finds the customers with this email address, ignoring case. */
export async function findByEmail(store: Store, email: string): Promise<Customer[]> {
  const customers = (await store.listCustomers()).map(({ customer }) => customer);
  return customers.filter((customer) => isSameEmail(customer.email, email));
}

function isSameEmail(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

async function refuseDeclaredEmail({ config, store }: Operation, email: string): Promise<void> {
  if (email === "") return;
  const inFile = config.customers.find((one) => isSameEmail(one.email, email));
  const inStore = (await findByEmail(store, email)).find(({ declared, enabled }) => declared && enabled);
  const holder = inFile?.name ?? inStore?.id;
  if (holder !== undefined) throw new Refusal("email_declared", { email, holder });
}

async function refuseKnownEmail(store: Store, email: string, except?: string): Promise<void> {
  const known = (await findByEmail(store, email)).filter(({ id }) => id !== except);
  if (known.length === 0) return;
  throw new Refusal("email_known", {
    email,
    customers: known.map(({ id }) => id).join(", "),
    isNew: String(except === undefined),
    // Only the config changes the key of a declared customer.
    mayRotate: String(known.some(({ declared }) => !declared)),
  });
}
