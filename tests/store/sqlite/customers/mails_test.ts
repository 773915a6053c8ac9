// The emails that the SQLite schema accepts.
import assert from "node:assert/strict";
import { MAIL_KINDS, type NewMail } from "../../../../src/domain/customer/mail.ts";
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../../src/store/sqlite/connection/sql.ts";
import { queueMail } from "../../../../src/store/sqlite/customers/mails.ts";
import { migrate } from "../../../../src/store/sqlite/schema/migrate.ts";
import { T0 } from "../../contract/given.ts";
import { testVault } from "../../../support/vault.ts";

function withCustomer(): Connection {
  const connection = new Connection(":memory:");
  migrate(connection, testVault);
  connection.run(
    sql`insert into customers (id, email, tier, enabled, limits, created_at) values ('cus_1', 'a@b.example', 'team', 1, '{}', 0)`,
  );
  return connection;
}

const MAIL: NewMail = {
  id: "mail_1",
  kind: "quota-80",
  customerId: "cus_1",
  data: { what: "deliveries", used: 400, limit: 500, resetsAtMs: T0 },
  onceKey: "quota-80:cus_1:2026-07",
  atMs: T0,
};

Deno.test("the table accepts every kind of email, no unknown kind, and no email without a customer", () => {
  const connection = withCustomer();
  for (const kind of MAIL_KINDS) {
    assert.equal(queueMail(connection, { ...MAIL, id: kind, kind, onceKey: kind } as NewMail), true, kind);
  }
  const stranger = { ...MAIL, id: "x", kind: "spam", onceKey: "x" } as unknown as NewMail;
  assert.throws(() => queueMail(connection, stranger), /CHECK/);
  assert.throws(
    () => queueMail(connection, { ...MAIL, id: "y", customerId: "cus_2", onceKey: "y" }),
    /FOREIGN KEY/,
  );
  connection.close();
});
