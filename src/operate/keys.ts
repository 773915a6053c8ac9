// Adds, replaces and disables the API keys of customers.
import { makeKey } from "../accounts/keys.ts";
import { DEFAULT_LABEL, keyStateOf } from "../domain/customer/api_key.ts";
import type { Act } from "../domain/customer/audit.ts";
import type { ApiKey, Customer } from "../domain/customer/customer.ts";
import { Refusal } from "../domain/operator/refusal.ts";
import { type NewKey, requireChangeable } from "./customers.ts";
import { newIdOf, type Operation } from "./operation.ts";

export async function addKey(operation: Operation, id: string, label: string, by: Act): Promise<NewKey> {
  const { clock, random, store } = operation;
  const customer = await requireChangeable(store, id);
  const { key, stored } = makeKey((count) => random.bytes(count), clock.nowMs(), label);
  if (!await store.addKey(id, stored, by)) throw new Refusal("label_taken", { customer: id, label });
  return { customer, key, label };
}

interface RotatedKey extends NewKey {
  replaced: ApiKey[];
}

/** Replaces the keys with the label of `old`. With null, adds a key with the default label. */
export async function rotateKey(
  operation: Operation,
  id: string,
  { old, overlapMs }: {
    old: Pick<ApiKey, "label"> | null;
    /** How long the old key stays valid, ms, or null to disable it at once. */
    overlapMs: number | null;
  },
  by: Act,
): Promise<RotatedKey> {
  const { clock, random, store } = operation;
  const customer = await requireChangeable(store, id);
  const nowMs = clock.nowMs();
  const label = old?.label ?? DEFAULT_LABEL;
  const { key, stored } = makeKey((count) => random.bytes(count), nowMs, label);
  const replaced = await store.rotateKey(id, stored, {
    ...by,
    oldUntilMs: overlapMs === null ? null : nowMs + overlapMs,
    // The customer gets an email without the key, which only the operator sees.
    mailId: customer.email === "" ? null : newIdOf(operation)("mail"),
  });
  return { customer, key, label, replaced: replaced ?? [] };
}

interface DisabledKeys {
  customer: Customer;
  /** The keys that are still accepted. */
  left: ApiKey[];
}

/** Disables a key, or with null all keys. */
export async function disableKeys(
  { clock, store }: Operation,
  id: string,
  hash: string | null,
  by: Act,
): Promise<DisabledKeys> {
  const customer = await requireChangeable(store, id);
  await store.disableKeys(id, hash, by);
  const keys = (await store.findAccount(id))?.keys ?? [];
  const nowMs = clock.nowMs();
  return { customer, left: keys.filter((key) => keyStateOf(key, nowMs) !== "disabled") };
}
