// What the config says of deliveries.
import type { CheckedFile } from "./schema.ts";

/** How, where to and for how long deliveries are made and kept. */
export interface DeliveryConfig {
  /** Whether webhooks may go to http addresses. */
  allowHttp: boolean;
  /** CIDRs that webhooks may go to although they are not public. */
  allowNetworks: string[];
  /** The only ports that webhooks may go to; empty: those of the web, and those above that belong to no other protocol. */
  allowPorts: number[];
  /** For one attempt: DNS, connection, sending and answer together. */
  timeoutMs: number;
  /** Attempts made at the same time. */
  concurrency: number;
  /** The same for one subscription; never more than `concurrency`. */
  concurrencyPerSubscription: number;
  /** How long bodies and attempts of deliveries that are over are kept. */
  keepDeliveredMs: number;
  /** How long the deliveries themselves are kept after they were over; never less than `keepDeliveredMs`. */
  keepLogMs: number;
}

/** The part of a checked file that concerns deliveries. */
export function buildDelivery(file: CheckedFile["delivery"]): DeliveryConfig {
  return {
    allowHttp: file.allow_http,
    allowNetworks: file.allow_networks,
    allowPorts: file.allow_ports,
    timeoutMs: file.timeout,
    concurrency: file.concurrency,
    concurrencyPerSubscription: Math.min(
      file.concurrency_per_subscription,
      file.concurrency,
    ),
    keepDeliveredMs: file.keep_delivered,
    keepLogMs: Math.max(file.keep_log, file.keep_delivered),
  };
}
