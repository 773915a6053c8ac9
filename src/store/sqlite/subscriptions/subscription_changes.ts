// Changes of subscriptions in SQLite: filters, address, on and off, and a new secret.
import type { Vault } from "../../../domain/ports/ports.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type { ChangeRefusal, SubscriptionChange } from "../../../domain/ports/store/subscriptions.ts";
import {
  isEnabled,
  type MatchedSubscription,
  type Subscription,
} from "../../../domain/delivery/subscription.ts";
import type { Connection } from "../connection/connection.ts";
import { PENDING_OF_SUBSCRIPTION } from "../deliveries/delivery_states.ts";
import { disableSubscription, enableSubscription } from "./endpoints.ts";
import { saveResponse } from "../customers/idempotency.ts";
import { secretField } from "../sealed_secrets.ts";
import { otherSubscriptions } from "./subscription_rows.ts";
import { identityOf } from "./subscription_rows.ts";
import { subscriptionFromRow } from "./subscription_rows.ts";
import { SUBSCRIPTION_COLUMNS } from "./subscription_rows.ts";
import { fitToLimits } from "./plan_limits.ts";

/** Reads a subscription whole, its secrets too. */
type Find = (customerId: string, id: string) => Subscription | null;

/** The part of the port that changes subscriptions. */
export function createSubscriptionChanges(
  connection: Connection,
  vault: Vault,
  find: Find,
): Pick<Store, "changeSubscription" | "rotateSecret"> {
  return {
    changeSubscription: (customerId, id, change, options) =>
      Promise.resolve(connection.transaction("durable", (): Subscription | ChangeRefusal => {
        const before = findPlain(connection, customerId, id);
        if (before === null) return "unknown";
        const refusal = changeSubscription(connection, { before, change, options });
        return refusal ?? find(customerId, id) ?? "unknown";
      })),

    rotateSecret: (customerId, id, { secret, previousUntilMs, nowMs, response }) =>
      Promise.resolve(connection.transaction("durable", () => {
        const before = findPlain(connection, customerId, id);
        if (before === null) return null;
        // An unreadable secret must not sign.
        const keeps = before.disabledBy !== "key-lost";
        connection.run(
          `update subscriptions set previous_secret = iif(?, secret, null), previous_secret_until = ?, secret = ?
           where id = ?`,
          keeps ? 1 : 0,
          keeps ? previousUntilMs : null,
          vault.seal(secret, secretField(id)),
          id,
        );
        // It stays disabled until its owner enables it.
        connection.run(
          "update subscriptions set disabled_by = 'owner' where id = ? and disabled_by = 'key-lost'",
          id,
        );
        if (response !== undefined) saveResponse(connection, vault, { response, customerId, atMs: nowMs });
        return find(customerId, id);
      })),
  };
}

function findPlain(connection: Connection, customerId: string, id: string): MatchedSubscription | null {
  const row = connection.get(
    `select ${SUBSCRIPTION_COLUMNS} from subscriptions where id = ? and customer_id = ? and deleted_at is null`,
    id,
    customerId,
  );
  return row === undefined ? null : subscriptionFromRow(row);
}

/** Changes it, or says why not. */
function changeSubscription(
  connection: Connection,
  { before, change, options: { nowMs, activeLimit } }: {
    before: MatchedSubscription;
    change: SubscriptionChange;
    options: { nowMs: number; activeLimit: number };
  },
): ChangeRefusal | null {
  const { enabled, ...fields } = change;
  const after: MatchedSubscription = { ...before, ...fields };
  const wasOn = isEnabled(before);
  const isOn = enabled ?? wasOn;
  const identity = identityOf(after);
  // A subscription held by the plan limits returns by itself, unless its owner disables it.
  const isWanted = isOn || (before.disabledBy === "tier" && enabled === undefined);
  if (isWanted) {
    if (isOn && before.disabledBy === "key-lost") return "key_lost";
    const others = otherSubscriptions(connection, before);
    const twin = others.twinOf(identity);
    if (twin !== null) return twin;
    if (isOn && !wasOn && others.active >= activeLimit) return "limit_reached";
  }
  // First, because a disabled one may equal an enabled one.
  if (wasOn && !isOn) {
    disableSubscription(connection, before.id, { by: "owner", nowMs, mailId: null, problem: null });
  } else if (!isWanted && before.disabledBy === "tier") {
    connection.run("update subscriptions set disabled_by = 'owner' where id = ?", before.id);
  }
  connection.run(
    `update subscriptions set webhook_url = ?, topics = ?, source_filter = ?, severity_min = ?, language = ?,
       identity = ? where id = ?`,
    after.webhookUrl,
    JSON.stringify(after.topics),
    JSON.stringify(after.sourceFilter),
    after.severityMin,
    after.language,
    identity,
    before.id,
  );
  if (after.webhookUrl !== before.webhookUrl) {
    forgetHealth(connection, before.id, isOn ? "steady" : null);
    beginAnew(connection, before.id, nowMs);
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

/** Resets the health for a new endpoint. */
function forgetHealth(connection: Connection, id: string, pace: "steady" | "probing" | null): void {
  connection.run(
    `update subscriptions set first_failure_at = null, consecutive_failures = 0, warned_at = null, resume_at = 0,
       slow_attempts = null, pace = coalesce(?, pace) where id = ?`,
    pace,
    id,
  );
}

/** Restarts the schedule for a new URL: waiting deliveries are due now. Attempts in progress have no record yet. */
function beginAnew(connection: Connection, id: string, nowMs: number): void {
  connection.run(
    `update deliveries indexed by deliveries_due set next_attempt_at = min(next_attempt_at, ?), decided_at = ?,
       not_before = null, tries = 0
     where ${PENDING_OF_SUBSCRIPTION} and tries > 0 and exists (
       select 1 from attempts where delivery_id = deliveries.id and number = deliveries.attempts)`,
    nowMs,
    nowMs,
    id,
  );
}
