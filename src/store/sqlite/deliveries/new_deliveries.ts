// Creates pending and held deliveries in SQLite: collects them, and then numbers and writes them together.
import type { HoldReason } from "../../../domain/delivery/delivery.ts";
import type { RegEvent } from "../../../domain/event/event.ts";
import type { NewDelivery } from "../../../domain/ports/store/deliveries.ts";
import type { Candidate } from "./candidate_subscriptions.ts";
import type { Connection } from "../connection/connection.ts";
import type { MonthQuota } from "../customers/month_quota.ts";
import { sql } from "../connection/sql.ts";

interface Made {
  delivery: NewDelivery;
  eventId: string;
  customerId: string;
  hold: HoldReason | null;
  atMs: number;
  isReplay: boolean;
}

/** The deliveries to create in a transaction. {@link NewDeliveries.write} writes those added since its last call. */
export class NewDeliveries {
  #made: Made[] = [];
  /** The event last passed to `add`, whether the store has deliveries of it, and its subscriptions added since. */
  #event = { id: "", isStored: false, subscriptions: new Set<string>() };

  constructor(readonly connection: Connection, readonly quota: MonthQuota, readonly nowMs: number) {}

  /**
   * Adds a delivery, due at once or at `atMs`. Returns its status, null if the subscription already has a delivery of
   * the event, or "full" if it must be held, but `mayHold` is false or the limit on held deliveries has been reached.
   */
  add({ delivery, event, candidate, atMs = this.nowMs, isReplay = false, mayHold = true }: {
    delivery: NewDelivery;
    event: RegEvent;
    candidate: Candidate;
    atMs?: number;
    isReplay?: boolean;
    mayHold?: boolean;
  }): "pending" | "held" | "full" | null {
    const { subscription, customerEnabled } = candidate;
    if (this.#isThere(subscription.id, event.id)) return null;
    const { customerId } = subscription;
    const off = subscription.disabledAtMs !== null || !customerEnabled;
    const hold: HoldReason | null = off ? "disabled" : this.quota.of(customerId).take() ? null : "quota";
    if (hold !== null && (!mayHold || !this.quota.of(customerId).takeHeld())) return "full";
    this.#event.subscriptions.add(subscription.id);
    this.#made.push({ delivery, eventId: event.id, customerId, hold, atMs, isReplay });
    return hold === null ? "pending" : "held";
  }

  /** Writes the added deliveries, and numbers them within their subscriptions. */
  write(): void {
    if (this.#made.length === 0) return;
    const made = this.#made;
    this.#made = [];
    this.#event = { id: "", isStored: false, subscriptions: new Set() };
    const numbers = nextNumbers(this.connection, made);
    const endings = this.#writeEndings(made);
    for (const { delivery, eventId, customerId, hold, atMs, isReplay } of made) {
      const { id, subscriptionId, ending } = delivery;
      const sequence = numbers.get(subscriptionId);
      if (sequence === undefined) {
        throw new Error(`no sequence number for subscription ${subscriptionId}`);
      }
      numbers.set(subscriptionId, sequence + 1);
      const [status, month] = hold === null ? ["pending", this.quota.month] : ["held", null];
      const row = this.connection.get(
        sql`insert into deliveries (id, customer_id, subscription_id, event_id, sequence, status, hold_reason,
            next_attempt_at, decided_at, quota_month, created_at, is_replay)
          values (${id}, ${customerId}, ${subscriptionId}, ${eventId}, ${sequence}, ${status}, ${hold},
            ${atMs}, ${this.nowMs}, ${month}, ${this.nowMs}, ${isReplay ? 1 : 0}) returning seq`,
      );
      const shared = endings.get(ending) ?? null;
      const body = delivery.opening(sequence) + (shared === null ? ending : "");
      this.connection.run(
        sql`insert into delivery_bodies (delivery_seq, body, ending_seq)
          values (${row?.["seq"] ?? null}, ${body}, ${shared})`,
      );
    }
  }

  /** Whether the delivery already exists. In a restored store, its event may still be in the outbox. */
  #isThere(subscriptionId: string, eventId: string): boolean {
    if (this.#event.id !== eventId) {
      const any = this.connection.get(sql`select 1 from deliveries where event_id = ${eventId} limit 1`);
      this.#event = { id: eventId, isStored: any !== undefined, subscriptions: new Set() };
    }
    if (this.#event.subscriptions.has(subscriptionId)) return true;
    return this.#event.isStored && this.connection.get(
          sql`select 1 from deliveries where event_id = ${eventId} and subscription_id = ${subscriptionId}`,
        ) !== undefined;
  }

  /** Writes the endings that several bodies share. Returns the id of each. */
  #writeEndings(made: readonly Made[]): Map<string, number> {
    const users = new Map<string, number>();
    for (const { delivery: { ending } } of made) users.set(ending, (users.get(ending) ?? 0) + 1);
    const ids = new Map<string, number>();
    for (const [ending, count] of users) {
      if (count === 1) continue;
      const row = this.connection.get(
        sql`insert into body_endings (ending) values (${ending}) returning ending_seq`,
      );
      ids.set(ending, Number(row?.["ending_seq"]));
    }
    return ids;
  }
}

function nextNumbers(connection: Connection, made: readonly Made[]): Map<string, number> {
  const ids = new Set(made.map(({ delivery }) => delivery.subscriptionId));
  const rows = connection.all(
    sql`select id, max(next_sequence,
       1 + coalesce((select max(sequence) from deliveries where subscription_id = subscriptions.id),
         0)) as number
     from subscriptions where id in (select value from json_each(${JSON.stringify([...ids])}))`,
  );
  return new Map(rows.map((row) => [String(row["id"]), Number(row["number"])]));
}
