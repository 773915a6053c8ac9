// Whether the config that was read last is the one that the service works by.

/**
 * `ok`: it is in force. `waiting`: it will be as soon as something can be stored. `refused`: it is wrong, or contradicts
 * what is stored; the one before it goes on.
 */
export const CONFIG_STATES = ["ok", "waiting", "refused"] as const;

/** See {@link CONFIG_STATES}. */
export type ConfigState = typeof CONFIG_STATES[number];
