// `audit list`: who did what to customers.
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { CUSTOMER_OPTION, customerOf } from "./named_customer.ts";
import { withStore } from "./open.ts";
import { listLines, MOST_ROWS, print } from "./print.ts";
import { formatTime } from "./table.ts";

/** The command. */
export const auditCommand: Command = {
  name: "audit list",
  usage: "[--customer CUSTOMER] [--json]",
  summary: "lists who did what to customers, the newest first",
  example: "regfeed audit list --customer ana@example.org",
  positionals: [0, 0],
  options: { ...CUSTOMER_OPTION, ...JSON_OPTION },
  run: (call) =>
    withStore(call, async ({ store }) => {
      const entries = await store.listAudit({ limit: MOST_ROWS, ...await customerOf(call, store) });
      const rows = entries.map(({ atMs, actor, act, customerId, change }) => ({
        at: atMs,
        actor,
        act,
        customer: customerId,
        change,
      }));
      print(call, { audit: rows }, () =>
        listLines(
          rows,
          "nothing was done yet",
          ["TIME (UTC)", "ACTOR", "ACT", "CUSTOMER", "CHANGE"],
          (row) => [
            formatTime(row.at),
            row.actor,
            row.act,
            row.customer ?? "",
            JSON.stringify(row.change),
          ],
        ));
      return EXIT.done;
    }),
};
