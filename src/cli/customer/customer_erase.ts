// `customer erase`: removes a customer's personal data.
import { join } from "node:path";
import { formatCount } from "../../domain/format_count.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { actOf, requireCustomer } from "./named_customer.ts";
import { type Opened, withStore } from "../../server/open_store.ts";
import { ALL_ROWS } from "../list_page.ts";
import { print } from "../print.ts";

export const customerEraseCommand: Command = {
  name: "customer erase",
  usage: "CUSTOMER --yes [--json]",
  summary: "removes a customer's personal data permanently; keeps ids, counts and the audit log",
  example: "regfeed customer erase cus_01J9ZC3V5T8Q2W4E6R8Y0TAPNB --yes",
  options: { yes: { kind: "flag", help: "confirm; this cannot be undone" } },
  run: (call) => withStore(call, (opened) => eraseCustomer(call, opened)),
};

/** Removes emails from the outbox, and returns how many. The name of a welcome email's file includes the attempt. */
async function removeLetters(
  { host }: CommandCall,
  outbox: string,
  mailIds: readonly string[],
): Promise<number> {
  if (mailIds.length === 0 || !await host.exists(outbox)) return 0;
  const known = new Set(mailIds);
  const letters = (await host.list(outbox)).files.map(({ name }) => name).filter((name) => {
    const id = /^(mail_[^.]+)(?:\.\d+)?\.eml$/.exec(name)?.[1];
    return id !== undefined && known.has(id);
  });
  for (const name of letters) await host.removeFile(join(outbox, name));
  return letters.length;
}

async function eraseCustomer(call: CommandCall, { config, platform, store }: Opened): Promise<void> {
  const customer = await requireCustomer(call, store);
  // A declared customer that is disabled has been removed from the config.
  if (customer.declared && customer.enabled) {
    throw new CommandError(`${customer.id} is declared in the config: remove it there first`);
  }
  if (!call.flags.has("yes")) {
    throw new CommandError("add --yes to confirm: erased data cannot be recovered", EXIT.usage);
  }
  const account = await store.findAccount(customer.id);
  // Removes the files before the list of emails is erased and again afterwards, because a server may add a file.
  const ids = (await store.listMails({ limit: ALL_ROWS, customerId: customer.id })).map(({ id }) => id);
  const removed = await removeLetters(call, config.mail.outbox, ids);
  if (!await store.eraseCustomer(customer.id, actOf(call, platform))) {
    throw new CommandError(`${customer.id} is already erased`);
  }
  const letters = removed + await removeLetters(call, config.mail.outbox, ids);
  if (letters > 0) {
    const emails = formatCount(letters, "email");
    call.host.err(`Removed ${emails} to the customer from ${config.mail.outbox}.\n`);
  }
  if (account?.payment?.access === "granted") {
    call.host.err(
      "The customer is still paying: cancel the subscription at the payment provider, which otherwise keeps charging.\n",
    );
  }
  print(call, { customer: { id: customer.id, erased: true } }, () => `${customer.id} is erased\n`);
}
