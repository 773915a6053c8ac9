// Subscriptions in SQLite.
import type { Vault } from "../../domain/ports.ts";
import type { Severity } from "../../domain/severity.ts";
import type { Store } from "../../domain/store.ts";
import {
  type MatchedSubscription,
  MAX_SWITCHED_OFF,
  type Subscription,
  type SwitchedOffBy,
} from "../../domain/subscription.ts";
import type { Connection, Row } from "./connection.ts";
import { LAST_PLACE_SQL } from "./catch_up.ts";
import { takeDaily } from "./daily_usage.ts";
import { cancelDeliveries } from "./delivery_states.ts";
import { remember } from "./remembered_answers.ts";
import { secretPlace, SecretReader } from "./seals.ts";
import { createSubscriptionChanges } from "./subscription_changes.ts";
import { fitToTier } from "./tier_holds.ts";

type SubscriptionMethods =
  | "addSubscription"
  | "listSubscriptions"
  | "findSubscription"
  | "deleteSubscription"
  | "changeSubscription"
  | "rotateSecret";

/** The columns of a subscription, for statements that read one. */
export const SUBSCRIPTION_COLUMNS =
  `id, customer_id, webhook_url, topics, source_filter, severity_min, language,
  created_at, disabled_at, disabled_by, deleted_at, backfill_seq, resume_after, paused_at, held_full_since, after_seq`;

const SECRET_COLUMNS = "secret, previous_secret, previous_secret_until";

/** The part of the port that concerns subscriptions. */
export function createSubscriptions(connection: Connection, vault: Vault): Pick<Store, SubscriptionMethods> {
  const secrets = new SecretReader(vault);
  const whole = (row: Row): Subscription => ({
    ...subscriptionWithPlace(connection, row),
    ...secretsFromRow(row, secrets),
  });
  const find = (customerId: string, id: string): Subscription | null => {
    const row = connection.get(
      `select ${SUBSCRIPTION_COLUMNS}, ${SECRET_COLUMNS} from subscriptions where id = ? and customer_id = ? and deleted_at is null`,
      id,
      customerId,
    );
    return row === undefined ? null : whole(row);
  };

  return {
    ...createSubscriptionChanges(connection, vault, find),

    addSubscription: (subscription, activeLimit, { answer, backfill } = {}) =>
      Promise.resolve(connection.transaction("durable", () => {
        const identity = identityOf(subscription);
        const wanted = wantedBeside(connection, subscription);
        const twin = wanted.twinOf(identity);
        if (twin !== null) return twin;
        if (wanted.active >= activeLimit) return "limit_reached";
        const { customerId, createdAtMs } = subscription;
        if (countSwitchedOff(connection, customerId) >= MAX_SWITCHED_OFF) return "too_many_switched_off";
        if (backfill !== undefined) {
          const request = {
            action: "backfills",
            count: 1,
            limit: backfill.perDay,
            nowMs: createdAtMs,
          } as const;
          if (!takeDaily(connection, customerId, request).granted) return "backfill_limit_reached";
        }
        insert(connection, vault, { subscription, identity, backfillSinceMs: backfill?.sinceMs });
        if (answer !== undefined) remember(connection, vault, { answer, customerId, atMs: createdAtMs });
        return "created";
      })),

    listSubscriptions: (customerId) =>
      Promise.resolve(
        connection.all(
          `select ${SUBSCRIPTION_COLUMNS} from subscriptions
           where customer_id = ? and deleted_at is null order by created_at, id`,
          customerId,
        ).map((row) => subscriptionWithPlace(connection, row)),
      ),

    findSubscription: (customerId, id) => Promise.resolve(find(customerId, id)),

    deleteSubscription: (customerId, id, { nowMs, activeLimit }) =>
      Promise.resolve(connection.transaction("durable", () => {
        const subscription = find(customerId, id);
        if (subscription === null) return null;
        connection.run("update subscriptions set deleted_at = ?, closing = 1 where id = ?", nowMs, id);
        cancelDeliveries(connection, id, nowMs);
        fitToTier(connection, customerId, { limit: activeLimit, by: { actor: "service", atMs: nowMs } });
        return { ...subscription, deletedAtMs: nowMs };
      })),
  };
}

/**
 * The customer's other subscriptions that are on, or come back by themselves: a further one must not be the same as one
 * of them, which `twinOf` says. `active` counts those that are on.
 */
export function wantedBeside(
  connection: Connection,
  { customerId, id }: Pick<Subscription, "customerId" | "id">,
): { twinOf(identity: string): "duplicate" | "duplicate_held" | null; active: number } {
  const rows = connection.all(
    `select identity, disabled_at from subscriptions indexed by subscriptions_wanted
     where customer_id = ? and deleted_at is null and (disabled_at is null or disabled_by = 'tier') and id <> ?`,
    customerId,
    id,
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

function countSwitchedOff(connection: Connection, customerId: string): number {
  const row = connection.get(
    `select count(*) as off from subscriptions indexed by subscriptions_by_customer
     where customer_id = ? and deleted_at is null and disabled_at is not null`,
    customerId,
  );
  return Number(row?.["off"]);
}

function insert(
  connection: Connection,
  vault: Vault,
  { subscription, identity, backfillSinceMs }: {
    subscription: Subscription;
    identity: string;
    backfillSinceMs: number | undefined;
  },
): void {
  connection.run(
    `insert into subscriptions (id, customer_id, webhook_url, secret, topics, source_filter, severity_min,
       language, identity, created_at, backfill_since, backfill_seq, resume_after, after_seq)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?, ${LAST_PLACE_SQL}, null),
       (select coalesce(max(seq), 0) from events))`,
    subscription.id,
    subscription.customerId,
    subscription.webhookUrl,
    vault.seal(subscription.webhookSecret, secretPlace(subscription.id)),
    JSON.stringify(subscription.topics),
    JSON.stringify(subscription.sourceFilter),
    subscription.severityMin,
    subscription.language,
    identity,
    subscription.createdAtMs,
    backfillSinceMs ?? null,
    backfillSinceMs === undefined ? null : 0,
    backfillSinceMs === undefined ? 0 : 1,
  );
}

/** The same address with the same filters is the same subscription, in whatever order the filters are given. */
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

function secretsFromRow(
  row: Row,
  secrets: SecretReader,
): Pick<Subscription, "webhookSecret" | "previousSecret"> {
  const [id, previous] = [String(row["id"]), row["previous_secret"] as Uint8Array | null];
  return {
    webhookSecret: secrets.read(id, "present", row["secret"] as Uint8Array),
    previousSecret: previous === null ? null : {
      secret: secrets.read(id, "previous", previous),
      untilMs: Number(row["previous_secret_until"]),
    },
  };
}

/**
 * What matching needs of a subscription, from a row with {@link SUBSCRIPTION_COLUMNS}. The event at which one goes on that
 * is behind is looked up by {@link subscriptionWithPlace}.
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
    disabledBy: row["disabled_by"] as SwitchedOffBy | null,
    deletedAtMs: row["deleted_at"] as number | null,
    catchUp: row["resume_after"] === null ? null : {
      reason: heldFullSinceMs === null ? "backfill" : "held_full",
      sinceMs: heldFullSinceMs ?? Number(row["created_at"]),
      isPaused: row["paused_at"] !== null,
      nextEventId: null,
    },
  };
}

/** A subscription with the event at which it goes on, if it is behind. */
export function subscriptionWithPlace(connection: Connection, row: Row): MatchedSubscription {
  const subscription = subscriptionFromRow(row);
  if (subscription.catchUp === null) return subscription;
  const next = row["backfill_seq"] === null
    ? connection.get(
      `select id from match_log join events on events.seq = event_seq
       where place > ? and event_seq > ? order by place limit 1`,
      Number(row["resume_after"]),
      Number(row["after_seq"]),
    )
    : connection.get("select id from events where seq > ? order by seq limit 1", Number(row["backfill_seq"]));
  return {
    ...subscription,
    catchUp: { ...subscription.catchUp, nextEventId: (next?.["id"] ?? null) as string | null },
  };
}
