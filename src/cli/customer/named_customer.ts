// Finds the customer that a command names, and formats customers.
import type { Act } from "../../domain/customer/audit.ts";
import type { ApiKey, Customer } from "../../domain/customer/customer.ts";
import { keyStateOf } from "../../domain/customer/api_key.ts";
import { declaredCustomerId, UNKNOWN_LAST_FOUR } from "../../domain/customer/declared_customers.ts";
import { isId } from "../../domain/event/ids.ts";
import type { Platform } from "../../domain/ports/ports.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { findByEmail, requireChangeable as requireChangeableId } from "../../operate/customers.ts";
import { type CommandCall, CommandError } from "../../server/command_context.ts";
import { print } from "../print.ts";

export const CUSTOMER_OPTION = {
  customer: {
    kind: "text",
    value: "CUSTOMER",
    help: "only this customer: an id, an email address, or a name in the config",
  },
} as const;

/** Returns who acts now, for the audit log: the user at the terminal, even under sudo. */
export function actOf({ host }: CommandCall, { clock }: Pick<Platform, "clock">): Act {
  const given = ["SUDO_USER", "USER", "LOGNAME", "USERNAME"].map((name) => host.env(name)).find(isUserName);
  return { actor: `cli:${given ?? host.user() ?? "unknown"}`, atMs: clock.nowMs() };
}

function isUserName(text: string | undefined): boolean {
  return text !== undefined && /^[\p{L}\p{N}._@\\$ -]{1,64}$/u.test(text);
}

/** Finds the customer that the first positional names by id, by name in the config, or by a unique email address. */
export async function requireCustomer(call: CommandCall, store: Store): Promise<Customer> {
  const named = call.positionals[0] ?? "";
  const found = named.includes("@") ? await findByEmail(store, named) : await findById(store, named);
  const [customer, ...others] = found;
  if (customer === undefined) {
    throw new CommandError(`there is no customer ${named}; \`regfeed customer list\` shows all customers`);
  }
  if (others.length > 0) {
    throw new CommandError(
      `${found.length} customers have the email address ${named}; use one of the ids: ${idsOf(found)}`,
    );
  }
  return customer;
}

/** Finds the named customer. Throws if the customer is declared in the config or was erased. */
export async function requireChangeable(call: CommandCall, store: Store): Promise<Customer> {
  return await requireChangeableId(store, (await requireCustomer(call, store)).id);
}

async function findById(store: Store, named: string): Promise<Customer[]> {
  if (isId("customer", named)) {
    const customer = await store.findCustomer(named);
    return customer === null ? [] : [customer];
  }
  const declared = await store.findCustomer(declaredCustomerId(named));
  return declared?.declared === true ? [declared] : [];
}

function idsOf(customers: readonly Customer[]): string {
  return customers.map(({ id }) => id).join(", ");
}

/** Returns a filter for the customer that `--customer` names, or an empty one without the option. */
export async function customerOf(call: CommandCall, store: Store): Promise<{ customerId?: string }> {
  const named = call.texts.get("customer");
  if (named === undefined) return {};
  return { customerId: (await requireCustomer({ ...call, positionals: [named] }, store)).id };
}

export function publicFields(
  { id, email, tier, enabled, createdAtMs }: Customer,
): Pick<Customer, "id" | "email" | "tier" | "enabled"> & { created_at: number } {
  return { id, email, tier, enabled, created_at: createdAtMs };
}

/** Returns the fields that identify a key without revealing it. For a declared key, only the hash is known. */
export function keyFields(key: ApiKey, nowMs: number): Record<string, unknown> {
  const { label, lastFour, hash, createdAtMs, lastUsedAtMs, validUntilMs, disabledAtMs } = key;
  const isDeclared = lastFour === UNKNOWN_LAST_FOUR;
  const isOver = keyStateOf(key, nowMs) === "disabled";
  return {
    label,
    ...(isDeclared ? { last_four: null, key_sha256: hash } : { last_four: lastFour }),
    created_at: createdAtMs,
    last_used_at: lastUsedAtMs,
    valid_until: validUntilMs,
    // Null means that the key is accepted, so the end of an overlap counts as well.
    disabled_at: disabledAtMs ?? (isOver ? validUntilMs : null),
  };
}

/** Returns what tells a key apart from others without revealing it: `…1a2b`, or the beginning of the hash. */
export function nameOfKey({ lastFour, hash }: ApiKey): string {
  return lastFour === UNKNOWN_LAST_FOUR ? `sha256:${hash.slice(0, 8)}…` : `…${lastFour}`;
}

/** Prints a new key, which is stored nowhere, with further fields in JSON and further lines for people. */
export function printKey(
  call: CommandCall,
  { customer, key, label }: { customer: Customer; key: string; label: string | null },
  { fields = {}, lines = "" }: { fields?: Record<string, unknown>; lines?: string } = {},
): void {
  const { id, email, tier } = customer;
  print(
    call,
    { customer: publicFields(customer), key, label, ...fields },
    () =>
      `customer  ${id}\nemail     ${email}\ntier      ${tier}\nlabel     ${label}\nkey       ${key}\n${lines}`,
  );
  if (!call.flags.has("json")) call.host.err("This key is shown only now and cannot be recovered.\n");
}

export function printCustomer(call: CommandCall, customer: Customer, what: string): void {
  print(call, { customer: publicFields(customer) }, () => `${customer.id} ${what}\n`);
}
