// Whether the config that was read last is in force.

/** `ok`: the config is in force. `refused`: it is invalid or conflicts with stored data, so the old one stays. */
export const CONFIG_STATES = ["ok", "refused"] as const;

export type ConfigState = typeof CONFIG_STATES[number];
