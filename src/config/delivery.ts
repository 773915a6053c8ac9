// The [delivery] table.
import type { CheckedFile } from "./schema.ts";

/** Settings of deliveries. */
export interface DeliveryConfig {
  allowHttp: boolean;
  /** CIDRs of non-public addresses that webhooks may use. */
  allowNetworks: string[];
  /** The ports that webhooks may use; empty: 80, 443 and higher ports without another protocol. */
  allowPorts: number[];
  /** Limit of one attempt: DNS, connection, request and response. */
  timeoutMs: number;
  concurrency: number;
  /** At most `concurrency`. */
  concurrencyPerSubscription: number;
  /** How long bodies and attempts of finished deliveries are kept. */
  keepDeliveredMs: number;
  /** How long finished deliveries are kept; at least `keepDeliveredMs`. */
  keepLogMs: number;
}

/** The settings of deliveries. */
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
