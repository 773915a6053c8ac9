// Creates deliveries from stored events in SQLite: matching, the monthly quota, holding and releasing.
import type { RegEvent } from "../../../domain/event/event.ts";
import { heldFullMail } from "../../../domain/plans/month_quota.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import { type Candidate, type Candidates, isCovered } from "./candidate_subscriptions.ts";
import { logMatch, resumePaused, startCatchUp } from "./catch_up_subscriptions.ts";
import type { Connection } from "../connection/connection.ts";
import { applyTrigger, findState } from "./delivery_states.ts";
import { queueMail } from "../customers/mails.ts";
import { MonthQuota } from "../customers/month_quota.ts";
import { NewDeliveries } from "./new_deliveries.ts";
import { eventById, SERVED_JSON } from "../events/served_record.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

/** Maximum number of deliveries released in one transaction, so that other work gets its turn. */
const RELEASE_BATCH = 500;

export function createMatching(
  connection: Connection,
  candidates: Candidates,
): Part<"matchEvents" | "releaseHeld"> {
  return {
    matchEvents: (match) => {
      // Most calls find nothing, so they must not take the write lock.
      if (connection.get(sql`select 1 from event_outbox limit 1`) === undefined) return 0;
      return connection.transaction("durable", () => matchWaiting(connection, candidates, match));
    },

    releaseHeld: (release) => {
      if (connection.get(ANY_WAITING_SQL) === undefined) return 0;
      return connection.transaction("durable", () => releaseAll(connection, release));
    },
  };
}

const ANY_WAITING_SQL = sql`select 1 from deliveries where status = 'held' union all select 1
  from subscriptions indexed by subscriptions_paused
  where paused_at is not null and deleted_at is null limit 1`;

function matchWaiting(
  connection: Connection,
  candidates: Candidates,
  match: Parameters<Store["matchEvents"]>[0],
): number {
  const waiting = connection.all(
    sql`select events.seq, ${SERVED_JSON} from event_outbox join events on events.seq = event_outbox.event_seq
      order by event_outbox.event_seq limit ${match.limit}`,
  );
  candidates.refresh();
  const quota = new MonthQuota(connection, match.month, match.tiers);
  const made = new NewDeliveries(connection, quota, match.nowMs);
  const behind = new Set<string>();
  for (const row of waiting) {
    const seq = Number(row["seq"]);
    const event: RegEvent = JSON.parse(String(row["json"]));
    const stored = { seq, publishedAtMs: event.published_at };
    const subscriptions = candidates.coveredBy(stored);
    if (subscriptions.length > 0) {
      const previous = event.supersedes === null ? null : eventById(connection, event.supersedes);
      for (const delivery of match.deliveriesFor({ event, previous }, subscriptions)) {
        const candidate = candidates.get(delivery.subscriptionId);
        if (candidate === undefined || !isCovered(candidate, stored)) {
          throw new Error(`event ${event.id} cannot be delivered to subscription ${delivery.subscriptionId}`);
        }
        if (behind.has(delivery.subscriptionId)) continue;
        if (made.add({ delivery, event, candidate }) !== "full") continue;
        behind.add(delivery.subscriptionId);
        fallBehind(connection, candidate, {
          match,
          limit: quota.of(candidate.subscription.customerId).facts.heldLimit,
        });
      }
      made.write();
    }
    if (candidates.isAnyBehind || behind.size > 0) logMatch(connection, seq);
    connection.run(sql`delete from event_outbox where event_seq = ${seq}`);
  }
  quota.settle(match);
  return waiting.length;
}

/** Makes a subscription catch up from the current event on. An enabled customer gets an email, at most once a month. */
function fallBehind(
  connection: Connection,
  { subscription: { id, customerId }, customerEnabled }: Candidate,
  { match: { nowMs, month, newMailId }, limit }: {
    match: Parameters<Store["matchEvents"]>[0];
    limit: number;
  },
): void {
  startCatchUp(connection, id, nowMs);
  if (!customerEnabled) return;
  queueMail(connection, { ...heldFullMail({ customerId, month, limit, nowMs }), id: newMailId() });
}

function releaseAll(connection: Connection, release: Parameters<Store["releaseHeld"]>[0]): number {
  const quota = new MonthQuota(connection, release.month, release.tiers);
  // Most held deliveries wait for the next month, so they are read only if some of the quota is left.
  const customers = connection.all(
    sql`select distinct customer_id from subscriptions join customers on customers.id = customer_id
     where customers.enabled = 1 and disabled_at is null and deleted_at is null
       and exists (select 1 from deliveries indexed by deliveries_held
                   where status = 'held' and subscription_id = subscriptions.id)`,
  ).map((row) => String(row["customer_id"])).filter((customerId) => quota.of(customerId).left > 0);
  let released = 0;
  for (const [at, customerId] of customers.entries()) {
    // Each customer gets a fair share of the batch, so that one long queue does not delay the others.
    const part = Math.ceil((RELEASE_BATCH - released) / (customers.length - at));
    const room = Math.min(quota.of(customerId).left, part);
    for (const id of oldestHeld(connection, customerId, room)) {
      const delivery = findState(connection, id);
      if (delivery === null) throw new Error(`held delivery ${id} is gone`);
      if (!delivery.isCounted) quota.of(customerId).reserve();
      applyTrigger(connection, delivery, { trigger: "released", nowMs: release.nowMs, month: release.month });
      released++;
    }
  }
  const resumed = resumePaused(connection, quota);
  quota.settle(release);
  return released + resumed;
}

function oldestHeld(connection: Connection, customerId: string, limit: number): string[] {
  if (limit <= 0) return [];
  return connection.all(
    sql`select id from deliveries indexed by deliveries_held
     where status = 'held' and subscription_id in (
       select id from subscriptions indexed by subscriptions_active
       where customer_id = ${customerId} and disabled_at is null and deleted_at is null)
     order by seq limit ${limit}`,
  ).map((row) => String(row["id"]));
}
