// The past that a new subscription asks for, in SQLite: stored events first, then those that came meanwhile.
import type { RegEvent } from "../../domain/event.ts";
import type { Store } from "../../domain/store.ts";
import type { Candidate, Candidates } from "./candidates.ts";
import type { Connection, Row } from "./connection.ts";
import { SERVED_JSON } from "./served.ts";
import { eventById } from "./matching.ts";
import { MonthQuota } from "./month_quota.ts";
import { NewDeliveries } from "./new_deliveries.ts";
import type { Unwritten } from "./unwritten.ts";

/** Events that one call reads and matches at most: each may be a delivery to write, and all else waits meanwhile. */
const EVENTS = 5;
/** Places in the order of storing that one call passes at most: those of other times are not read. */
const PLACES = 250;
/** Of so many the first that has nothing to wait for takes the step. */
const SUBSCRIPTIONS = 4;

type Backfill = Parameters<Store["backfill"]>[0];

/** The part of the port that makes the deliveries of the past. */
export function createBackfills(
  connection: Connection,
  { candidates, unwritten }: { candidates: Candidates; unwritten: Unwritten },
): Pick<Store, "backfill"> {
  return {
    backfill: (backfill) => {
      // Most calls find nothing: they must not take the write lock.
      if (connection.get(ANY_WAITING_SQL) === undefined) return Promise.resolve(0);
      return unwritten.during(connection.transactionThrough(() => {
        candidates.refresh();
        const waiting = connection.all(WAITING_SQL, SUBSCRIPTIONS);
        const quota = new MonthQuota(connection, backfill.month, backfill.tiers);
        const made = new NewDeliveries(connection, quota, backfill.nowMs);
        const moved = waiting.some((row) => step(connection, { row, candidates, made, backfill }));
        made.write();
        quota.settle(backfill);
        return moved ? 1 : 0;
      }));
    },
  };
}

const ANY_WAITING_SQL = `select 1 from subscriptions indexed by subscriptions_backfilling
  where backfill_seq is not null and deleted_at is null limit 1`;

/** Whoever has come least far is first: one long past holds up no other. */
const WAITING_SQL = `select id, backfill_since, backfill_seq, after_seq
  from subscriptions indexed by subscriptions_backfilling
  where backfill_seq is not null and deleted_at is null order by backfill_seq limit ?`;

/** What came while the past was delivered follows it: it is kept for the subscription's turn. */
export function postpone(connection: Connection, subscriptionId: string, eventSeq: number): void {
  connection.run(
    "insert into backfill_waiting (subscription_id, event_seq) values (?, ?) on conflict do nothing",
    subscriptionId,
    eventSeq,
  );
}

interface Step {
  row: Row;
  candidates: Candidates;
  made: NewDeliveries;
  backfill: Backfill;
}

/** Goes on with one; false when it has to wait. */
function step(connection: Connection, { row, candidates, made, backfill }: Step): boolean {
  const id = String(row["id"]);
  const candidate = candidates.get(id);
  if (candidate === undefined) throw new Error(`no candidate ${id}`);
  const done = Number(row["backfill_seq"]);
  const past = Number(row["after_seq"]);
  const end = Math.min(past, done + PLACES, firstUnjudged(connection, done) - 1);
  const send = (events: readonly Row[]) => {
    for (const event of events) sendPast(connection, event, { candidate, made, backfill });
  };
  if (done < end) {
    const events = connection.all(
      `select seq, ${SERVED_JSON} from events where seq > ? and seq <= ? and published_at >= ?
         and not exists (select 1 from held_events where event_seq = seq)
       order by seq limit ?`,
      done,
      end,
      Number(row["backfill_since"]),
      EVENTS,
    );
    send(events);
    const last = events[EVENTS - 1];
    const place = last === undefined ? end : Number(last["seq"]);
    connection.run("update subscriptions set backfill_seq = ? where id = ?", place, id);
    return true;
  }
  if (done < past) return false;
  const came = connection.all(
    `select events.seq, ${SERVED_JSON} from backfill_waiting join events on events.seq = event_seq
     where subscription_id = ? order by event_seq limit ?`,
    id,
    EVENTS,
  );
  send(came);
  for (const event of came) {
    connection.run(
      "delete from backfill_waiting where subscription_id = ? and event_seq = ?",
      id,
      Number(event["seq"]),
    );
  }
  // From the same transaction on, events go straight to it: between the two ways there is no moment.
  if (came.length < EVENTS) {
    connection.run("update subscriptions set backfill_since = null, backfill_seq = null where id = ?", id);
  }
  return true;
}

/** The next event whose fetch is not judged yet: it may be let go, which is for the past to wait for, or be a flood. */
function firstUnjudged(connection: Connection, afterSeq: number): number {
  const row = connection.get(
    "select min(event_seq) as seq from held_events where event_seq > ? and reason = 'fetch'",
    afterSeq,
  );
  return Number(row?.["seq"] ?? Number.MAX_SAFE_INTEGER);
}

function sendPast(
  connection: Connection,
  row: Row,
  { candidate, made, backfill }: { candidate: Candidate; made: NewDeliveries; backfill: Backfill },
): void {
  const event: RegEvent = JSON.parse(String(row["json"]));
  const previous = event.supersedes === null ? null : eventById(connection, event.supersedes);
  for (const delivery of backfill.deliveriesFor({ event, previous }, [candidate.subscription])) {
    made.add({ delivery, event, candidate });
  }
}
