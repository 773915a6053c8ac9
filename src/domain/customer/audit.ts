// The audit: who did what to which customer; entries are never deleted.

/** Who acts, and when. */
export interface Act {
  /** `cli:USER`, `payment:EVENT`, `config` or `service`. */
  actor: string;
  /** Unix ms. */
  atMs: number;
}

/** One entry. */
export interface AuditEntry extends Act {
  /** Grows by one with each entry. */
  seq: number;
  /** The act: `customer.add`, `key.replace`. */
  act: string;
  /** Null where no customer is concerned. */
  customerId: string | null;
  /** The changed fields with their values before and after, without secrets and email addresses. */
  change: Record<string, unknown>;
}
