// Sources in SQLite: their state, their leases, and the spacing and pauses of their hosts.
import type {
  FetchResult,
  PartialFailure,
  PublicationCadence,
  SourceMove,
  SourceState,
} from "../../../domain/source/source.ts";
import { type ChangeSpike, type ChangeVolume, NO_SPIKE } from "../../../domain/source/change_volume.ts";
import type {
  FetchEnd,
  RegisteredSource,
  SourceClaim,
  SourceStore,
} from "../../../domain/ports/store/sources.ts";
import { noteAct } from "../customers/audit.ts";
import { Connection, type Row } from "../connection/connection.ts";
import { recordFetch } from "./fetches.ts";
import { requireLease } from "./leases.ts";
import { endQuarantine, listHeld, releaseForgotten, settleArrivals } from "../events/quarantined_events.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

const COLUMNS = sql`id, cursor, identity, timezone, usual_new, event_count,
  (select count(*) from quarantined_events indexed by quarantined_events_by_source
   where source_id = sources.id and reason = 'spike') as held_back, first_success_at, last_attempt_at, last_success_at,
  consecutive_failures, last_error, next_due_at, host, outcome, outcome_since, news, moves,
  gaps, narrow_until`;

const DAY_MS = 86_400_000;
/** If a source's last fetch is more than this many ms in the future, the clock has been set back since. */
const CLOCK_TOLERANCE_MS = 60_000;

export function createSources(connection: Connection): Part<keyof SourceStore> {
  return {
    registerSources: (sources, nowMs) =>
      connection.transaction("durable", () => {
        for (const source of sources) registerSource(connection, source, nowMs);
        releaseForgotten(connection, sources.map(({ id }) => id), nowMs);
      }),

    listSources: () => listStates(connection),

    isKnownSource: (id) => connection.get(sql`select 1 from sources where id = ${id}`) !== undefined,

    requestFetch: (sourceId, by) =>
      connection.transaction("durable", () => {
        const isKnown = connection.run(
          sql`update sources set next_due_at = min(next_due_at, ${by.atMs}) where id = ${sourceId}`,
        ) > 0;
        if (isKnown) noteAct(connection, by, "source.fetch", null, { source: sourceId });
        return isKnown;
      }),

    claimSources: (claim) => {
      // Most calls find nothing, so they must not take the write lock.
      if (claim.limit < 1 || findClaimable(connection, claim) === undefined) return [];
      return connection.transaction("relaxed", () => {
        const claimed: SourceState[] = [];
        while (claimed.length < claim.limit) {
          const row = findClaimable(connection, claim);
          if (row === undefined) break;
          lease(connection, row, claim);
          claimed.push(stateFromRow(row));
        }
        return claimed;
      });
    },

    extendLease: ({ sourceId, holder, untilMs }) =>
      connection.transaction("relaxed", () =>
        connection.run(
          sql`update sources set lease_until = ${untilMs} where id = ${sourceId} and lease_holder = ${holder}`,
        )) > 0,

    finishFetch: (end, judge = () => NO_SPIKE) =>
      connection.transaction("durable", () => finishFetch(connection, end, judge)),

    listHeldEvents: (sourceId) => listHeld(connection, sourceId),

    releaseEvents: (sourceId, end, by) =>
      connection.transaction("durable", () => {
        const events = endQuarantine(connection, sourceId, end);
        const act = end === "deliver" ? "source.release" : "source.discard";
        if (events > 0) noteAct(connection, by, act, null, { source: sourceId, events });
        return events;
      }),
  };
}

export function listStates(connection: Connection): SourceState[] {
  return connection.all(
    sql`select ${COLUMNS}, (select paused_until from hosts where hosts.host = sources.host) as paused_until
     from sources order by id`,
  ).map(stateFromRow);
}

function registerSource(connection: Connection, source: RegisteredSource, nowMs: number): void {
  const { id, host, schedule, nextRunAtMs } = source;
  connection.run(
    sql`insert into sources (id, next_due_at, host, schedule, next_run_at)
      values (${id}, ${nowMs}, ${host}, ${schedule}, ${nextRunAtMs})
      on conflict (id) do update set host = excluded.host, schedule = excluded.schedule,
        next_run_at = excluded.next_run_at,
        next_due_at = min(next_due_at, case
          when schedule is not excluded.schedule or last_attempt_at > ${nowMs + CLOCK_TOLERANCE_MS}
          then ${nextRunAtMs} else ${Math.max(nextRunAtMs, nowMs + DAY_MS)} end)`,
  );
}

/** Finds the most overdue of the sources in `claim.ids` that are not leased and whose host is free. */
function findClaimable(connection: Connection, claim: SourceClaim): Row | undefined {
  const { nowMs, ids, due, perHost } = claim;
  const untilMs = due === "any" ? Number.MAX_SAFE_INTEGER : nowMs;
  // A lease that would end later than a new one does not count, because the clock has been set back since.
  const longestMs = nowMs + claim.leaseMs;
  return connection.get(
    sql`select ${COLUMNS} from sources indexed by sources_due
      where next_due_at <= ${untilMs} and id in (select value from json_each(${JSON.stringify(ids)}))
        and (lease_until <= ${nowMs} or lease_until > ${longestMs})
        and not exists (
          select 1 from hosts where hosts.host = sources.host and set_at <= ${nowMs}
            and (free_at > ${nowMs} or paused_until > ${untilMs}))
        and (host is null or ${perHost} > (
          select count(*) from sources as others
          where others.host = sources.host and others.lease_until > ${nowMs} and others.lease_until <= ${longestMs}))
      order by next_due_at limit 1`,
  );
}

function lease(connection: Connection, row: Row, { nowMs, leaseMs, holder, spacingOf }: SourceClaim): void {
  connection.run(
    sql`update sources set lease_until = ${nowMs + leaseMs}, lease_holder = ${holder}
      where id = ${String(row["id"])}`,
  );
  const host = row["host"] as string | null;
  if (host === null) return;
  setHost(connection, { host, freeAtMs: nowMs + spacingOf(host), pausedUntilMs: 0 }, nowMs);
}

function setHost(connection: Connection, host: FetchEnd["hosts"][number], nowMs: number): void {
  connection.run(
    // A guess does not replace a running pause that the host asked for.
    sql`insert into hosts (host, set_at, free_at, paused_until, guessed_at)
      values (${host.host}, ${nowMs}, ${host.freeAtMs}, ${host.pausedUntilMs},
        ${host.guessed === true ? nowMs : null})
      on conflict (host) do update set set_at = excluded.set_at,
        free_at = case when set_at > excluded.set_at then excluded.free_at else max(free_at, excluded.free_at) end,
        paused_until = case when set_at > excluded.set_at then excluded.paused_until
          else max(paused_until, excluded.paused_until) end,
        guessed_at = case when set_at > excluded.set_at then excluded.guessed_at
          when excluded.paused_until = 0 then guessed_at
          when guessed_at is null and paused_until > excluded.set_at then null else excluded.guessed_at end`,
  );
}

function endGuesses(connection: Connection, { hosts, sinceMs }: NonNullable<FetchEnd["responded"]>): void {
  for (const host of hosts) {
    connection.run(
      sql`update hosts set paused_until = 0, guessed_at = null
        where host = ${host} and guessed_at <= ${sinceMs}`,
    );
  }
}

function finishFetch(
  connection: Connection,
  end: FetchEnd,
  judge: (arrivals: ChangeVolume) => ChangeSpike,
): number {
  requireLease(connection, end.sourceId, end.holder);
  // After a storage fault, the stored part of the fetch is judged together with the next fetch.
  const heldBack = end.isItsFault ? settleArrivals(connection, end, judge) : 0;
  recordFetch(connection, end);
  connection.run(
    sql`update sources set lease_until = 0, last_attempt_at = ${end.atMs}, last_error = ${end.error},
        next_due_at = case when schedule is null or schedule = ${end.schedule} then ${end.nextDueAtMs}
          else max(coalesce(next_run_at, 0), ${end.notBeforeMs}) end,
        outcome = ${end.outcome}, outcome_since = ${end.outcomeSinceMs}, narrow_until = ${end.narrowUntilMs},
        news = ${JSON.stringify(end.cadence)}, moves = ${JSON.stringify(end.moves)},
        gaps = ${JSON.stringify(end.partialFailures)}
      where id = ${end.sourceId}`,
  );
  if (end.outcome === "ok") {
    connection.run(
      sql`update sources set last_success_at = ${end.atMs}, consecutive_failures = 0,
          first_success_at = coalesce(first_success_at, ${end.goesOn ? null : end.atMs})
        where id = ${end.sourceId}`,
    );
  } else if (end.isItsFault) {
    connection.run(
      sql`update sources set consecutive_failures = consecutive_failures + 1 where id = ${end.sourceId}`,
    );
  }
  if (end.kept !== null) {
    const { cursor, identityRule, formerRules = [], timezone = null } = end.kept;
    connection.run(
      sql`update sources
        set cursor = ${cursor}, identity = ${JSON.stringify({ rule: identityRule, former: formerRules })},
          timezone = coalesce(${timezone}, timezone) where id = ${end.sourceId}`,
    );
  }
  for (const host of end.hosts) setHost(connection, host, end.atMs);
  if (end.responded !== undefined) endGuesses(connection, end.responded);
  return heldBack;
}

function stateFromRow(row: Row): SourceState {
  const identity: { rule: string; former: string[] } = JSON.parse(String(row["identity"]));
  return {
    id: String(row["id"]),
    cursor: row["cursor"] as string | null,
    identityRule: identity.rule,
    formerRules: identity.former,
    timezone: row["timezone"] as string | null,
    usualNew: Number(row["usual_new"]),
    eventCount: Number(row["event_count"]),
    heldBack: Number(row["held_back"]),
    firstSuccessAtMs: row["first_success_at"] as number | null,
    lastAttemptAtMs: row["last_attempt_at"] as number | null,
    lastSuccessAtMs: row["last_success_at"] as number | null,
    consecutiveFailures: Number(row["consecutive_failures"]),
    lastError: row["last_error"] as string | null,
    nextDueAtMs: Number(row["next_due_at"]),
    outcome: row["outcome"] as FetchResult | null,
    outcomeSinceMs: row["outcome_since"] as number | null,
    cadence: JSON.parse(String(row["news"])) as PublicationCadence,
    moves: JSON.parse(String(row["moves"])) as SourceMove[],
    partialFailures: JSON.parse(String(row["gaps"])) as PartialFailure[],
    narrowUntilMs: row["narrow_until"] as number | null,
    hostPausedUntilMs: row["paused_until"] ? Number(row["paused_until"]) : null,
  };
}
