// The audit log of who changed what. Entries are never deleted.

export interface Act {
  /** One of `cli:USER`, `console:NAME`, `payment:EVENT`, `config` and `service`. */
  actor: string;
  /** The IP address of an operator in the console. */
  address?: string;
  atMs: number;
}

export interface AuditEntry extends Act {
  seq: number;
  /** One of {@link ACTS}, or an act of an older version. */
  act: string;
  /** Null if the act does not concern a customer. */
  customerId: string | null;
  /** The changed fields with their values before and after, except secrets and email addresses. */
  change: Record<string, unknown>;
}

/** The acts in the audit log. */
export const ACTS = [
  "customer.add",
  "customer.change",
  "customer.erase",
  "key.add",
  "key.rotate",
  "key.disable",
  "key.declare",
  "key.welcome",
  "subscription.hold",
  "subscription.return",
  "delivery.send",
  "delivery.replay",
  "mail.retry",
  "mail.cancel",
  "payment.replay",
  "source.fetch",
  "source.release",
  "source.discard",
  "backup.create",
  "console.link",
  "console.sign-in",
  "session.end",
  "secrets.give-up",
  "store.new-key",
] as const;

export type ActName = typeof ACTS[number];

/** Which entries to list, newest first. All filters must match. */
export interface AuditQuery {
  limit: number;
  /** Only entries with a lower `seq`. */
  before?: number;
  customerId?: string;
  acts?: readonly string[];
  /** The beginning of the actor, such as `cli:`. */
  actor?: string;
  /** Only entries at or after `sinceMs` and before `untilMs`, Unix ms. */
  sinceMs?: number;
  untilMs?: number;
}
