// Catching up in SQLite: creates deliveries from stored events, as far as the month's quota allows.
import type { RegEvent } from "../../../domain/event/event.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import { type Candidate, readCandidate } from "./candidate_subscriptions.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { MonthQuota } from "../customers/month_quota.ts";
import { NewDeliveries } from "./new_deliveries.ts";
import { eventById, SERVED_JSON } from "../events/served_record.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

/** Maximum number of events that one call matches, so that other work does not wait long. */
const EVENTS = 5;
/** Maximum number of stored events that one call examines. */
const PASSED_OVER = 250;

type Terms = Parameters<Store["catchUp"]>[0];

export function createCatchUp(connection: Connection): Part<"catchUp"> {
  let lastCustomer = "";
  const next = () => nextAfter(connection, lastCustomer) ?? nextAfter(connection, "");
  return {
    catchUp: (terms) => {
      // Most calls find nothing, so they must not take the write lock.
      if (next() === undefined) return 0;
      return connection.transaction("durable", () => {
        const row = next();
        if (row === undefined) return 0;
        lastCustomer = String(row["customer_id"]);
        const quota = new MonthQuota(connection, terms.month, terms.tiers);
        const made = new NewDeliveries(connection, quota, terms.nowMs);
        takeStep(connection, row, { candidate: readCandidate(connection, String(row["id"])), made, terms });
        made.write();
        quota.settle(terms);
        return 1;
      });
    },
  };
}

/**
 * Returns the first subscription of the next customer, so that a long backfill delays each of the other customers by at
 * most one step. Skips subscriptions whose next event comes from a fetch that has not been judged yet.
 */
function nextAfter(connection: Connection, customerId: string): Row | undefined {
  return connection.get(
    sql`select id, customer_id, backfill_since, backfill_seq, after_seq, resume_after
      from subscriptions indexed by subscriptions_catching_up
      where resume_after is not null and paused_at is null and deleted_at is null and customer_id > ${customerId}
        and not exists (select 1 from quarantined_events where event_seq = backfill_seq + 1 and reason = 'fetch')
      order by customer_id, id limit 1`,
  );
}

/** The last position ever assigned in the match log, or 0. */
export const LAST_POSITION_SQL = sql`coalesce((select seq from sqlite_sequence where name = 'match_log'), 0)`;

export function startCatchUp(connection: Connection, subscriptionId: string, nowMs: number): void {
  connection.run(
    sql`update subscriptions
      set resume_after = ${LAST_POSITION_SQL}, paused_at = ${nowMs}, held_full_since = ${nowMs}
      where id = ${subscriptionId}`,
  );
}

export function logMatch(connection: Connection, eventSeq: number): void {
  connection.run(sql`insert into match_log (event_seq) values (${eventSeq})`);
}

/** Resumes paused subscriptions of customers whose quota admits more deliveries. Returns the number resumed. */
export function resumePaused(connection: Connection, quota: MonthQuota): number {
  const customers = connection.all(
    sql`select distinct customer_id from subscriptions indexed by subscriptions_paused
      where paused_at is not null and deleted_at is null`,
  ).map((row) => String(row["customer_id"])).filter((customerId) => quota.of(customerId).hasCapacity);
  let resumed = 0;
  for (const customerId of customers) {
    resumed += connection.run(
      sql`update subscriptions indexed by subscriptions_paused set paused_at = null
       where customer_id = ${customerId} and paused_at is not null and deleted_at is null
         and disabled_at is null
         and exists (select 1 from customers where id = customer_id and enabled = 1)`,
    );
  }
  return resumed;
}

/** Returns up to `limit` positions of the match log that every subscription has passed. */
export function passedPositions(connection: Connection, limit: number): Row[] {
  return connection.all(
    sql`select position from match_log where position <= coalesce(
       (select min(resume_after) from subscriptions indexed by subscriptions_behind
        where resume_after is not null and deleted_at is null), ${Number.MAX_SAFE_INTEGER})
     order by position limit ${limit}`,
  );
}

interface Step {
  candidate: Candidate | undefined;
  made: NewDeliveries;
  terms: Terms;
}

function takeStep(connection: Connection, row: Row, step: Step): void {
  const { candidate } = step;
  if (candidate === undefined) throw new Error(`no candidate for subscription ${row["id"]}`);
  if (candidate.subscription.disabledAtMs !== null || !candidate.customerEnabled) {
    return pause(connection, row, step.terms);
  }
  if (row["backfill_seq"] !== null) passStored(connection, row, step);
  else passMatched(connection, row, step);
}

/** Takes a step through the events stored before the subscription was created, except those that a change spike holds. */
function passStored(connection: Connection, row: Row, step: Step): void {
  const [done, past] = [Number(row["backfill_seq"]), Number(row["after_seq"])];
  const end = Math.min(past, done + PASSED_OVER, firstUnjudged(connection, done) - 1);
  const events = connection.all(
    sql`select seq, ${SERVED_JSON} from events where seq > ${done} and seq <= ${end}
      and published_at >= ${Number(row["backfill_since"])}
       and not exists (select 1 from quarantined_events where event_seq = seq)
     order by seq limit ${EVENTS}`,
  );
  const handled = makeInOrder(connection, events, step);
  const isAll = handled === events.length;
  const position = isAll && events.length < EVENTS ? end : Number(events[handled - 1]?.["seq"] ?? done);
  const isOver = position >= past;
  connection.run(
    sql`update subscriptions
      set backfill_seq = ${isOver ? null : position} where id = ${String(row["id"])}`,
  );
  if (!isAll) pause(connection, row, step.terms);
}

/** Takes a step through the match log. After its last event, the subscription is up to date. */
function passMatched(connection: Connection, row: Row, step: Step): void {
  const events = connection.all(
    sql`select position, ${SERVED_JSON} from match_log join events on events.seq = event_seq
      where position > ${Number(row["resume_after"])}
        and (event_seq > ${Number(row["after_seq"])} or published_at >= ${row["backfill_since"] ?? null})
      order by position limit ${EVENTS}`,
  );
  const handled = makeInOrder(connection, events, step);
  const isAll = handled === events.length;
  const isOver = isAll && events.length < EVENTS;
  connection.run(
    sql`update subscriptions
      set resume_after = ${isOver ? null : Number(events[handled - 1]?.["position"] ?? row["resume_after"])},
        held_full_since = iif(${isOver ? 1 : 0}, null, held_full_since) where id = ${String(row["id"])}`,
  );
  if (!isAll) pause(connection, row, step.terms);
}

/** Creates deliveries for the events, in order, until the quota is used up. Returns the number of events handled. */
function makeInOrder(
  connection: Connection,
  events: readonly Row[],
  { candidate, made, terms }: Step,
): number {
  if (candidate === undefined) return 0;
  for (const [at, row] of events.entries()) {
    const event: RegEvent = JSON.parse(String(row["json"]));
    const previous = event.supersedes === null ? null : eventById(connection, event.supersedes);
    for (const delivery of terms.deliveriesFor({ event, previous }, [candidate.subscription])) {
      if (made.add({ delivery, event, candidate, mayHold: false }) === "full") return at;
    }
  }
  return events.length;
}

function pause(connection: Connection, row: Row, { nowMs }: Terms): void {
  connection.run(sql`update subscriptions set paused_at = ${nowMs} where id = ${String(row["id"])}`);
}

/** Returns the `seq` of the next event whose fetch has not been judged yet, or the maximum if there is none. */
function firstUnjudged(connection: Connection, afterSeq: number): number {
  const row = connection.get(
    sql`select min(event_seq) as seq from quarantined_events
      where event_seq > ${afterSeq} and reason = 'fetch'`,
  );
  return Number(row?.["seq"] ?? Number.MAX_SAFE_INTEGER);
}
