// Whether the config that was read last is in force.

/** `ok`: it is in force. `refused`: it is invalid or conflicts with stored data; the previous config stays active. */
export const CONFIG_STATES = ["ok", "refused"] as const;

export type ConfigState = typeof CONFIG_STATES[number];
