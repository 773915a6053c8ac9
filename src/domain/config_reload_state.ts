// Whether the config that was read last is active.

/** `ok`: the config is active. `refused`: it is invalid or conflicts with stored data; an earlier one is active. */
export const CONFIG_STATES = ["ok", "refused"] as const;

export type ConfigState = typeof CONFIG_STATES[number];
