// An attempt under way: from its start until it is recorded.
import type { AttemptResult, ClaimedDelivery } from "../domain/delivery.ts";

/** An attempt under way; neither promise rejects. */
export class Attempt {
  readonly sent: Promise<AttemptResult>;
  /** Settles when it is recorded, or given up. */
  readonly recorded: Promise<void>;

  /** Starts at once; neither function rejects. */
  constructor(
    readonly delivery: ClaimedDelivery,
    readonly startedAtMs: number,
    send: (attempt: Attempt) => Promise<AttemptResult>,
    record: (attempt: Attempt, result: AttemptResult) => Promise<void>,
  ) {
    this.sent = send(this);
    this.recorded = this.sent.then((result) => record(this, result));
  }
}
