// The history of fetches in SQLite: single fetches, and the totals of each day, which are kept for good.
import type { CoverageStore } from "../../../domain/ports/store/coverage.ts";
import type { FetchEnd } from "../../../domain/ports/store/sources.ts";
import {
  type FetchCause,
  type FetchDay,
  isSuccess,
  type RecordedOutcome,
} from "../../../domain/source/fetch_record.ts";
import type { Connection } from "../connection/connection.ts";
import { Sql, sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

const DAY_MS = 86_400_000;

export function createFetches(
  connection: Connection,
): Part<"listFetches" | "listFetchDays" | "removeFetches" | "listFailingSources"> {
  return {
    listFetches: (sourceId, { limit, beforeMs = Number.MAX_SAFE_INTEGER }) =>
      connection.all(
        sql`select * from fetches where source_id = ${sourceId} and started_at < ${beforeMs}
          order by started_at desc limit ${limit}`,
      ).map((row) => ({
        startedAtMs: Number(row["started_at"]),
        endedAtMs: Number(row["ended_at"]),
        outcome: row["outcome"] as RecordedOutcome,
        cause: row["cause"] as FetchCause | null,
        counts: {
          new: Number(row["new"]),
          revised: Number(row["revised"]),
          unchanged: Number(row["unchanged"]),
          translated: Number(row["translated"]),
          skipped: Number(row["skipped"]),
          refused: Number(row["refused"]),
        },
        documentHash: row["document_hash"] as string | null,
      })),

    listFetchDays: (fromDay, toDay) => listDays(connection, fromDay, toDay),

    removeFetches: (untilMs, limit) => {
      const old = connection.all(
        sql`select source_id, started_at from sources cross join fetches on source_id = id
          where started_at <= ${untilMs} limit ${limit}`,
      );
      if (old.length === 0) return 0;
      return connection.transaction("relaxed", () => {
        for (const row of old) {
          connection.run(
            sql`delete from fetches where source_id = ${row["source_id"] ?? null}
              and started_at = ${row["started_at"] ?? null}`,
          );
        }
        return old.length;
      });
    },

    listFailingSources: () =>
      connection.all(
        sql`select id, cause, coalesce((
            select ended_at from fetches
            where source_id = id and started_at >= coalesce(last_success_at, 0) and cause is not null
            order by started_at limit 1
          ), last_attempt_at) as since
          from sources join fetches on source_id = id
            and started_at = (select max(started_at) from fetches where source_id = id)
          where cause is not null order by id`,
      ).map((row) => ({
        sourceId: String(row["id"]),
        sinceMs: Number(row["since"]),
        cause: row["cause"] as FetchCause,
      })),
  };
}

/** Records the end of a fetch in the caller's transaction, before the source's own row changes. */
export function recordFetch(connection: Connection, end: FetchEnd): void {
  const { sourceId, atMs, record: { startedAtMs, cause, counts, documentHash } } = end;
  const outcome = end.outcome === "ok" && end.partialFailures.length > 0 ? "partial" : end.outcome;
  // A second fetch in the same millisecond is possible only if the clock was set back. It replaces the first.
  connection.run(
    sql`insert or replace into fetches (source_id, started_at, ended_at, outcome, cause, new, revised, unchanged,
        translated, skipped, refused, document_hash)
      values (${sourceId}, ${startedAtMs}, ${atMs}, ${outcome}, ${cause}, ${counts.new}, ${counts.revised},
        ${counts.unchanged}, ${counts.translated}, ${counts.skipped}, ${counts.refused}, ${documentHash})`,
  );
  const success = connection.get(sql`select last_success_at from sources where id = ${sourceId}`);
  const lastMs = success?.["last_success_at"] ?? null;
  const gapMs = isSuccess(outcome) && lastMs !== null ? Math.max(0, atMs - Number(lastMs)) : 0;
  const column = new Sql(outcome);
  connection.run(
    sql`insert into fetch_days (source_id, day, ${column}, new, revised, longest_gap, next_due_at)
      values (${sourceId}, ${Math.floor(atMs / DAY_MS)}, 1, ${counts.new}, ${counts.revised}, ${gapMs},
        ${end.nextDueAtMs})
      on conflict (source_id, day) do update set ${column} = ${column} + 1, new = new + excluded.new,
        revised = revised + excluded.revised, longest_gap = max(longest_gap, excluded.longest_gap),
        next_due_at = excluded.next_due_at`,
  );
}

/** One list of numbers per source, because creating 45,000 row objects would take longer than the query. */
function listDays(
  connection: Connection,
  fromDay: number,
  toDay: number,
): Awaited<ReturnType<CoverageStore["listFetchDays"]>> {
  const rows = connection.all(
    sql`select id, (
        select json_group_array(json_array(day, ok, partial, failing, blocked, empty, longest_gap, next_due_at))
        from fetch_days where source_id = id and day between ${fromDay} and ${toDay}) as days
      from sources`,
  );
  return new Map(
    rows.map((row) => {
      const days: [number, number, number, number, number, number, number, number][] = JSON.parse(
        String(row["days"]),
      );
      return [String(row["id"]), days.sort(([a], [b]) => a - b).map(dayFrom)];
    }),
  );
}

function dayFrom(
  [day, ok, partial, failing, blocked, empty, longestGapMs, nextDueAtMs]: [
    ...[number, number, number, number],
    ...[number, number, number, number],
  ],
): FetchDay {
  return { day, fetches: { ok, partial, failing, blocked, empty }, longestGapMs, nextDueAtMs };
}
