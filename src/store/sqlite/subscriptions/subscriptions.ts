// Adds, finds, changes and deletes subscriptions in SQLite.
import type { Vault } from "../../../domain/ports/ports.ts";
import { MAX_DISABLED, type Subscription } from "../../../domain/delivery/subscription.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { LAST_POSITION_SQL } from "../deliveries/catch_up_subscriptions.ts";
import { countDaily } from "../customers/daily_usage.ts";
import { cancelDeliveries } from "../deliveries/delivery_states.ts";
import { saveResponse } from "../customers/idempotency.ts";
import { openHeaders, sealHeaders, secretField } from "../sealed_secrets.ts";
import { createSubscriptionChanges } from "./subscription_changes.ts";
import { fitToLimits } from "./plan_limits.ts";
import {
  filterJson,
  identityOf,
  LISTED_COLUMNS,
  listedFromRow,
  otherSubscriptions,
  SUBSCRIPTION_COLUMNS,
} from "./subscription_rows.ts";
import { sql, type Value } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

type SubscriptionMethods =
  | "addSubscription"
  | "listSubscriptions"
  | "findSubscription"
  | "deleteSubscription"
  | "changeSubscription"
  | "rotateSecret";

const SECRET_COLUMNS = sql`secret, previous_secret, previous_secret_until, headers`;

export function createSubscriptions(connection: Connection, vault: Vault): Part<SubscriptionMethods> {
  const whole = (row: Row): Subscription => ({
    ...listedFromRow(connection, row),
    ...secretsFromRow(row, vault),
  });
  const find = (customerId: string, id: string): Subscription | null => {
    const row = connection.get(
      sql`select ${SUBSCRIPTION_COLUMNS}, ${LISTED_COLUMNS}, ${SECRET_COLUMNS} from subscriptions
        where id = ${id} and customer_id = ${customerId} and deleted_at is null`,
    );
    return row === undefined ? null : whole(row);
  };

  return {
    ...createSubscriptionChanges(connection, vault, find),

    addSubscription: (subscription, activeLimit, { response, backfill } = {}) =>
      connection.transaction("durable", () => {
        const identity = identityOf(subscription);
        const wanted = otherSubscriptions(connection, subscription);
        const twin = wanted.twinOf(identity);
        if (twin !== null) return twin;
        if (wanted.active >= activeLimit) return "limit_reached";
        const { customerId, createdAtMs } = subscription;
        if (countDisabled(connection, customerId) >= MAX_DISABLED) return "too_many_disabled";
        if (backfill !== undefined) {
          const request = {
            action: "backfills",
            count: 1,
            limit: backfill.perDay,
            nowMs: createdAtMs,
          } as const;
          if (!countDaily(connection, customerId, request).granted) return "backfill_limit_reached";
        }
        insert(connection, vault, { subscription, identity, backfillSinceMs: backfill?.sinceMs });
        if (response !== undefined) {
          saveResponse(connection, vault, { response, customerId, atMs: createdAtMs });
        }
        return "created";
      }),

    listSubscriptions: (customerId) =>
      connection.all(
        sql`select ${SUBSCRIPTION_COLUMNS}, ${LISTED_COLUMNS} from subscriptions
          where customer_id = ${customerId} and deleted_at is null order by created_at, id`,
      ).map((row) => listedFromRow(connection, row)),

    findSubscription: (customerId, id) => find(customerId, id),

    deleteSubscription: (customerId, id, { nowMs, activeLimit }) =>
      connection.transaction("durable", () => {
        const subscription = find(customerId, id);
        if (subscription === null) return null;
        connection.run(
          sql`update subscriptions
            set deleted_at = ${nowMs}, closing = 1, headers = null, header_names = '[]' where id = ${id}`,
        );
        cancelDeliveries(connection, id, nowMs);
        fitToLimits(connection, customerId, { limit: activeLimit, by: { actor: "service", atMs: nowMs } });
        return {
          ...subscription,
          deletedAtMs: nowMs,
          health: { ...subscription.health, pending: 0, held: 0 },
        };
      }),
  };
}

function countDisabled(connection: Connection, customerId: string): number {
  const row = connection.get(
    sql`select count(*) as off from subscriptions indexed by subscriptions_by_customer
      where customer_id = ${customerId} and deleted_at is null and disabled_at is not null`,
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
    sql`insert into subscriptions (id, customer_id, name, note, webhook_url, secret, headers, header_names,
       filter, language, identity, created_at, backfill_since, backfill_seq, resume_after, after_seq)
     values (${subscription.id}, ${subscription.customerId}, ${subscription.name}, ${subscription.note},
       ${subscription.webhookUrl},
       ${vault.seal(subscription.webhookSecret, secretField(subscription.id))},
       ${sealHeaders(vault, subscription.id, subscription.headers)},
       ${JSON.stringify(subscription.headerNames)},
       ${filterJson(subscription)}, ${subscription.language}, ${identity}, ${subscription.createdAtMs},
       ${backfillSinceMs ?? null}, ${backfillSinceMs === undefined ? null : 0},
       iif(${backfillSinceMs === undefined ? 0 : 1}, ${LAST_POSITION_SQL}, null),
       (select coalesce(max(seq), 0) from events))`,
  );
}

function secretsFromRow(
  row: Row,
  vault: Vault,
): Pick<Subscription, "webhookSecret" | "previousSecret" | "headers"> {
  const id = String(row["id"]);
  const open = (sealed: Value | undefined) => vault.open(sealed as Uint8Array, secretField(id));
  return {
    webhookSecret: open(row["secret"]),
    headers: openHeaders(vault, id, row["headers"] as Uint8Array | null),
    previousSecret: row["previous_secret"] === null ? null : {
      secret: open(row["previous_secret"]),
      untilMs: Number(row["previous_secret_until"]),
    },
  };
}
