// The part of the Store port for payments.
import type { Act } from "../../customer/audit.ts";
import type { KeptPayment, PaymentEvent, PaymentOutcome, PaymentVerdict } from "../../customer/payment.ts";
import type { NewId } from "../../event/ids.ts";
import type { TierTable } from "./customers.ts";

/** A change of access. `in_grace`: access is restored without a payment, because the grace period has not ended. */
export type AccessChange = "ended" | "restored" | "in_grace";

export interface PaymentReview {
  nowMs: number;
  tiers: TierTable;
  /** Returns the verdict on all events of a payer. Must be pure, and must not depend on the order of the events. */
  judge(events: readonly PaymentEvent[]): PaymentVerdict;
  /** Called for each change of access. If the call throws, the change does not take effect. */
  noteAccess(customerId: string, access: AccessChange): void;
  newId: NewId;
}

/** Payments. Each call is one transaction, except {@link reviewPayers}. */
export interface PaymentStore {
  /** Stores a payment event once, and applies the verdict on all events of its payer. */
  recordPayment(event: PaymentEvent, review: PaymentReview): Promise<PaymentOutcome>;
  /** Applies the verdict on this event's payer again. Returns null if the event does not exist. */
  replayPayment(id: string, review: PaymentReview, by: Act): Promise<PaymentOutcome | null>;
  /** Judges the payers whose grace period is over, or all payers, each in its own transaction. Returns their number. */
  reviewPayers(which: "grace" | "all", review: PaymentReview): Promise<number>;
  /** Lists payments, newest first by receipt; with `before`, only those that follow the event with that id. */
  listPayments(query: { limit: number; before?: string; customerId?: string }): Promise<KeptPayment[]>;
  findPayment(id: string): Promise<KeptPayment | null>;
}
