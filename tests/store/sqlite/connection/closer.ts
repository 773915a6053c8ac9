// A process that opens a database, reads it and closes it.
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../../src/store/sqlite/connection/sql.ts";

const connection = new Connection(Deno.args[0] ?? "");
connection.get(sql`select count(*) as events from events`);
connection.close();
