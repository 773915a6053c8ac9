// Quarantined events in SQLite: those of unfinished fetches, and those of change spikes that await the operator.
import {
  CADENCE_MS,
  type ChangeSpike,
  type ChangeVolume,
  NO_SPIKE,
  OLDER_BY_MS,
} from "../../../domain/source/change_volume.ts";
import { type ArrivedEvent, planQuarantine, planUsualVolume } from "../../../domain/plans/quarantine.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type { Connection } from "../connection/connection.ts";
import { firstPosition, tagMatch } from "./event_index.ts";
import { sql } from "../connection/sql.ts";
import { SERVED_JSON } from "./served_record.ts";

const DAY_MS = 86_400_000;

/**
 * Judges the events of a fetch and any that a killed process left waiting. Releases them for matching, except
 * those that belong to a change spike, which it quarantines. Returns the number quarantined.
 */
export function settleArrivals(
  connection: Connection,
  { sourceId, atMs }: { sourceId: string; atMs: number },
  judge: (arrivals: ChangeVolume) => ChangeSpike,
): number {
  const arrivals = countArrivals(connection, { sourceId, atMs });
  if (arrivals === null) return 0;
  // The first fetch returns the whole archive, which is neither a spike nor a usual volume.
  const isFirst = connection.get(sql`select first_success_at from sources where id = ${sourceId}`)
    ?.["first_success_at"] === null;
  const spike = isFirst ? NO_SPIKE : judge(arrivals);
  const quarantined = quarantine(connection, sourceId, spike);
  release(connection, sourceId, "fetch");
  if (!isFirst) saveUsual(connection, sourceId, { arrivals, spike });
  return quarantined;
}

function quarantine(connection: Connection, sourceId: string, spike: ChangeSpike): number {
  if (!spike.isNew && !spike.isRevised) return 0;
  const events = (reason: "fetch" | "spike"): ArrivedEvent[] =>
    connection.all(
      sql`select seq, version, external_id
        from quarantined_events indexed by quarantined_events_by_source join events on events.seq = event_seq
        where quarantined_events.source_id = ${sourceId} and reason = ${reason} order by seq`,
    ).map((row) => ({
      seq: Number(row["seq"]),
      version: Number(row["version"]),
      externalId: String(row["external_id"]),
    }));
  const publications = new Set(events("spike").map(({ externalId }) => externalId));
  return connection.run(
    sql`update quarantined_events set reason = 'spike' where event_seq in (select value
      from json_each(${JSON.stringify(planQuarantine(events("fetch"), spike, publications))}))`,
  );
}

function saveUsual(
  connection: Connection,
  sourceId: string,
  { arrivals, spike }: { arrivals: ChangeVolume; spike: ChangeSpike },
): void {
  const { usual, usualRevised } = planUsualVolume(arrivals, spike);
  connection.run(
    sql`update sources
      set usual_new = coalesce(${usual}, usual_new), usual_revised = coalesce(${usualRevised}, usual_revised)
      where id = ${sourceId}`,
  );
}

/** Returns the volume of the waiting events, or null if there are none. */
function countArrivals(
  connection: Connection,
  { sourceId, atMs }: { sourceId: string; atMs: number },
): ChangeVolume | null {
  const waiting = connection.get(
    sql`select min(event_seq) as first from quarantined_events indexed by quarantined_events_by_source
      where source_id = ${sourceId} and reason = 'fetch'`,
  )?.["first"] ?? null;
  if (waiting === null) return null;
  const match = tagMatch("source", sourceId);
  const newest = connection.get(
    sql`select published_at
      from events_by_date cross join event_order on event_order.position = events_by_date.rowid cross
        join events on events.seq = event_order.event_seq
      where events_by_date match ${match} and events.seq < ${Number(waiting)}
      order by events_by_date.rowid desc limit 1`,
  )?.["published_at"];
  const source = connection.get(
    sql`select usual_new, usual_revised, last_success_at from sources where id = ${sourceId}`,
  );
  const lastSuccessMs = Number(source?.["last_success_at"] ?? atMs);
  const newestMs = Number(newest ?? lastSuccessMs);
  const row = connection.get(
    sql`select coalesce(sum(version = 1), 0) as count, coalesce(sum(version > 1), 0) as revised,
        coalesce(sum(version = 1 and published_at < ${newestMs - OLDER_BY_MS}), 0) as older,
        coalesce(sum(version = 1 and published_at > ${newestMs} and not json_extract(json,
        '$.published_at_estimated')), 0) as newer
      from quarantined_events indexed by quarantined_events_by_source
        join events on events.seq = quarantined_events.event_seq
      where quarantined_events.source_id = ${sourceId} and reason = 'fetch'`,
  );
  const dated = connection.get(
    sql`select count(*) as count
      from events_by_date cross join event_order on event_order.position = events_by_date.rowid
      where events_by_date match ${match}
        and events_by_date.rowid >= ${firstPosition(newestMs - CADENCE_MS + 1)}
        and event_seq < ${Number(waiting)}`,
  );
  return {
    count: Number(row?.["count"]),
    older: Number(row?.["older"]),
    newer: Number(row?.["newer"]),
    revised: Number(row?.["revised"]),
    usualRevised: Number(source?.["usual_revised"] ?? 0),
    usual: Number(source?.["usual_new"] ?? 0),
    perDay: Number(dated?.["count"]) / (CADENCE_MS / DAY_MS),
    elapsedMs: Math.max(0, atMs - lastSuccessMs),
  };
}

function release(connection: Connection, sourceId: string, reason: "fetch" | "spike"): number {
  connection.run(
    sql`insert into event_outbox (event_seq) select event_seq
      from quarantined_events indexed by quarantined_events_by_source
      where source_id = ${sourceId} and reason = ${reason}`,
  );
  return drop(connection, sourceId, reason);
}

function drop(connection: Connection, sourceId: string, reason: "fetch" | "spike"): number {
  return connection.run(
    sql`delete from quarantined_events indexed by quarantined_events_by_source
      where source_id = ${sourceId} and reason = ${reason}`,
  );
}

/** Returns the JSON of the events in a source's change spike, newest first. */
export function listHeld(connection: Connection, sourceId: string): string[] {
  return connection.all(
    sql`select ${SERVED_JSON}
      from quarantined_events indexed by quarantined_events_by_source
        cross join events on events.seq = quarantined_events.event_seq
      where quarantined_events.source_id = ${sourceId} and reason = 'spike'
      order by events.published_at desc, events.id desc`,
  ).map((row) => String(row["json"]));
}

/** Ends the quarantine of a source's change spike. Returns the number of events released or dropped. */
export function endQuarantine(
  connection: Connection,
  sourceId: string,
  end: Parameters<Store["releaseEvents"]>[1],
): number {
  return end === "deliver" ? release(connection, sourceId, "spike") : drop(connection, sourceId, "spike");
}

/** Releases the events of unfinished fetches whose sources are no longer configured. */
export function releaseForgotten(connection: Connection, fetched: readonly string[], nowMs: number): void {
  const waiting = connection.all(
    sql`select id from sources where lease_until <= ${nowMs} and exists (
       select 1 from quarantined_events indexed by quarantined_events_by_source where source_id = sources.id
         and reason = 'fetch')`,
  );
  for (const row of waiting) {
    const sourceId = String(row["id"]);
    if (!fetched.includes(sourceId)) release(connection, sourceId, "fetch");
  }
}
