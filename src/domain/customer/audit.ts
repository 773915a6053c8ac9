// The audit: who did what to which customer, for ever.

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
  /** What was done: `customer.add`, `key.replace`. */
  act: string;
  /** Null where no customer is concerned. */
  customerId: string | null;
  /** What changed, ready for JSON: fields with what stood before and after. No secret, no mail address. */
  change: Record<string, unknown>;
}
