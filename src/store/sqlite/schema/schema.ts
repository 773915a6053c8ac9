// The schema of the database, with one SQL file per subject.
import coverage from "./coverage.sql" with { type: "text" };
import customerStorage from "./customer_storage.sql" with { type: "text" };
import customers from "./customers.sql" with { type: "text" };
import deliveries from "./deliveries.sql" with { type: "text" };
import events from "./events.sql" with { type: "text" };
import mails from "./mails.sql" with { type: "text" };
import payments from "./payments.sql" with { type: "text" };
import publications from "./publications.sql" with { type: "text" };
import sessions from "./sessions.sql" with { type: "text" };
import sources from "./sources.sql" with { type: "text" };
import store from "./store.sql" with { type: "text" };
import subscriptions from "./subscriptions.sql" with { type: "text" };

/** The statements that create all tables. Each trigger comes after the tables that it uses. */
export const SCHEMA = [
  ...[store, sources, coverage, events, publications, customers, payments, mails, sessions],
  ...[subscriptions, deliveries, customerStorage],
].join("\n");
