// Plans what happens to a customer's old keys when a new key replaces them.
import { keyStateOf } from "../customer/api_key.ts";
import type { ApiKey } from "../customer/customer.ts";

interface KeyRotation {
  /** The label of the new key. The customer's keys with this label are replaced. */
  label: string | null;
  /** Until when the replaced keys are valid, Unix ms, or null if they are disabled at once. */
  oldUntilMs: number | null;
  nowMs: number;
}

/** Returns the replaced keys with their new ends. A key that ends earlier keeps its end. */
export function planRotation(
  keys: readonly ApiKey[],
  { label, oldUntilMs, nowMs }: KeyRotation,
): ApiKey[] {
  const replaced = keys.filter((key) => key.label === label && keyStateOf(key, nowMs) !== "disabled");
  if (oldUntilMs === null) return replaced.map((key) => ({ ...key, disabledAtMs: nowMs }));
  return replaced.map((key) => ({
    ...key,
    validUntilMs: Math.min(key.validUntilMs ?? oldUntilMs, oldUntilMs),
  }));
}
