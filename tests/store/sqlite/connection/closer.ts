// A process that opens a database, reads it and closes it.
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";

const connection = new Connection(Deno.args[0] ?? "");
connection.get("select count(*) as events from events");
connection.close();
