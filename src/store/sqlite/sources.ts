// Sources in SQLite: their state, their leases.
import type { SourceState } from "../../domain/source.ts";
import type { Arrivals, FetchEnd, Store } from "../../domain/store.ts";
import type { Connection, Row } from "./connection.ts";
import { endHolding, freeForgotten, settleArrivals } from "./held_events.ts";

const COLUMNS = `id, cursor, identity, timezone, usual_new,
  (select count(*) from held_events indexed by held_events_by_source
   where source_id = sources.id and reason = 'flood') as held_back, first_success_at, last_attempt_at, last_success_at,
  consecutive_failures, last_error, next_due_at`;

/** The part of the port that concerns sources. */
export function createSources(
  connection: Connection,
): Pick<
  Store,
  "registerSources" | "listSources" | "isKnownSource" | "claimSources" | "finishFetch" | "releaseEvents"
> {
  return {
    registerSources: (sources, { nowMs, freeLeases }) =>
      Promise.resolve(connection.transaction("durable", () => {
        for (const source of sources) {
          connection.run(
            `insert into sources (id, next_due_at) values (?, ?)
             on conflict (id) do update set next_due_at = min(next_due_at, ?)`,
            source.id,
            nowMs,
            source.nextRunAtMs,
          );
          if (freeLeases) connection.run("update sources set lease_until = 0 where id = ?", source.id);
        }
        if (freeLeases) freeForgotten(connection, sources.map(({ id }) => id));
      })),

    listSources: () =>
      Promise.resolve(
        connection.all(`select ${COLUMNS} from sources order by id`).map(stateFromRow),
      ),

    isKnownSource: (id) =>
      Promise.resolve(connection.get("select 1 from sources where id = ?", id) !== undefined),

    claimSources: (claim) => {
      // Most calls find nothing: they must not take the write lock.
      if (findClaimable(connection, { ...claim, limit: 1 }).length === 0) return Promise.resolve([]);
      return Promise.resolve(connection.transaction("relaxed", () => {
        const rows = findClaimable(connection, claim);
        for (const row of rows) {
          connection.run(
            "update sources set lease_until = ? where id = ?",
            claim.nowMs + claim.leaseMs,
            String(row["id"]),
          );
        }
        return rows.map(stateFromRow);
      }));
    },

    finishFetch: (end, isFlood = () => false) =>
      Promise.resolve(connection.transaction("durable", () => finishFetch(connection, end, isFlood))),

    releaseEvents: (sourceId, end) =>
      Promise.resolve(connection.transaction("durable", () => endHolding(connection, sourceId, end))),
  };
}

/** Rows of the named sources that nobody holds, the longest due first. */
function findClaimable(
  connection: Connection,
  { nowMs, limit, ids, due }: Parameters<Store["claimSources"]>[0],
): Row[] {
  return connection.all(
    `select ${COLUMNS} from sources indexed by sources_due
     where next_due_at <= ? and lease_until <= ? and id in (select value from json_each(?))
     order by next_due_at limit ?`,
    due === "any" ? Number.MAX_SAFE_INTEGER : nowMs,
    nowMs,
    JSON.stringify(ids),
    limit,
  );
}

function finishFetch(
  connection: Connection,
  end: FetchEnd,
  isFlood: (arrivals: Arrivals) => boolean,
): number {
  const heldBack = settleArrivals(connection, end.sourceId, isFlood);
  if (end.success === null) {
    connection.run(
      `update sources set lease_until = 0, last_attempt_at = ?, next_due_at = ?, last_error = ?,
         consecutive_failures = consecutive_failures + 1 where id = ?`,
      end.atMs,
      end.nextDueAtMs,
      end.error,
      end.sourceId,
    );
    return heldBack;
  }
  const { cursor, identityRule, formerRules = [], timezone = null } = end.success;
  connection.run(
    `update sources set lease_until = 0, last_attempt_at = ?, last_success_at = ?,
       first_success_at = coalesce(first_success_at, ?), next_due_at = ?, last_error = null,
       consecutive_failures = 0, cursor = ?, identity = ?, timezone = coalesce(?, timezone) where id = ?`,
    end.atMs,
    end.atMs,
    end.atMs,
    end.nextDueAtMs,
    cursor,
    JSON.stringify({ rule: identityRule, former: formerRules }),
    timezone,
    end.sourceId,
  );
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
    heldBack: Number(row["held_back"]),
    firstSuccessAtMs: row["first_success_at"] as number | null,
    lastAttemptAtMs: row["last_attempt_at"] as number | null,
    lastSuccessAtMs: row["last_success_at"] as number | null,
    consecutiveFailures: Number(row["consecutive_failures"]),
    lastError: row["last_error"] as string | null,
    nextDueAtMs: Number(row["next_due_at"]),
  };
}
