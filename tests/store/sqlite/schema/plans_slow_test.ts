// The query plans of all statements of the SQLite engine: none scans a table that grows over the years.
import assert from "node:assert/strict";
import { openStore } from "../../../../src/store/sqlite/store.ts";
import { testVault } from "../../../support/vault.ts";
import { checkCase } from "../../contract.ts";
import { CASES } from "../../contract/contract.ts";
import { plansOf, statementsOf } from "./statements.ts";

/** Indexes that contain only waiting rows, or that a list reads page by page. Reading one does not scan its table. */
const WALKED = [
  "deliveries_due",
  "deliveries_oldest_pending",
  "deliveries_held",
  "deliveries_undelivered",
  "deliveries_never_sent",
  "incidents_open",
  "mails_by_age",
  "mails_due",
  "mails_failed",
  "payment_events_by_receipt",
  "sessions_of_operators",
];
/** Tables that stay small or are emptied, and `event_order`, which a list reads only until its page is full. */
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

/** Returns whether a line of a plan scans a growing table. The tables that a subquery reads have lines of their own. */
function readsAll(line: string): boolean {
  const [, table = "", how = ""] = /^SCAN (?:\d+ )?(\w+)(.*)$/.exec(line) ?? [];
  if (table === "" || how.includes("VIRTUAL TABLE") || SMALL.includes(table)) return false;
  if (
    ["CONSTANT", "asked", "found", "waiting", "walked", "queues", "sqlite_master", "sqlite_schema"].includes(
      table,
    )
  ) {
    return false;
  }
  return !WALKED.some((index) => how.endsWith(`INDEX ${index}`));
}

Deno.test("no statement of the contract makes the SQLite engine scan a growing table", async () => {
  const statements = await statementsOf(async () => {
    for (const { check } of CASES) await checkCase(check, () => openStore(":memory:", testVault));
  });
  assert.ok(statements.size > 60, "the contract runs too few statements");
  for (const { sql, lines } of await plansOf(statements)) {
    assert.doesNotMatch(sql, /\?\d/, "Deno 2.4 cannot bind numbered parameters");
    // The plan of an insert includes look-ups for violated references, which run only after a violation.
    if (sql.startsWith("insert ")) continue;
    assert.deepEqual(lines.filter(readsAll), [], sql);
    assert.ok(!lines.some((line) => line.includes("AUTOMATIC")), `${sql} builds an automatic index`);
  }
});
