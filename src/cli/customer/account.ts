// `customer show` and `customer erase`: show and erase a customer's data.
import { join } from "node:path";
import type { Account } from "../../domain/ports/store/customers.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { type Customer, limitsOf } from "../../domain/customer/customer.ts";
import { describeDelivery } from "../../domain/delivery/delivery.ts";
import { isId } from "../../domain/event/ids.ts";
import { limitFields } from "../../domain/customer/tier.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { actOf, keyFields, publicFields, requireCustomer } from "./named_customer.ts";
import { type Opened, withStore } from "../../server/open_store.ts";
import { ALL_ROWS } from "../list_page.ts";
import { fieldLines, print, wordsIn } from "../print.ts";

/** Maximum number of emails shown without `--json`. */
const SHOWN_MAILS = 10;

export const accountCommands: Command[] = [
  {
    name: "customer show",
    usage: "CUSTOMER [--json]",
    summary: "shows the keys, payments, subscriptions and emails of a customer, or of a subscription's owner",
    example: "regfeed customer show ana@example.org",
    run: (call) =>
      withStore(call, async (opened) => {
        const owner = await ownerOf(opened.store, call.positionals[0] ?? "");
        const { id } = owner ?? await requireCustomer(call, opened.store);
        print(call, await describeAccount(opened, id), describeLines);
      }),
  },
  {
    name: "customer erase",
    usage: "CUSTOMER --yes [--json]",
    summary: "removes a customer's personal data permanently; keeps ids, counts and the audit log",
    example: "regfeed customer erase cus_01J9ZC3V5T8Q2W4E6R8Y0TAPNB --yes",
    options: { yes: { kind: "flag", help: "confirm; this cannot be undone" } },
    run: (call) => withStore(call, (opened) => eraseCustomer(call, opened)),
  },
];

/** Finds the owner of a subscription, which may be deleted. Returns null if `named` is not a subscription id. */
async function ownerOf(store: Store, named: string): Promise<Customer | null> {
  if (!isId("subscription", named)) return null;
  const id = await store.findOwner("subscription", named);
  if (id === null) throw new CommandError(`unknown subscription ${named}`);
  return await store.findCustomer(id);
}

/** Finds a subscription's newest delivery that has not arrived, and the reason. */
async function undelivered(
  store: Store,
  customerId: string,
  subscriptionId: string,
): Promise<{ undelivered: string | null; reason: string | null }> {
  const query = { limit: 1, subscriptionId, statuses: ["pending", "held", "failed"] as const };
  const [newest] = await store.listDeliveries(customerId, query);
  return newest === undefined
    ? { undelivered: null, reason: null }
    : { undelivered: newest.id, reason: describeDelivery(newest) };
}

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
    const emails = `${letters} ${letters === 1 ? "email" : "emails"}`;
    call.host.err(`Removed ${emails} to the customer from ${config.mail.outbox}.\n`);
  }
  if (account?.payment?.access === "granted") {
    call.host.err(
      "The customer is still paying: cancel the subscription at the payment provider, which otherwise keeps charging.\n",
    );
  }
  print(call, { customer: { id: customer.id, erased: true } }, () => `${customer.id} is erased\n`);
}

async function describeAccount({ config, platform, store }: Opened, id: string) {
  const account = await store.findAccount(id);
  if (account === null) throw new CommandError(`there is no customer ${id}`);
  const { customer, keys, payment, disabledBy, erasedAtMs } = account;
  const subscriptions = await store.listSubscriptions(id);
  const counts = await store.countUndeliveredOf(id);
  const mails = await store.listMails({ limit: ALL_ROWS, customerId: id });
  return {
    customer: {
      ...publicFields(customer),
      limits: limitFields(limitsOf(customer, config.tiers)),
      own_limits: customer.tier === "embedded" ? limitFields(customer.limits) : {},
      language: customer.language,
      declared: customer.declared,
      declared_as: config.customers.find((declared) => declared.id === id)?.name ?? null,
      disabled_by: disabledBy,
      erased_at: erasedAtMs,
    },
    keys: keys.map((key) => keyFields(key, platform.clock.nowMs())),
    payment: payment === null ? null : paymentState(payment),
    subscriptions: await Promise.all(subscriptions.map(async (one) => ({
      id: one.id,
      enabled: one.disabledAtMs === null,
      disabled_by: one.disabledBy,
      catch_up: one.catchUp?.reason ?? null,
      created_at: one.createdAtMs,
      held: counts.get(one.id)?.held ?? 0,
      failed: counts.get(one.id)?.failed ?? 0,
      ...await undelivered(store, id, one.id),
    }))),
    mails: mails.map(({ id, kind, status, createdAtMs, problem }) => ({
      id,
      kind,
      status,
      created_at: createdAtMs,
      problem,
    })),
  };
}

function paymentState(payment: NonNullable<Account["payment"]>): Record<string, unknown> {
  const { payer, tier, access, accessUntilMs, unknownPrice } = payment;
  return { payer, tier, access, access_until: accessUntilMs, unknown_price: unknownPrice };
}

type AccountData = Awaited<ReturnType<typeof describeAccount>>;

function describeLines({ customer, keys, payment, subscriptions, mails }: AccountData): string {
  const part = (name: string, rows: readonly Record<string, unknown>[]) =>
    rows.map((row) => `${name.padEnd(14)} ${wordsIn(withoutEmpty(row))}\n`).join("");
  const noAddress =
    "none; set one with `customer set-email CUSTOMER ADDRESS`, which also sends waiting emails";
  const email = customer["erased_at"] !== null ? "erased" : customer["email"] || noAddress;
  return fieldLines(withoutEmpty({ ...customer, email })) + part("key", keys) +
    part("payment", payment === null ? [] : [payment]) +
    part("subscription", subscriptions.map(withoutZeros)) + part("mail", mails.slice(0, SHOWN_MAILS)) +
    (mails.length > SHOWN_MAILS
      ? `${"".padEnd(14)} older emails: ${mails.length - SHOWN_MAILS}; \`mail list --customer ${
        customer["id"]
      }\` lists all\n`
      : "");
}

function withoutZeros({ held, failed, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const { undelivered, reason, ...facts } = rest;
  return { ...facts, held: held || null, failed: failed || null, undelivered, reason };
}

/** Drops the fields without a value, and formats objects as `name=value` pairs. */
function withoutEmpty(row: Record<string, unknown>): Record<string, unknown> {
  const words = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.entries(value).map(([one, number]) => `${one}=${number}`).join(" ")
      : value,
  ]);
  return Object.fromEntries(words.filter(([, value]) => value !== null && value !== ""));
}
