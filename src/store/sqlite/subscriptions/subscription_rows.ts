// Reads subscriptions from their rows.
import { canonicalFilter, type EventFilter } from "../../../domain/event/event_filter.ts";
import type {
  DisabledReason,
  ListedSubscription,
  MatchedSubscription,
  Subscription,
} from "../../../domain/delivery/subscription.ts";
import type { Duplicate } from "../../../domain/ports/store/subscriptions.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { sql } from "../connection/sql.ts";

export const SUBSCRIPTION_COLUMNS =
  sql`id, customer_id, webhook_url, filter, language, created_at, disabled_at,
      disabled_by, deleted_at, backfill_since, backfill_seq, resume_after, paused_at, held_full_since, after_seq`;

/** The further columns of {@link listedFromRow}. */
export const LISTED_COLUMNS = sql`name, note, header_names, last_success_at, first_failure_at,
    (select count(*) from deliveries indexed by deliveries_due where status = 'pending' and is_replay in (0, 1)
      and deliveries.customer_id = subscriptions.customer_id and subscription_id = subscriptions.id) as pending,
    (select count(*) from deliveries indexed by deliveries_held
      where status = 'held' and subscription_id = subscriptions.id) as held`;

/**
 * Reads a subscription as matching uses it from a row with {@link SUBSCRIPTION_COLUMNS}. If it is catching up, the id
 * of its next event is null.
 */
export function subscriptionFromRow(row: Row): MatchedSubscription {
  const heldFullSinceMs = row["held_full_since"] as number | null;
  return {
    id: String(row["id"]),
    customerId: String(row["customer_id"]),
    webhookUrl: String(row["webhook_url"]),
    ...filterOf(row),
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

function filterOf(row: Row): EventFilter {
  return JSON.parse(String(row["filter"]));
}

/** Returns the filter of a subscription as it is stored. */
export function filterJson(
  { topics, sources, severityMin, eventTypes, articles, eventLanguages, search, exclude }: EventFilter,
): string {
  const filter: EventFilter = {
    topics,
    sources,
    severityMin,
    eventTypes,
    articles,
    eventLanguages,
    search,
    exclude,
  };
  return JSON.stringify(filter);
}

/** Reads a subscription as its owner sees it from a row that also has {@link LISTED_COLUMNS}. */
export function listedFromRow(connection: Connection, row: Row): ListedSubscription {
  const subscription = subscriptionFromRow(row);
  return {
    ...subscription,
    catchUp: subscription.catchUp && {
      ...subscription.catchUp,
      nextEventId: nextEventId(connection, row),
    },
    name: row["name"] as string | null,
    note: row["note"] as string | null,
    headerNames: JSON.parse(String(row["header_names"])),
    health: {
      lastSuccessAtMs: row["last_success_at"] as number | null,
      failingSinceMs: row["first_failure_at"] as number | null,
      pending: Number(row["pending"]),
      held: Number(row["held"]),
    },
  };
}

/** Returns the id of the next event of a subscription that is catching up, or null if that event is not stored yet. */
function nextEventId(connection: Connection, row: Row): string | null {
  const next = row["backfill_seq"] === null
    ? connection.get(
      sql`select id from match_log join events on events.seq = event_seq
        where position > ${Number(row["resume_after"])}
          and (event_seq > ${Number(row["after_seq"])} or published_at >= ${row["backfill_since"] ?? null})
        order by position limit 1`,
    )
    : connection.get(
      sql`select id from events where seq > ${Number(row["backfill_seq"])} order by seq limit 1`,
    );
  return (next?.["id"] ?? null) as string | null;
}

/** Returns a string that identifies a subscription by its URL and filters, regardless of the order of their values. */
export function identityOf(subscription: MatchedSubscription): string {
  const url = new URL(subscription.webhookUrl);
  url.hash = "";
  return JSON.stringify([url.href, canonicalFilter(subscription)]);
}

/** Reads the customer's other subscriptions that are enabled or held by the tier limit. `twinOf` finds a duplicate. */
export function otherSubscriptions(
  connection: Connection,
  { customerId, id }: Pick<Subscription, "customerId" | "id">,
): { twinOf(identity: string): Duplicate | null; active: number } {
  const rows = connection.all(
    sql`select id, identity, disabled_at from subscriptions indexed by subscriptions_wanted
      where customer_id = ${customerId} and deleted_at is null and (disabled_at is null
        or disabled_by = 'tier') and id <> ${id}`,
  );
  return {
    twinOf: (identity) => {
      const twin = rows.find((row) => row["identity"] === identity);
      if (twin === undefined) return null;
      return { duplicateOf: String(twin["id"]), isHeld: twin["disabled_at"] !== null };
    },
    active: rows.filter((row) => row["disabled_at"] === null).length,
  };
}
