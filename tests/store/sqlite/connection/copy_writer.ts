// A process that writes to a database until it is ended: each transaction moves a sum between rows, and the log is
// often brought into the file and begun anew.
import { Connection } from "../../../../src/store/sqlite/connection/connection.ts";

const [file = ""] = Deno.args;
const connection = new Connection(file);
let turn = 0;
while (true) {
  turn++;
  connection.transaction("relaxed", () => {
    const [from, to] = [turn % 500, (turn * 7 + 1) % 500];
    connection.run("update accounts set sum = sum - 1, pad = ? where id = ?", `${turn}`.repeat(100), from);
    connection.run("update accounts set sum = sum + 1, pad = ? where id = ?", `${turn}`.repeat(90), to);
    connection.run("insert into moves (turn) values (?)", turn);
    connection.run("update totals set moves = moves + 1");
  });
  if (turn % 20 === 0) connection.all("pragma wal_checkpoint(passive)");
  if (turn % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1)); // as a server breathes between two writes
  if (turn === 1) console.log("writing");
}
