// Finds the customer that a command names, and formats customers.
import type { Act } from "../../domain/customer/audit.ts";
import type { ApiKey, Customer } from "../../domain/customer/customer.ts";
import { declaredCustomerId, UNKNOWN_LAST_FOUR } from "../../domain/customer/declared_customers.ts";
import { isId } from "../../domain/event/ids.ts";
import type { Platform } from "../../domain/ports/ports.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { type CommandCall, CommandError } from "../../server/command_context.ts";

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
    throw new CommandError(`there is no customer ${named}; \`customer list\` shows all customers`);
  }
  if (others.length > 0) {
    throw new CommandError(
      `${found.length} customers have the email address ${named}; use one of the ids: ${idsOf(found)}`,
    );
  }
  return customer;
}

async function findById(store: Store, named: string): Promise<Customer[]> {
  if (isId("customer", named)) {
    const customer = await store.findCustomer(named);
    return customer === null ? [] : [customer];
  }
  const declared = await store.findCustomer(declaredCustomerId(named));
  return declared?.declared === true ? [declared] : [];
}

/** Finds the customers with this email address, ignoring case. */
export async function findByEmail(store: Store, email: string): Promise<Customer[]> {
  const customers = (await store.listCustomers()).map(({ customer }) => customer);
  return customers.filter((customer) => customer.email.toLowerCase() === email.toLowerCase());
}

export function idsOf(customers: readonly Customer[]): string {
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
export function keyFields({ lastFour, hash, createdAtMs, disabledAtMs }: ApiKey): Record<string, unknown> {
  const isDeclared = lastFour === UNKNOWN_LAST_FOUR;
  return {
    ...(isDeclared ? { last_four: null, key_sha256: hash } : { last_four: lastFour }),
    created_at: createdAtMs,
    disabled_at: disabledAtMs,
  };
}
