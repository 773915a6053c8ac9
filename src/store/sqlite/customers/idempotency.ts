// First answers to requests that named a key of their own, in SQLite.
import type { Vault } from "../../../domain/ports/ports.ts";
import type { Store } from "../../../domain/ports/store/store.ts";
import type { RememberedResponse } from "../../../domain/ports/store/delivery_log.ts";
import type { Connection } from "../connection/connection.ts";
import { responseField } from "../seals.ts";

/** The part of the port that concerns remembered answers. */
export function createIdempotency(
  connection: Connection,
  vault: Vault,
): Pick<Store, "findResponse" | "forgetResponses" | "rememberResponse"> {
  return {
    findResponse: (customerId, key, afterMs) => {
      const row = connection.get(
        `select request_hash, answer from remembered_answers
         where customer_id = ? and key = ? and created_at > ?`,
        customerId,
        key,
        afterMs,
      );
      return Promise.resolve(
        row === undefined ? null : {
          key,
          requestHash: String(row["request_hash"]),
          json: vault.open(row["answer"] as Uint8Array, responseField(customerId, key)),
        },
      );
    },

    rememberResponse: (customerId, answer, atMs) =>
      Promise.resolve(
        connection.transaction("relaxed", () => remember(connection, vault, { answer, customerId, atMs })),
      ),

    forgetResponses: (untilMs) => {
      const isAny = connection.get("select 1 from remembered_answers where created_at <= ? limit 1", untilMs);
      if (isAny !== undefined) {
        connection.transaction(
          "relaxed",
          () => connection.run("delete from remembered_answers where created_at <= ?", untilMs),
        );
      }
      return Promise.resolve();
    },
  };
}

/** Keeps an answer; one that is out of date under the same key gives way. */
export function remember(
  connection: Connection,
  vault: Vault,
  { answer, customerId, atMs }: { answer: RememberedResponse; customerId: string; atMs: number },
): void {
  connection.run(
    `insert or replace into remembered_answers (customer_id, key, request_hash, answer, created_at)
     values (?, ?, ?, ?, ?)`,
    customerId,
    answer.key,
    answer.requestHash,
    vault.seal(answer.json, responseField(customerId, answer.key)),
    atMs,
  );
}
