// The audit: who did what to which customer; entries are never deleted.

export interface Act {
  /** `cli:USER`, `payment:EVENT`, `config` or `service`. */
  actor: string;
  /** Unix ms. */
  atMs: number;
}

export interface AuditEntry extends Act {
  seq: number;
  /** `customer.add`, `key.replace`. */
  act: string;
  /** Null if the act does not concern a customer. */
  customerId: string | null;
  /** The changed fields with their values before and after, without secrets and email addresses. */
  change: Record<string, unknown>;
}
