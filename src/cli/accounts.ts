// `customer show|erase`, `payment …`, `mail …` and `audit list`: what happened to customers, and what of it is undone.
import { createPayments } from "../accounts/payments.ts";
import type { Account } from "../domain/account_store.ts";
import { createIds } from "../domain/ids.ts";
import { MAIL_STATUSES, type MailStatus } from "../domain/mail.ts";
import type { KeptPayment } from "../domain/payment.ts";
import { type Command, type CommandCall, CommandError, EXIT, JSON_OPTION } from "./command.ts";
import { actOf, publicFields, requireCustomer } from "./customer.ts";
import { type Opened, withStore } from "./open.ts";
import { formatTable, formatTime } from "./table.ts";

/** The most rows that a list prints. */
const MOST_ROWS = 100;

const CUSTOMER_OPTION = {
  customer: { kind: "text", value: "CUSTOMER", help: "only this customer's: its id or its address" },
} as const;

/** The commands. */
export const accountCommands: Command[] = [
  {
    name: "customer show",
    usage: "CUSTOMER [--json]",
    summary: "prints a customer with its keys, payments, subscriptions and mails",
    example: "regfeed customer show ana@example.org",
    positionals: [1, 1],
    options: JSON_OPTION,
    run: (call) =>
      withStore(call, async (opened) => {
        const { id } = await requireCustomer(call, opened.store);
        print(call, await describeAccount(opened, id), describeLines);
        return EXIT.done;
      }),
  },
  {
    name: "customer erase",
    usage: "CUSTOMER --yes [--json]",
    summary: "removes a customer's personal data for good; ids, counts and the audit stay",
    example: "regfeed customer erase cus_01J9ZC3V5T8Q2W4E6R8Y0TAPNB --yes",
    positionals: [1, 1],
    options: { yes: { kind: "flag", help: "do it: it cannot be undone" }, ...JSON_OPTION },
    run: (call) => withStore(call, (opened) => eraseCustomer(call, opened)),
  },
  {
    name: "payment list",
    usage: "[--customer CUSTOMER] [--json]",
    summary: "lists the payment provider's events, the newest received first",
    example: "regfeed payment list",
    positionals: [0, 0],
    options: { ...CUSTOMER_OPTION, ...JSON_OPTION },
    run: (call) =>
      withStore(call, async ({ store }) => {
        const payments = await store.listPayments({ limit: MOST_ROWS, ...await customerOf(call, store) });
        print(call, { payments: payments.map(paymentFields) }, (data) =>
          listLines(data.payments, "no payment events", [
            "EVENT",
            "TYPE",
            "CREATED (UTC)",
            "STATE",
            "CUSTOMER",
          ], (
            row,
          ) => [row.id, row.type, formatTime(row.created_at), row.state, row.customer ?? ""]));
        return EXIT.done;
      }),
  },
  {
    name: "payment show",
    usage: "EVENT [--json]",
    summary: "prints what is kept of a payment event",
    example: "regfeed payment show evt_1MowQVLkdIwHu7ix",
    positionals: [1, 1],
    options: JSON_OPTION,
    run: (call) =>
      withStore(call, async ({ store }) => {
        const id = call.positionals[0] ?? "";
        const found = await store.findPayment(id);
        if (found === null) throw noEvent(id);
        const data = { ...paymentFields(found), fact: found.event.fact };
        print(call, { payment: data }, () => fieldLines(data));
        return EXIT.done;
      }),
  },
  {
    name: "payment replay",
    usage: "EVENT [--json]",
    summary: "applies a kept payment event again, by the prices of the config; harmless when all is well",
    example: "regfeed payment replay evt_1MowQVLkdIwHu7ix",
    positionals: [1, 1],
    options: JSON_OPTION,
    run: (call) => withStore(call, (opened) => replayPayment(call, opened)),
  },
  {
    name: "mail list",
    usage: "[--customer CUSTOMER] [--status STATUS] [--json]",
    summary: "lists the mails to customers, the newest first",
    example: "regfeed mail list --status failed",
    positionals: [0, 0],
    options: {
      ...CUSTOMER_OPTION,
      status: { kind: "text", value: "STATUS", help: MAIL_STATUSES.join(", ") },
      ...JSON_OPTION,
    },
    run: (call) =>
      withStore(call, async ({ store }) => {
        const status = statusOf(call);
        const customer = await customerOf(call, store);
        const mails = await store.listMails({
          limit: MOST_ROWS,
          ...(status === undefined ? {} : { status }),
          ...customer,
        });
        const rows = mails.map((mail) => ({
          id: mail.id,
          kind: mail.kind,
          customer: mail.customerId,
          status: mail.status,
          attempts: mail.attempts,
          created_at: mail.createdAtMs,
          next_attempt_at: mail.nextAttemptAtMs,
          finished_at: mail.finishedAtMs,
          problem: mail.problem,
        }));
        print(call, { mails: rows }, () =>
          listLines(rows, "no mails", ["MAIL", "KIND", "CUSTOMER", "STATUS", "TRIES", "PROBLEM"], (row) => [
            row.id,
            row.kind,
            row.customer,
            row.status,
            row.attempts,
            row.problem ?? "",
          ]));
        return EXIT.done;
      }),
  },
  {
    name: "mail retry",
    usage: "MAIL [--json]",
    summary: "queues a mail again that was given up",
    example: "regfeed mail retry mail_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    positionals: [1, 1],
    options: JSON_OPTION,
    run: (call) =>
      withStore(call, async ({ platform, store }) => {
        const id = call.positionals[0] ?? "";
        if (!await store.retryMail(id, actOf(call, platform))) {
          throw new CommandError(
            `no mail ${id} was given up; \`mail list --status failed\` shows those that were`,
          );
        }
        print(call, { mail: { id, status: "queued" } }, () => `${id} is queued; a running server sends it\n`);
        return EXIT.done;
      }),
  },
  {
    name: "mail cancel",
    usage: "MAIL [--json]",
    summary: "gives up a mail for good: it is sent no more, and health complains of it no more",
    example: "regfeed mail cancel mail_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    positionals: [1, 1],
    options: JSON_OPTION,
    run: (call) =>
      withStore(call, async ({ platform, store }) => {
        const id = call.positionals[0] ?? "";
        if (!await store.cancelMail(id, actOf(call, platform))) {
          throw new CommandError(`no mail ${id} waits or was given up; \`mail list\` shows the mails`);
        }
        print(call, { mail: { id, status: "cancelled" } }, () => `${id} is cancelled\n`);
        return EXIT.done;
      }),
  },
  {
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
  },
];

async function eraseCustomer(call: CommandCall, { platform, store }: Opened): Promise<number> {
  const customer = await requireCustomer(call, store);
  // One that is disabled has gone from the config, or is about to be taken out of it.
  if (customer.declared && customer.enabled) {
    throw new CommandError(`${customer.id} is declared in the config: take it out there first`);
  }
  if (!call.flags.has("yes")) {
    throw new CommandError("--yes is missing: what is erased cannot be brought back", EXIT.usage);
  }
  const account = await store.findAccount(customer.id);
  if (!await store.eraseCustomer(customer.id, actOf(call, platform))) {
    throw new CommandError(`${customer.id} is erased already`);
  }
  if (account?.payment?.access === "granted") {
    call.host.err(
      "It was still paying: cancel its subscription at the payment provider, which charges on.\n",
    );
  }
  print(call, { customer: { id: customer.id, erased: true } }, () => `${customer.id} is erased\n`);
  return EXIT.done;
}

async function replayPayment(call: CommandCall, { config, platform, store }: Opened): Promise<number> {
  if (config.payment === null) throw new CommandError("the config takes no payments: there is no [payment]");
  const id = call.positionals[0] ?? "";
  const newId = createIds(() => platform.clock.nowMs(), (count) => platform.random.bytes(count));
  const log = platform.log("payment");
  const options = { ...config.payment, store, clock: platform.clock, newId, log, tiers: config.tiers };
  const outcome = await createPayments(options).replay(id, actOf(call, platform));
  if (outcome === null) throw noEvent(id);
  print(call, { event: id, outcome }, () => `${id}: ${outcome}\n`);
  return EXIT.done;
}

async function describeAccount({ store }: Opened, id: string): Promise<AccountData> {
  const account = await store.findAccount(id);
  if (account === null) throw new CommandError(`there is no customer ${id}`);
  const { customer, keys, payment, disabledBy, erasedAtMs } = account;
  const subscriptions = await store.listSubscriptions(id);
  const mails = await store.listMails({ limit: 10, customerId: id });
  return {
    customer: {
      ...publicFields(customer),
      limits: customer.limits,
      language: customer.language,
      declared: customer.declared,
      disabled_by: disabledBy,
      erased_at: erasedAtMs,
    },
    keys: keys.map((key) => ({
      last_four: key.lastFour,
      created_at: key.createdAtMs,
      disabled_at: key.disabledAtMs,
    })),
    payment: payment === null ? null : paymentState(payment),
    subscriptions: subscriptions.map((one) => ({
      id: one.id,
      enabled: one.disabledAtMs === null,
      disabled_by: one.disabledBy,
      created_at: one.createdAtMs,
    })),
    mails: mails.map(({ id, kind, status, problem }) => ({ id, kind, status, problem })),
  };
}

function paymentState(payment: NonNullable<Account["payment"]>): Record<string, unknown> {
  const { payer, tier, access, accessUntilMs, unknownPrice } = payment;
  return { payer, tier, access, access_until: accessUntilMs, unknown_price: unknownPrice };
}

interface AccountData {
  customer: Record<string, unknown>;
  keys: Record<string, unknown>[];
  payment: Record<string, unknown> | null;
  subscriptions: Record<string, unknown>[];
  mails: Record<string, unknown>[];
}

function describeLines({ customer, keys, payment, subscriptions, mails }: AccountData): string {
  const part = (name: string, rows: readonly Record<string, unknown>[]) =>
    rows.map((row) => `${name.padEnd(14)} ${wordsOf(row)}\n`).join("");
  return fieldLines(customer) + part("key", keys) + part("payment", payment === null ? [] : [payment]) +
    part("subscription", subscriptions) + part("mail", mails);
}

function fieldLines(fields: Record<string, unknown>): string {
  return Object.entries(fields).map(([name, value]) => `${name.padEnd(14)} ${wordOf(name, value)}\n`).join(
    "",
  );
}

function wordsOf(row: Record<string, unknown>): string {
  return Object.entries(row).map(([name, value]) => `${name}=${wordOf(name, value)}`).join(" ");
}

function wordOf(name: string, value: unknown): string {
  if (typeof value === "number" && /_(at|until)$/.test(name)) return formatTime(value).replace(" ", "T");
  return typeof value === "string" ? value : JSON.stringify(value);
}

interface PaymentFields {
  id: string;
  type: string;
  created_at: number;
  received_at: number;
  state: string;
  customer: string | null;
  payer: string | null;
  subscription: string | null;
}

function paymentFields({ event, customerId }: KeptPayment): PaymentFields {
  const waits = customerId === null ? "waits for its checkout" : "applied";
  return {
    id: event.id,
    type: event.type,
    created_at: event.createdAtMs,
    received_at: event.receivedAtMs,
    state: event.note ?? waits,
    customer: customerId,
    payer: event.payer,
    subscription: event.subscription,
  };
}

async function customerOf(call: CommandCall, store: Opened["store"]): Promise<{ customerId?: string }> {
  const named = call.texts.get("customer");
  if (named === undefined) return {};
  return { customerId: (await requireCustomer({ ...call, positionals: [named] }, store)).id };
}

function statusOf({ texts }: CommandCall): MailStatus | undefined {
  const text = texts.get("status");
  if (text === undefined) return undefined;
  const status = MAIL_STATUSES.find((name) => name === text);
  if (status === undefined) {
    throw new CommandError(`--status must be one of ${MAIL_STATUSES.join(", ")}, not ${text}`, EXIT.usage);
  }
  return status;
}

function noEvent(id: string): CommandError {
  return new CommandError(`no payment event ${id} is kept; \`payment list\` shows them`);
}

function print<T>({ host, flags }: CommandCall, data: T, lines: (data: T) => string): void {
  host.out(flags.has("json") ? `${JSON.stringify(data)}\n` : lines(data));
}

function listLines<T>(
  rows: readonly T[],
  none: string,
  header: readonly string[],
  cells: (row: T) => (string | number)[],
): string {
  return rows.length === 0 ? `${none}\n` : formatTable(header, rows.map(cells));
}
