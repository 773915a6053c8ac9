// Whether the config that was read last is in force.

/** `ok`: it is in force. `refused`: it has errors or contradicts what is stored; the previous config stays active. */
export const CONFIG_STATES = ["ok", "refused"] as const;

export type ConfigState = typeof CONFIG_STATES[number];
