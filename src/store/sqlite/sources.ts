// Sources in SQLite: their state, their leases.
import type { IdentityRule, SourceState } from "../../domain/source.ts";
import type { FetchEnd, Store } from "../../domain/store.ts";
import type { Connection, Row } from "./connection.ts";

const COLUMNS = `id, cursor, identity_rule, first_success_at, last_attempt_at, last_success_at,
  consecutive_failures, last_error, next_due_at`;

/** The part of the port that concerns sources. */
export function createSources(
  connection: Connection,
): Pick<Store, "activateSources" | "listSources" | "isKnownSource" | "claimSources" | "finishFetch"> {
  return {
    activateSources: (sources, nowMs) =>
      Promise.resolve(connection.transaction("durable", () => {
        connection.run("update sources set active = 0");
        for (const source of sources) {
          connection.run(
            `insert into sources (id, active, next_due_at) values (?, 1, ?)
             on conflict (id) do update set active = 1, next_due_at = min(next_due_at, ?)`,
            source.id,
            nowMs,
            source.nextRunAtMs,
          );
        }
      })),

    listSources: () =>
      Promise.resolve(
        connection.all(`select ${COLUMNS} from sources where active = 1 order by id`).map(stateFromRow),
      ),

    isKnownSource: (id) =>
      Promise.resolve(connection.get("select 1 from sources where id = ?", id) !== undefined),

    claimSources: (claim) => {
      // Most calls find nothing: they must not take the write lock.
      if (claim.ids === undefined && !isAnyDue(connection, claim.nowMs)) return Promise.resolve([]);
      return Promise.resolve(connection.transaction("relaxed", () => claimSources(connection, claim)));
    },

    finishFetch: (end) =>
      Promise.resolve(connection.transaction("durable", () => finishFetch(connection, end))),
  };
}

function isAnyDue(connection: Connection, nowMs: number): boolean {
  return connection.get(
    `select 1 from sources indexed by sources_due
     where active = 1 and next_due_at <= ? and lease_until <= ? limit 1`,
    nowMs,
    nowMs,
  ) !== undefined;
}

function claimSources(
  connection: Connection,
  { nowMs, leaseMs, limit, ids }: Parameters<Store["claimSources"]>[0],
): SourceState[] {
  const rows = ids === undefined
    ? connection.all(
      `select ${COLUMNS} from sources indexed by sources_due
       where active = 1 and next_due_at <= ? and lease_until <= ? order by next_due_at limit ?`,
      nowMs,
      nowMs,
      limit,
    )
    : connection.all(
      `select ${COLUMNS} from sources
       where active = 1 and id in (select value from json_each(?)) and lease_until <= ?
       order by next_due_at limit ?`,
      JSON.stringify(ids),
      nowMs,
      limit,
    );
  for (const row of rows) {
    connection.run("update sources set lease_until = ? where id = ?", nowMs + leaseMs, String(row["id"]));
  }
  return rows.map(stateFromRow);
}

function finishFetch(connection: Connection, end: FetchEnd): void {
  if (end.success === null) {
    connection.run(
      `update sources set lease_until = 0, last_attempt_at = ?, next_due_at = ?, last_error = ?,
         consecutive_failures = consecutive_failures + 1 where id = ?`,
      end.atMs,
      end.nextDueAtMs,
      end.error,
      end.sourceId,
    );
    return;
  }
  connection.run(
    `update sources set lease_until = 0, last_attempt_at = ?, last_success_at = ?,
       first_success_at = coalesce(first_success_at, ?), next_due_at = ?, last_error = null,
       consecutive_failures = 0, cursor = ?, identity_rule = ? where id = ?`,
    end.atMs,
    end.atMs,
    end.atMs,
    end.nextDueAtMs,
    end.success.cursor,
    end.success.identityRule,
    end.sourceId,
  );
}

function stateFromRow(row: Row): SourceState {
  return {
    id: String(row["id"]),
    cursor: row["cursor"] as string | null,
    identityRule: row["identity_rule"] as IdentityRule,
    firstSuccessAtMs: row["first_success_at"] as number | null,
    lastAttemptAtMs: row["last_attempt_at"] as number | null,
    lastSuccessAtMs: row["last_success_at"] as number | null,
    consecutiveFailures: Number(row["consecutive_failures"]),
    lastError: row["last_error"] as string | null,
    nextDueAtMs: Number(row["next_due_at"]),
  };
}
