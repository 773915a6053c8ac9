// Reads subscriptions from their rows.
import type { Severity } from "../../../domain/event/severity.ts";
import type {
  DisabledReason,
  MatchedSubscription,
  Subscription,
} from "../../../domain/delivery/subscription.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

export const SUBSCRIPTION_COLUMNS =
  sql`id, customer_id, webhook_url, topics, source_filter, severity_min, language, created_at, disabled_at,
      disabled_by, deleted_at, backfill_seq, resume_after, paused_at, held_full_since, after_seq`;

/**
 * Reads a subscription without its secrets from a row with {@link SUBSCRIPTION_COLUMNS}. For a subscription that is
 * catching up, {@link subscriptionWithCursor} adds the id of the next event.
 */
export function subscriptionFromRow(row: Row): MatchedSubscription {
  const heldFullSinceMs = row["held_full_since"] as number | null;
  return {
    id: String(row["id"]),
    customerId: String(row["customer_id"]),
    webhookUrl: String(row["webhook_url"]),
    topics: JSON.parse(String(row["topics"])),
    sourceFilter: JSON.parse(String(row["source_filter"])),
    severityMin: row["severity_min"] as Severity,
    language: String(row["language"]),
    createdAtMs: Number(row["created_at"]),
    disabledAtMs: row["disabled_at"] as number | null,
    disabledBy: row["disabled_by"] as DisabledReason | null,
    deletedAtMs: row["deleted_at"] as number | null,
    catchUp: row["resume_after"] === null ? null : {
      reason: heldFullSinceMs === null ? "backfill" : "held_full",
      sinceMs: heldFullSinceMs ?? Number(row["created_at"]),
      isPaused: row["paused_at"] !== null,
      nextEventId: null,
    },
  };
}

/** Reads a subscription, including the id of its next event if it is catching up. */
export function subscriptionWithCursor(connection: Connection, row: Row): MatchedSubscription {
  const subscription = subscriptionFromRow(row);
  if (subscription.catchUp === null) return subscription;
  const next = row["backfill_seq"] === null
    ? connection.get(
      sql`select id from match_log join events on events.seq = event_seq
        where position > ${Number(row["resume_after"])} and event_seq > ${Number(row["after_seq"])}
        order by position limit 1`,
    )
    : connection.get(
      sql`select id from events where seq > ${Number(row["backfill_seq"])} order by seq limit 1`,
    );
  return {
    ...subscription,
    catchUp: { ...subscription.catchUp, nextEventId: (next?.["id"] ?? null) as string | null },
  };
}

/** Returns a string that identifies a subscription by its URL and filters, regardless of the order of their values. */
export function identityOf(subscription: MatchedSubscription): string {
  const url = new URL(subscription.webhookUrl);
  url.hash = "";
  return JSON.stringify([
    url.href,
    [...new Set(subscription.topics)].sort(),
    [...new Set(subscription.sourceFilter)].sort(),
    subscription.severityMin,
  ]);
}

/** Reads the customer's other subscriptions that are enabled or held by the tier limit. `twinOf` finds a duplicate. */
export function otherSubscriptions(
  connection: Connection,
  { customerId, id }: Pick<Subscription, "customerId" | "id">,
): { twinOf(identity: string): "duplicate" | "duplicate_held" | null; active: number } {
  const rows = connection.all(
    sql`select identity, disabled_at from subscriptions indexed by subscriptions_wanted
      where customer_id = ${customerId} and deleted_at is null and (disabled_at is null
        or disabled_by = 'tier') and id <> ${id}`,
  );
  return {
    twinOf: (identity) => {
      const twin = rows.find((row) => row["identity"] === identity);
      if (twin === undefined) return null;
      return twin["disabled_at"] === null ? "duplicate" : "duplicate_held";
    },
    active: rows.filter((row) => row["disabled_at"] === null).length,
  };
}
