// Replays in SQLite: restarts the schedules of finished deliveries, and creates missing deliveries.
import type { DeliveryStatus } from "../../../domain/delivery/delivery.ts";
import type { RegEvent } from "../../../domain/event/event.ts";
import type {
  EventRange,
  QuotaTerms,
  Replayed,
  ReplayRefusal,
} from "../../../domain/ports/store/deliveries.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import { replayRefusal } from "../../../domain/plans/replay.ts";
import { noteAct } from "../customers/audit.ts";
import { type Candidate, readCandidate } from "./candidate_subscriptions.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { countDaily } from "../customers/daily_usage.ts";
import { findDelivery } from "./delivery_log.ts";
import { applyTrigger, findState } from "./delivery_states.ts";
import { eventById, SERVED_JSON } from "../events/served_record.ts";
import { MonthQuota } from "../customers/month_quota.ts";
import { NewDeliveries } from "./new_deliveries.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createReplays(connection: Connection): Part<"replayDelivery" | "replayEvents"> {
  return {
    replayDelivery: (customerId, id, terms) =>
      connection.transaction("durable", () => {
        const row = connection.get(
          sql`select ${REPLAYED_COLUMNS} from deliveries where id = ${id} and customer_id = ${customerId}`,
        );
        const refusal = row === undefined ? "unknown" : refusalOf(connection, row);
        if (refusal !== null) return refusal;
        const { replaysPerDay, nowMs } = terms;
        if (replaysPerDay !== undefined) {
          const request = { action: "replays", count: 1, limit: replaysPerDay, nowMs } as const;
          if (!countDaily(connection, customerId, request).granted) return "limit_reached";
        }
        const quota = new MonthQuota(connection, terms.month, terms.tiers);
        if (row !== undefined) {
          sendAgain(connection, { row, customerId, quota, atMs: terms.nowMs, nowMs: terms.nowMs });
        }
        quota.settle(terms);
        if (terms.by !== undefined) {
          noteAct(connection, terms.by, "delivery.replay", customerId, { delivery: id });
        }
        return findDelivery(connection, customerId, id) ?? "unknown";
      }),

    replayEvents: (customerId, subscriptionId, stretch) => {
      const replay = () => {
        const candidate = readCandidate(connection, subscriptionId);
        if (candidate?.subscription.customerId !== customerId) return "unknown";
        if (candidate.subscription.disabledAtMs !== null) return "disabled";
        return replayStretch(connection, candidate, stretch);
      };
      if (stretch.isDryRun) return replay();
      try {
        return connection.transaction("durable", () => {
          const outcome = replay();
          if (typeof outcome !== "string") {
            takeReplays(connection, customerId, outcome, stretch);
          }
          return outcome;
        });
      } catch (error) {
        if (error instanceof LimitReached) return "limit_reached";
        throw error;
      }
    },
  };
}

/** Thrown to roll back a replay that exceeds the limit, because the number of replays is known only at the end. */
class LimitReached extends Error {}

function takeReplays(
  connection: Connection,
  customerId: string,
  { replayed, created }: Replayed,
  { replaysPerDay: limit, nowMs }: Pick<EventRange & QuotaTerms, "replaysPerDay" | "nowMs">,
): void {
  const request = { action: "replays", count: replayed + created, limit, nowMs } as const;
  if (!countDaily(connection, customerId, request).granted) throw new LimitReached();
}

const REPLAYED_COLUMNS = sql`seq, id, subscription_id, status, pruned, quota_month`;

function refusalOf(connection: Connection, row: Row): ReplayRefusal | null {
  const subscription = connection.get(
    sql`select disabled_at, deleted_at, enabled
      from subscriptions join customers on customers.id = customer_id
      where subscriptions.id = ${String(row["subscription_id"])}`,
  );
  return replayRefusal({
    status: row["status"] as DeliveryStatus,
    isPruned: row["pruned"] === 1,
    subscription: {
      isDeleted: subscription?.["deleted_at"] !== null,
      isDisabled: subscription?.["disabled_at"] !== null,
    },
    customerEnabled: subscription?.["enabled"] === 1,
  });
}

/** Replays a finished delivery. Returns false if it is held because the month's quota is used up. */
function sendAgain(
  connection: Connection,
  { row, customerId, quota, atMs, nowMs }: {
    row: Row;
    customerId: string;
    quota: MonthQuota;
    atMs: number;
    nowMs: number;
  },
): boolean {
  const id = String(row["id"]);
  const apply = (trigger: "replayed" | "quota-spent"): void => {
    const state = findState(connection, id);
    if (state === null) throw new Error(`no delivery ${id} to send again`);
    applyTrigger(connection, state, { trigger, nowMs, month: quota.month, retry: { atMs } });
  };
  // A delivery that already counts towards a quota is not counted again.
  const goes = row["quota_month"] !== null || quota.of(customerId).admits();
  apply("replayed");
  if (!goes) apply("quota-spent");
  return goes;
}

function replayStretch(
  connection: Connection,
  candidate: Candidate,
  stretch: Parameters<Store["replayEvents"]>[2],
): Replayed {
  const { id: subscriptionId, customerId } = candidate.subscription;
  const quota = new MonthQuota(connection, stretch.month, stretch.tiers);
  const replayed: Replayed = { replayed: 0, created: 0, held: 0, lastEventId: null };
  const events = connection.all(
    // Quarantined events are not delivered until they are released.
    sql`select id, seq, published_at, ${SERVED_JSON} from events where id > ${stretch.afterId}
      and id < ${stretch.beforeId}
       and not exists (select 1 from quarantined_events where event_seq = events.seq)
     order by id limit ${stretch.maxEvents}`,
  );
  const made = new NewDeliveries(connection, quota, stretch.nowMs);
  const comes = comingOfThePast(connection, subscriptionId);
  for (const { id, seq, published_at, json } of events) {
    const position = replayed.replayed + replayed.created;
    if (position >= stretch.maxDeliveries) break;
    if (replayed.isFull) break;
    const before = replayed.lastEventId;
    replayed.lastEventId = String(id);
    const atMs = stretch.nowMs + stretch.firstPosition + position;
    const row = connection.get(
      sql`select ${REPLAYED_COLUMNS} from deliveries
        where subscription_id = ${subscriptionId} and event_id = ${String(id)}`,
    );
    if (row !== undefined) {
      if (refusalOf(connection, row) !== null) continue;
      replayed.replayed++;
      if (stretch.isDryRun) continue;
      if (!sendAgain(connection, { row, customerId, quota, atMs, nowMs: stretch.nowMs })) replayed.held++;
      continue;
    }
    if (comes(Number(seq), Number(published_at))) continue;
    const event: RegEvent = JSON.parse(String(json));
    const previous = event.supersedes === null ? null : eventById(connection, event.supersedes);
    for (const delivery of stretch.deliveriesFor({ event, previous }, [candidate.subscription])) {
      const status = made.add({ delivery, event, candidate, atMs, isReplay: true });
      if (status === "full") {
        replayed.lastEventId = before;
        replayed.isFull = true;
        break;
      }
      replayed.created++;
      if (status === "held") replayed.held++;
    }
  }
  if (!stretch.isDryRun) {
    made.write();
    quota.settle(stretch);
  }
  return replayed;
}

/** Returns a predicate for events that the subscription will get by catching up. Replaying them would be too early. */
function comingOfThePast(
  connection: Connection,
  subscriptionId: string,
): (seq: number, publishedAtMs: number) => boolean {
  const row = connection.get(
    sql`select backfill_since, backfill_seq, after_seq, resume_after from subscriptions
      where id = ${subscriptionId} and resume_after is not null`,
  );
  if (row === undefined) return () => false;
  const { backfill_since: sinceMs, backfill_seq: done } = row;
  return (seq, publishedAtMs) =>
    seq <= Number(row["after_seq"])
      ? done !== null && seq > Number(done) && publishedAtMs >= Number(sinceMs)
      : connection.get(
        sql`select 1 from match_log where event_seq = ${seq} and position > ${Number(row["resume_after"])}
          union all select 1 from event_outbox where event_seq = ${seq}`,
      ) !== undefined;
}
