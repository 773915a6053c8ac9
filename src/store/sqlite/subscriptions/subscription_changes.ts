// Changes subscriptions in SQLite: filters, webhook URL, enabling and secret.
import type { Vault } from "../../../domain/ports/ports.ts";
import type { ChangeRefusal, SubscriptionChange } from "../../../domain/ports/store/subscriptions.ts";
import {
  isEnabled,
  type MatchedSubscription,
  type Subscription,
} from "../../../domain/delivery/subscription.ts";
import type { Connection } from "../connection/connection.ts";
import { restartSchedules } from "../deliveries/delivery_states.ts";
import { disableSubscription, enableSubscription } from "./endpoints.ts";
import { saveResponse } from "../customers/idempotency.ts";
import { sealHeaders, secretField } from "../sealed_secrets.ts";
import {
  filterJson,
  identityOf,
  otherSubscriptions,
  SUBSCRIPTION_COLUMNS,
  subscriptionFromRow,
} from "./subscription_rows.ts";
import { fitToLimits } from "./plan_limits.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

/** Reads a complete subscription, including its secrets. */
type Find = (customerId: string, id: string) => Subscription | null;

export function createSubscriptionChanges(
  connection: Connection,
  vault: Vault,
  find: Find,
): Part<"changeSubscription" | "rotateSecret"> {
  return {
    changeSubscription: (customerId, id, change, options) =>
      connection.transaction("durable", (): Subscription | ChangeRefusal => {
        const before = findPlain(connection, customerId, id);
        if (before === null) return "unknown";
        const refusal = changeSubscription(connection, vault, { before, change, options });
        return refusal ?? find(customerId, id) ?? "unknown";
      }),

    rotateSecret: (customerId, id, { secret, previousUntilMs, nowMs, response }) =>
      connection.transaction("durable", () => {
        const before = findPlain(connection, customerId, id);
        if (before === null) return null;
        // If the key was lost, the stored secret is one that the owner has never known, so it must not sign.
        const keeps = before.disabledBy !== "key-lost";
        connection.run(
          sql`update subscriptions
            set previous_secret = iif(${keeps ? 1 : 0}, secret, null),
              previous_secret_until = ${keeps ? previousUntilMs : null},
              secret = ${vault.seal(secret, secretField(id))} where id = ${id}`,
        );
        // The subscription stays disabled until its owner enables it.
        connection.run(
          sql`update subscriptions set disabled_by = 'owner' where id = ${id} and disabled_by = 'key-lost'`,
        );
        if (response !== undefined) saveResponse(connection, vault, { response, customerId, atMs: nowMs });
        return find(customerId, id);
      }),
  };
}

function findPlain(connection: Connection, customerId: string, id: string): MatchedSubscription | null {
  const row = connection.get(
    sql`select ${SUBSCRIPTION_COLUMNS} from subscriptions
      where id = ${id} and customer_id = ${customerId} and deleted_at is null`,
  );
  return row === undefined ? null : subscriptionFromRow(row);
}

function changeSubscription(
  connection: Connection,
  vault: Vault,
  { before, change, options: { nowMs, activeLimit } }: {
    before: MatchedSubscription;
    change: SubscriptionChange;
    options: { nowMs: number; activeLimit: number };
  },
): ChangeRefusal | null {
  const { enabled, name, note, headers, ...fields } = change;
  const after: MatchedSubscription = { ...before, ...fields };
  const wasOn = isEnabled(before);
  const isOn = enabled ?? wasOn;
  const identity = identityOf(after);
  const isMoved = after.webhookUrl !== before.webhookUrl;
  if (headers === undefined && isMoved && hasHeaders(connection, before.id)) return "headers_missing";
  // A subscription disabled by the tier limit is enabled again automatically, unless its owner disables it.
  const isWanted = isOn || (before.disabledBy === "tier" && enabled === undefined);
  if (isWanted) {
    if (isOn && before.disabledBy === "key-lost") return "key_lost";
    if (isOn && headers === undefined && hasLostHeaders(connection, before.id)) return "headers_lost";
    const others = otherSubscriptions(connection, before);
    const twin = others.twinOf(identity);
    if (twin !== null) return twin;
    if (isOn && !wasOn && others.active >= activeLimit) return "limit_reached";
  }
  // This precedes the update, because only a disabled subscription may be a duplicate of an enabled one.
  if (wasOn && !isOn) {
    disableSubscription(connection, before.id, { by: "owner", nowMs, mailId: null, problem: null });
  } else if (!isWanted && before.disabledBy === "tier") {
    connection.run(sql`update subscriptions set disabled_by = 'owner' where id = ${before.id}`);
  }
  connection.run(
    sql`update subscriptions
      set webhook_url = ${after.webhookUrl}, filter = ${filterJson(after)}, language = ${after.language},
        identity = ${identity} where id = ${before.id}`,
  );
  if (name !== undefined) {
    connection.run(sql`update subscriptions set name = ${name} where id = ${before.id}`);
  }
  if (note !== undefined) {
    connection.run(sql`update subscriptions set note = ${note} where id = ${before.id}`);
  }
  if (headers !== undefined) {
    connection.run(
      sql`update subscriptions
        set headers = ${sealHeaders(vault, before.id, headers)}, header_names = ${
        JSON.stringify(Object.keys(headers))
      } where id = ${before.id}`,
    );
  }
  if (isMoved) {
    forgetHealth(connection, before.id, isOn ? "steady" : null);
    restartSchedules(connection, before.id, nowMs);
  }
  if (!wasOn && isOn) enableSubscription(connection, before.id);
  if (wasOn && !isOn) {
    fitToLimits(connection, before.customerId, {
      limit: activeLimit,
      by: { actor: "service", atMs: nowMs },
    });
  }
  return null;
}

function hasHeaders(connection: Connection, id: string): boolean {
  return connection.get(sql`select 1 from subscriptions where id = ${id} and header_names <> '[]'`) !==
    undefined;
}

/** Whether the values of the headers were lost with the key of the store. Their names are known. */
function hasLostHeaders(connection: Connection, id: string): boolean {
  return connection.get(
    sql`select 1 from subscriptions where id = ${id} and headers is null and header_names <> '[]'`,
  ) !== undefined;
}

function forgetHealth(connection: Connection, id: string, pace: "steady" | "probing" | null): void {
  connection.run(
    sql`update subscriptions
      set first_failure_at = null, consecutive_failures = 0, warned_at = null, resume_at = 0,
        slow_attempts = null, last_success_at = null, pace = coalesce(${pace}, pace) where id = ${id}`,
  );
}
