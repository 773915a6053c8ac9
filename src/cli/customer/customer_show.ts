// `customer show`: shows a customer with its usage, keys, subscriptions, payments and emails.
import { keyStateOf } from "../../domain/customer/api_key.ts";
import { type Customer, limitsOf } from "../../domain/customer/customer.ts";
import { utcMonth } from "../../domain/customer/quota_period.ts";
import { limitFields } from "../../domain/customer/tier.ts";
import { describeDelivery } from "../../domain/delivery/delivery.ts";
import type { DisabledReason, ListedSubscription } from "../../domain/delivery/subscription.ts";
import { isId } from "../../domain/event/ids.ts";
import type { Account } from "../../domain/ports/store/customers.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { type CommandCall, CommandError } from "../../server/command_context.ts";
import { type Opened, withStore } from "../../server/open_store.ts";
import { toUsage } from "../../wire/usage.ts";
import { stateCell } from "../colours.ts";
import type { Command } from "../command.ts";
import { ALL_ROWS } from "../list_page.ts";
import { type Listing, nameProgram, printTable, tableFor, timeCell, timeText } from "../print.ts";
import { formatFields, textWidth } from "../wrap_text.ts";
import { keyColumns } from "./key.ts";
import { keyFields, publicFields, requireCustomer } from "./named_customer.ts";
import { utcDay } from "../../domain/utc_day.ts";

/** Maximum number of emails shown without `--json`. */
const SHOWN_MAILS = 10;

const ENABLED_BY_OWNER = "can enable it with PATCH /v1/subscriptions/{id}";

/** Why a subscription is disabled, and what enables it again. */
const DISABLED_WORDS: Readonly<Record<DisabledReason, string>> = {
  owner: `by its owner, who ${ENABLED_BY_OWNER}`,
  gone: `because the endpoint responded with 410; its owner ${ENABLED_BY_OWNER}`,
  failing: `because no delivery succeeded for days; its owner ${ENABLED_BY_OWNER}`,
  "key-lost": "because its secret is lost; its owner rotates the secret, then enables it",
  tier: "because it exceeds the tier's limit; it is enabled automatically when the limit allows",
};

export const customerShowCommand: Command = {
  name: "customer show",
  usage: "CUSTOMER [--utc] [--json]",
  summary: "shows a customer's usage, keys, subscriptions, payments and emails",
  details: "CUSTOMER may also be the id of a subscription, whose owner is shown.",
  example: "regfeed customer show ana@example.org",
  run: (call) =>
    withStore(call, async (opened) => {
      const owner = await ownerOf(opened.store, call.positionals[0] ?? "");
      const { id } = owner ?? await requireCustomer(call, opened.store);
      const shown = await readCustomer(opened, id);
      printTable(call, shown.json, () => ({ table: describe(call, shown), notes: "" }));
    }),
};

/** Finds the owner of a subscription, which may be deleted. Returns null if `named` is not a subscription id. */
async function ownerOf(store: Store, named: string): Promise<Customer | null> {
  if (!isId("subscription", named)) return null;
  const id = await store.findOwner("subscription", named);
  if (id === null) {
    throw new CommandError(
      `there is no subscription ${named}; \`regfeed customer list\` lists the customers`,
    );
  }
  return await store.findCustomer(id);
}

async function readCustomer({ config, platform, store }: Opened, id: string) {
  const account = await store.findAccount(id);
  if (account === null) throw new CommandError(`there is no customer ${id}`);
  const { customer, keys, payment, disabledBy, erasedAtMs } = account;
  const nowMs = platform.clock.nowMs();
  const limits = limitsOf(customer, config.tiers);
  const listed = await store.listSubscriptions(id);
  const counts = await store.countUndeliveredOf(id);
  const subscriptions = await Promise.all(
    listed.map(async (one) => ({
      ...subscriptionFields(one),
      failed: counts.get(one.id)?.failed ?? 0,
      ...await newestUndelivered(store, id, one.id),
    })),
  );
  const mails = await store.listMails({ limit: ALL_ROWS, customerId: id });
  const json = {
    customer: {
      ...publicFields(customer),
      limits: limitFields(limits),
      own_limits: customer.tier === "embedded" ? limitFields(customer.limits) : {},
      language: customer.language,
      declared: customer.declared,
      declared_as: config.customers.find((declared) => declared.id === id)?.name ?? null,
      disabled_by: disabledBy,
      erased_at: erasedAtMs,
    },
    usage: toUsage({
      tier: customer.tier,
      limits,
      requests: await store.countedRequests(id, utcDay(nowMs)),
      month: await store.usageOf(id, utcMonth(nowMs)),
      today: await store.usedToday(id, nowMs),
      nowMs,
    }),
    keys: keys.map((key) => keyFields(key, nowMs)),
    payment: payment === null ? null : paymentFields(payment),
    subscriptions,
    mails: mails.map(({ id, kind, status, createdAtMs, problem }) => ({
      id,
      kind,
      status,
      created_at: createdAtMs,
      problem,
    })),
  };
  return { json, account, nowMs };
}

type Shown = Awaited<ReturnType<typeof readCustomer>>;
type ShownSubscription = Shown["json"]["subscriptions"][number];

function subscriptionFields({ id, name, webhookUrl, disabledBy, disabledAtMs, ...one }: ListedSubscription) {
  return {
    id,
    name,
    // The rest of the URL may contain the receiver's secrets.
    endpoint: URL.parse(webhookUrl)?.origin ?? null,
    enabled: disabledAtMs === null,
    disabled_by: disabledBy,
    disabled_at: disabledAtMs,
    catch_up: one.catchUp?.reason ?? null,
    created_at: one.createdAtMs,
    last_success_at: one.health.lastSuccessAtMs,
    failing_since: one.health.failingSinceMs,
    pending: one.health.pending,
    held: one.health.held,
  };
}

/** Finds a subscription's newest delivery that has not arrived, and the reason. */
async function newestUndelivered(
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

function paymentFields(
  { payer, tier, access, accessUntilMs, unknownPrice }: NonNullable<Account["payment"]>,
) {
  return { payer, tier, access, access_until: accessUntilMs, unknown_price: unknownPrice };
}

function describe(call: CommandCall, { json, account, nowMs }: Shown): string {
  const { customer, usage, payment, subscriptions, mails } = json;
  const { id } = customer;
  const width = textWidth(call.host.columns());
  const fields = (rows: readonly (readonly [string, string | null])[], indent = 2) =>
    formatFields(
      rows.map(([name, value]) => [name, value === null ? null : nameProgram(call.host, value)] as const),
      { width, indent },
    );
  const time = (atMs: number) => timeText(call, atMs);
  const table = <T>({ rows, header, cells, ...fitting }: Omit<Listing<T>, "none">) => {
    const { host, flags } = call;
    const narrower = { flags, host: { ...host, columns: () => host.columns() - 2 } };
    return tableFor(narrower, header, rows.map(cells), fitting).replace(/^(?=.)/gm, "  ");
  };

  const keys = account.keys.filter((key) => keyStateOf(key, nowMs) !== "disabled");
  const oldKeys = account.keys.length - keys.length;
  const olderMails = mails.length - SHOWN_MAILS;
  return [
    `${id}\n`,
    fields([
      ["email", emailOf(customer)],
      ["tier", customer.tier],
      ["state", stateOf(customer, time)],
      ["since", time(customer.created_at)],
      ["emails in", customer.language],
      ["config", configOf(customer)],
    ]),
    "\nusage\n",
    fields(usageRows(usage, customer.own_limits, time)),
    "\nkeys\n",
    keys.length > 0
      ? table({ rows: keys, ...keyColumns(nowMs) })
      : nameProgram(call.host, "  none is valid; `regfeed key rotate` creates one\n"),
    fields([["disabled", oldKeys === 0 ? null : `${oldKeys}: \`regfeed key list ${id}\``]]),
    "\nsubscriptions\n",
    subscriptions.length === 0 ? "  none\n" : "",
    ...subscriptions.map((one) => `  ${one.id}\n${fields(subscriptionRows(one, time), 4)}`),
    payment === null ? "" : `\npayments\n${fields(paymentRows(payment, id, time))}`,
    "\nemails\n",
    mails.length === 0 ? "  none\n" : table({
      rows: mails.slice(0, SHOWN_MAILS),
      header: ["MAIL", "KIND", "CREATED (UTC)", "STATUS", "PROBLEM"],
      drop: ["PROBLEM", "CREATED (UTC)"],
      cut: "PROBLEM",
      cells: ({ id, kind, created_at, status, problem }) => [
        id,
        kind,
        timeCell(created_at),
        stateCell(status),
        problem ?? "",
      ],
    }),
    fields([["older", olderMails <= 0 ? null : `${olderMails}: \`regfeed mail list --customer ${id}\``]]),
  ].join("");
}

function emailOf({ email, erased_at }: Shown["json"]["customer"]): string {
  if (erased_at !== null) return "erased";
  return email ||
    "none; set one with `regfeed customer set-email CUSTOMER ADDRESS`, which also sends waiting emails";
}

function stateOf(
  { enabled, disabled_by, erased_at, declared }: Shown["json"]["customer"],
  time: (atMs: number) => string,
): string {
  if (erased_at !== null) return `erased on ${time(erased_at)}`;
  if (enabled) return "enabled";
  if (disabled_by === "payment") return "unpaid: its keys are refused until the next payment";
  return declared
    ? "disabled: no longer in the config"
    : "disabled: `regfeed customer enable` enables it again";
}

function configOf({ declared, declared_as }: Shown["json"]["customer"]): string | null {
  if (!declared) return null;
  return declared_as === null ? "removed" : `declared as ${declared_as}; change it there`;
}

/** Returns what is used of each limit. A limit of the customer's own, which overrides the tier's, is marked. */
function usageRows(
  usage: Shown["json"]["usage"],
  own: Shown["json"]["customer"]["own_limits"],
  time: (atMs: number) => string,
): [string, string][] {
  const { api_requests, webhook_deliveries, subscriptions, test_calls, replays, backfills } = usage;
  const number = (value: number) => value.toLocaleString("en");
  const row = (
    name: string,
    limitName: keyof typeof own,
    { used, limit, resets_at }: { used: number; limit: number; resets_at?: number },
  ): [string, string] => {
    const until = used >= limit && resets_at !== undefined ? `: used up until ${time(resets_at)}` : "";
    const ownLimit = own[limitName] === undefined ? "" : " (own limit)";
    return [name, `${number(used)} of ${number(limit)}${ownLimit}${until}`];
  };
  const { held, held_limit } = webhook_deliveries;
  const active = { used: subscriptions.active, limit: subscriptions.limit };
  return [
    row("requests today", "api_requests_per_day", api_requests),
    row("deliveries this month", "webhook_deliveries_per_month", webhook_deliveries),
    row("held deliveries", "held_deliveries", { used: held, limit: held_limit }),
    row("active subscriptions", "active_subscriptions", active),
    row("test calls today", "test_calls_per_day", test_calls),
    row("replays today", "replays_per_day", replays),
    row("backfills today", "backfills_per_day", backfills),
  ];
}

function subscriptionRows(
  one: ShownSubscription,
  time: (atMs: number) => string,
): [string, string | null][] {
  const { disabled_by, pending, held, failed, undelivered, reason, last_success_at, failing_since } = one;
  const counts = Object.entries({ pending, held, failed }).filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`).join(", ");
  return [
    ["name", one.name],
    ["endpoint", one.endpoint],
    ["state", disabled_by === null ? "enabled" : `disabled ${DISABLED_WORDS[disabled_by]}`],
    ["last success", last_success_at === null ? "none yet" : time(last_success_at)],
    ["failing since", failing_since === null ? null : time(failing_since)],
    [
      "not arrived",
      counts === "" ? null : `${counts}: \`regfeed delivery list --subscription ${one.id}\``,
    ],
    ["newest", undelivered === null ? null : `${undelivered}${reason === null ? "" : `: ${reason}`}`],
    ["catching up", one.catch_up === null ? null : catchUpOf(one.catch_up)],
  ];
}

function catchUpOf(reason: NonNullable<ShownSubscription["catch_up"]>): string {
  return reason === "backfill"
    ? "with stored events, as requested when the subscription was created (backfill)"
    : "with events that were not stored as deliveries at the limit on held deliveries (held_full)";
}

function paymentRows(
  { payer, tier, access, access_until, unknown_price }: ReturnType<typeof paymentFields>,
  id: string,
  time: (atMs: number) => string,
): [string, string | null][] {
  const until = access_until === null ? "" : ` until ${time(access_until)}, unless a payment arrives`;
  return [
    ["payer", payer],
    ["paid tier", tier ?? "unknown"],
    ["access", `${access}${until}`],
    ["price", unknown_price === null ? null : `${unknown_price} is not in payment.prices of the config`],
    ["events", `\`regfeed payment list --customer ${id}\``],
  ];
}
