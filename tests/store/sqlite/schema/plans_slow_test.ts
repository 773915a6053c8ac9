// The plans of all statements of the SQLite engine: no table that grows for years is read from end to end.
import assert from "node:assert/strict";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { testVault } from "../../../support/vault.ts";
import { checkCase } from "../../contract.ts";
import { CASES } from "../../contract/contract.ts";
import { plansOf, statementsOf } from "./statements.ts";

/** Indexes that hold a queue or an order: walking one of them is not reading the table from end to end. */
const WALKED = [
  "deliveries_due",
  "deliveries_oldest_pending",
  "deliveries_held",
  "deliveries_undelivered",
  "deliveries_never_sent",
  "mails_by_age",
  "mails_due",
  "mails_failed",
  "payment_events_by_receipt",
];
/** Tables that stay small, empty themselves, or are an order that a list walks until its page is full. */
const SMALL = [
  "event_order",
  "event_outbox",
  "sources",
  "customers",
  "customer_storage",
  "api_keys",
  "subscriptions",
  "payers",
  "sqlite_sequence",
];

/** Whether a line reads a growing table from end to end; subqueries and virtual tables bring their own lines. */
function readsAll(line: string): boolean {
  const [, table = "", how = ""] = /^SCAN (?:\d+ )?(\w+)(.*)$/.exec(line) ?? [];
  if (table === "" || how.includes("VIRTUAL TABLE") || SMALL.includes(table)) return false;
  if (
    ["CONSTANT", "asked", "waiting", "walked", "queues", "sqlite_master", "sqlite_schema"].includes(table)
  ) {
    return false;
  }
  return !WALKED.some((index) => how.endsWith(`INDEX ${index}`));
}

Deno.test("the SQLite engine reads no growing table from end to end, in any statement of the contract", async () => {
  const statements = await statementsOf(async () => {
    for (const { check } of CASES) await checkCase(check, () => openStore(":memory:", testVault));
  });
  assert.ok(statements.size > 60, "the contract runs the engine's statements");
  for (const { sql, lines } of await plansOf(statements)) {
    assert.doesNotMatch(sql, /\?\d/, "Deno 2.4 cannot bind numbered parameters");
    // A plan of an insert shows the look-ups of violated references, which run only when there are any.
    if (sql.startsWith("insert ")) continue;
    assert.deepEqual(lines.filter(readsAll), [], sql);
    assert.ok(!lines.some((line) => line.includes("AUTOMATIC")), `${sql} builds an index for itself`);
  }
});
