// A process that writes to a database until it is killed. Each transaction moves an amount between rows, and the
// write-ahead log is often checkpointed and restarted. Argument: FILE.
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";
import { sql } from "../../../../src/store/sqlite/connection/sql.ts";

const [file = ""] = Deno.args;
const connection = new Connection(file);
let turn = 0;
while (true) {
  turn++;
  connection.transaction("relaxed", () => {
    const [from, to] = [turn % 500, (turn * 7 + 1) % 500];
    connection.run(sql`update accounts set sum = sum - 1, pad = ${`${turn}`.repeat(100)} where id = ${from}`);
    connection.run(sql`update accounts set sum = sum + 1, pad = ${`${turn}`.repeat(90)} where id = ${to}`);
    connection.run(sql`insert into moves (turn) values (${turn})`);
    connection.run(sql`update totals set moves = moves + 1`);
  });
  if (turn % 20 === 0) connection.all(sql`pragma wal_checkpoint(passive)`);
  if (turn % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1)); // a server also pauses between writes
  if (turn === 1) console.log("writing");
}
