// Incidents in SQLite.
import { planIncidents } from "../../../domain/plans/incidents.ts";
import type { Incident, IncidentCause, IncidentKind } from "../../../domain/source/incident.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createIncidents(
  connection: Connection,
): Part<"reviewIncidents" | "listIncidents" | "feedId"> {
  return {
    reviewIncidents: (facts, newIncidentId) =>
      connection.transaction("relaxed", () => {
        const state = connection.get(sql`select reviewed_at from coverage_state where id = 1`);
        const reviewedAtMs = state?.["reviewed_at"] as number | null;
        const open = connection.all(
          sql`select * from incidents indexed by incidents_open where ended_at is null`,
        );
        const plan = planIncidents(open.map(incidentFrom), facts, reviewedAtMs);
        for (const { id, endedAtMs } of plan.end) {
          connection.run(
            sql`update incidents set ended_at = ${endedAtMs}, updated_at = ${facts.nowMs} where id = ${id}`,
          );
        }
        for (const { id, kind, cause } of plan.change) {
          connection.run(
            sql`update incidents set kind = ${kind}, cause = ${cause}, updated_at = ${facts.nowMs}
              where id = ${id}`,
          );
        }
        for (const { kind, sourceId, cause, sinceMs, endedAtMs } of plan.begin) {
          connection.run(
            sql`insert into incidents (id, kind, source_id, cause, started_at, ended_at, updated_at)
              values (${newIncidentId()}, ${kind}, ${sourceId}, ${cause}, ${sinceMs}, ${endedAtMs}, ${facts.nowMs})`,
          );
        }
        connection.run(sql`update coverage_state set reviewed_at = ${facts.nowMs} where id = 1`);
      }),

    listIncidents: ({ limit, sinceMs }) =>
      connection.all(
        sql`select * from incidents indexed by incidents_by_end
          where coalesce(ended_at, 9007199254740991) > ${sinceMs} order by started_at desc, id desc limit ${limit}`,
      ).map(incidentFrom),

    feedId: (newId) => {
      const known = connection.get(sql`select feed_id from coverage_state where id = 1`)?.["feed_id"];
      if (typeof known === "string") return known;
      return connection.transaction("durable", () => {
        connection.run(sql`update coverage_state set feed_id = coalesce(feed_id, ${newId}) where id = 1`);
        return String(connection.get(sql`select feed_id from coverage_state where id = 1`)?.["feed_id"]);
      });
    },
  };
}

function incidentFrom(row: Row): Incident {
  return {
    id: String(row["id"]),
    kind: row["kind"] as IncidentKind,
    sourceId: row["source_id"] as string | null,
    cause: row["cause"] as IncidentCause | null,
    sinceMs: Number(row["started_at"]),
    endedAtMs: row["ended_at"] as number | null,
    updatedAtMs: Number(row["updated_at"]),
  };
}
