// `customer erase`: removes a customer's personal data.
import { formatCount } from "../../domain/format_count.ts";
import { eraseCustomer, requireErasable } from "../../operate/customers.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { actOf, requireCustomer } from "./named_customer.ts";
import { type Opened, withStore } from "../../server/open_store.ts";
import { print } from "../print.ts";

export const customerEraseCommand: Command = {
  name: "customer erase",
  usage: "CUSTOMER --yes [--json]",
  summary: "removes a customer's personal data permanently; keeps ids, counts and the audit log",
  example: "regfeed customer erase cus_01J9ZC3V5T8Q2W4E6R8Y0TAPNB --yes",
  options: { yes: { kind: "flag", help: "confirm; this cannot be undone" } },
  run: (call) => withStore(call, (opened) => erase(call, opened)),
};

async function erase(call: CommandCall, { config, platform, store }: Opened): Promise<void> {
  const { id } = await requireErasable(store, (await requireCustomer(call, store)).id);
  if (!call.flags.has("yes")) {
    throw new CommandError("add --yes to confirm: erased data cannot be recovered", EXIT.usage);
  }
  const operation = { ...platform, config, store, files: call.host };
  const { letters, isPaying } = await eraseCustomer(operation, id, actOf(call, platform));
  if (letters > 0) {
    const emails = formatCount(letters, "email");
    call.host.err(`Removed ${emails} to the customer from ${config.mail.outbox}.\n`);
  }
  if (isPaying) {
    call.host.err(
      "The customer is still paying: cancel the subscription at the payment provider, which otherwise keeps charging.\n",
    );
  }
  print(call, { customer: { id, erased: true } }, () => `${id} is erased\n`);
}
