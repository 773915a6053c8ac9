// Subscriptions in SQLite.
import type { Vault } from "../../../domain/ports/ports.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import { MAX_DISABLED, type Subscription } from "../../../domain/delivery/subscription.ts";
import type { Connection, Row } from "../connection/connection.ts";
import { LAST_POSITION_SQL } from "../deliveries/catch_up.ts";
import { countDaily } from "../customers/daily_usage.ts";
import { cancelDeliveries } from "../deliveries/delivery_states.ts";
import { saveResponse } from "../customers/idempotency.ts";
import { secretField, SecretReader } from "../sealed_secrets.ts";
import { createSubscriptionChanges } from "./subscription_changes.ts";
import { fitToLimits } from "./plan_limits.ts";
import {
  identityOf,
  otherSubscriptions,
  SUBSCRIPTION_COLUMNS,
  subscriptionWithCursor,
} from "./subscription_rows.ts";

type SubscriptionMethods =
  | "addSubscription"
  | "listSubscriptions"
  | "findSubscription"
  | "deleteSubscription"
  | "changeSubscription"
  | "rotateSecret";

const SECRET_COLUMNS = "secret, previous_secret, previous_secret_until";

/** The part of the port that concerns subscriptions. */
export function createSubscriptions(connection: Connection, vault: Vault): Pick<Store, SubscriptionMethods> {
  const secrets = new SecretReader(vault);
  const whole = (row: Row): Subscription => ({
    ...subscriptionWithCursor(connection, row),
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

    addSubscription: (subscription, activeLimit, { response, backfill } = {}) =>
      Promise.resolve(connection.transaction("durable", () => {
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
      })),

    listSubscriptions: (customerId) =>
      Promise.resolve(
        connection.all(
          `select ${SUBSCRIPTION_COLUMNS} from subscriptions
           where customer_id = ? and deleted_at is null order by created_at, id`,
          customerId,
        ).map((row) => subscriptionWithCursor(connection, row)),
      ),

    findSubscription: (customerId, id) => Promise.resolve(find(customerId, id)),

    deleteSubscription: (customerId, id, { nowMs, activeLimit }) =>
      Promise.resolve(connection.transaction("durable", () => {
        const subscription = find(customerId, id);
        if (subscription === null) return null;
        connection.run("update subscriptions set deleted_at = ?, closing = 1 where id = ?", nowMs, id);
        cancelDeliveries(connection, id, nowMs);
        fitToLimits(connection, customerId, { limit: activeLimit, by: { actor: "service", atMs: nowMs } });
        return { ...subscription, deletedAtMs: nowMs };
      })),
  };
}

function countDisabled(connection: Connection, customerId: string): number {
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
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, iif(?, ${LAST_POSITION_SQL}, null),
       (select coalesce(max(seq), 0) from events))`,
    subscription.id,
    subscription.customerId,
    subscription.webhookUrl,
    vault.seal(subscription.webhookSecret, secretField(subscription.id)),
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
