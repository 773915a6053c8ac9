// The audit log of who did what to which customer. Entries are never deleted.

export interface Act {
  /** One of `cli:USER`, `payment:EVENT`, `config` and `service`. */
  actor: string;
  atMs: number;
}

export interface AuditEntry extends Act {
  seq: number;
  /** The name of the act, such as `customer.add` or `key.rotate`. */
  act: string;
  /** Null if the act does not concern a customer. */
  customerId: string | null;
  /** The changed fields with their values before and after, except secrets and email addresses. */
  change: Record<string, unknown>;
}
