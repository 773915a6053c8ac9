// Stored responses to requests with an idempotency key, in SQLite.
import type { Vault } from "../../../domain/ports/ports.ts";
import type { StoredResponse } from "../../../domain/ports/store/customers.ts";
import type { Connection } from "../connection/connection.ts";
import { responseField } from "../sealed_secrets.ts";
import { sql } from "../connection/sql.ts";
import type { Part } from "../store_methods.ts";

export function createIdempotency(
  connection: Connection,
  vault: Vault,
): Part<"findResponse" | "removeResponses" | "storeResponse"> {
  return {
    findResponse: (customerId, key, afterMs) => {
      const row = connection.get(
        sql`select response from stored_responses
          where customer_id = ${customerId} and key = ${key} and created_at > ${afterMs}`,
      );
      if (row === undefined) return null;
      const sealed = row["response"] as Uint8Array;
      return { key, ...JSON.parse(vault.open(sealed, responseField(customerId, key))) };
    },

    storeResponse: (customerId, response, atMs) =>
      connection.transaction(
        "relaxed",
        () => saveResponse(connection, vault, { response, customerId, atMs }),
      ),

    removeResponses: (untilMs) => {
      const isAny = connection.get(
        sql`select 1 from stored_responses where created_at <= ${untilMs} limit 1`,
      );
      if (isAny !== undefined) {
        connection.transaction(
          "relaxed",
          () => connection.run(sql`delete from stored_responses where created_at <= ${untilMs}`),
        );
      }
    },
  };
}

/** Stores a response. An expired response under the same key is overwritten. */
export function saveResponse(
  connection: Connection,
  vault: Vault,
  { response: { key, requestHash, json }, customerId, atMs }: {
    response: StoredResponse;
    customerId: string;
    atMs: number;
  },
): void {
  const sealed = vault.seal(JSON.stringify({ requestHash, json }), responseField(customerId, key));
  connection.run(
    sql`insert or replace into stored_responses (customer_id, key, response, created_at)
      values (${customerId}, ${key}, ${sealed}, ${atMs})`,
  );
}
