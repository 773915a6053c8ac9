// Rules for API keys: labels and validity.
import type { ApiKey } from "./customer.ts";

/** The label of a customer's first key. */
export const DEFAULT_LABEL = "default";

/** Letters and digits, with spaces, dots, underscores and hyphens between them. A label cannot be an email address. */
const LABEL = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]{0,38}[\p{L}\p{N}])?$/u;

export function isKeyLabel(text: string): boolean {
  return LABEL.test(text);
}

export type KeyState = "valid" | "expiring" | "disabled";

/** Returns a key's state. A key that expires is still accepted, because a newer key is replacing it. */
export function keyStateOf(
  { disabledAtMs, validUntilMs }: Pick<ApiKey, "disabledAtMs" | "validUntilMs">,
  nowMs: number,
): KeyState {
  if (disabledAtMs !== null) return "disabled";
  if (validUntilMs === null) return "valid";
  return nowMs < validUntilMs ? "expiring" : "disabled";
}

/** Returns the label, or the label with the lowest number from 2 that is not taken: `default 2`. */
export function freeLabel(label: string, taken: readonly (string | null)[]): string {
  let free = label;
  for (let number = 2; taken.includes(free); number++) free = `${label} ${number}`;
  return free;
}

/** Returns the keys with this label, or, if there is none, those with these last four characters, such as `…1a2b`. */
export function findNamedKeys(keys: readonly ApiKey[], named: string): ApiKey[] {
  const labelled = keys.filter(({ label }) => label === named);
  return labelled.length > 0 ? labelled : keys.filter(({ lastFour }) => lastFour === named.replace(/^…/, ""));
}
