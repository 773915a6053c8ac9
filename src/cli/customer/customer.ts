// `customer …`: manage customers and their tiers.
import type { Config } from "../../config/config.ts";
import type { ListedCustomer } from "../../domain/ports/store/customers.ts";
import { keyStateOf } from "../../domain/customer/api_key.ts";
import { type Customer, limitsOf } from "../../domain/customer/customer.ts";
import { isMailAddress } from "../../domain/customer/mail.ts";
import { type Tier, type TierLimits, TIERS } from "../../domain/customer/tier.ts";
import { addCustomer, changeCustomer as changeStored, type EditedCustomer } from "../../operate/customers.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import {
  actOf,
  keyFields,
  nameOfKey,
  printCustomer,
  printKey,
  publicFields,
  requireCustomer,
} from "./named_customer.ts";
import { withStore } from "../../server/open_store.ts";
import { stateCell } from "../colours.ts";
import { printList, timeCell } from "../print.ts";
import type { Cell } from "../table.ts";

const WHOLE_NUMBER = {
  kind: "text",
  value: "N",
  problemOf: (text: string) => /^\d{1,12}$/.test(text) ? null : `must be a whole number, not ${text}`,
} as const;

const LIMIT_OPTIONS = {
  requests: {
    ...WHOLE_NUMBER,
    help: "API requests per UTC day instead of the tier's limit (embedded only)",
  },
  deliveries: { ...WHOLE_NUMBER, help: "webhook deliveries per UTC month (embedded only)" },
  subscriptions: { ...WHOLE_NUMBER, help: "active subscriptions (embedded only)" },
} as const;

export const customerCommands: Command[] = [
  {
    name: "customer add",
    usage:
      "--email ADDRESS [--tier TIER] [--requests N] [--deliveries N] [--subscriptions N] [--another] [--json]",
    summary: "adds a customer and prints its API key once",
    example: "regfeed customer add --email ana@example.org --tier team",
    options: {
      email: {
        kind: "text",
        value: "ADDRESS",
        help: "the customer's email address",
        problemOf: emailProblem,
      },
      tier: { kind: "text", value: "TIER", values: TIERS, help: `${TIERS.join(", ")} (default indie)` },
      ...LIMIT_OPTIONS,
      another: { kind: "flag", help: "allow an email address that another customer has" },
    },
    run(call) {
      const email = call.texts.get("email");
      if (email === undefined) throw new CommandError("--email is missing: --email ADDRESS", EXIT.usage);
      const tier = (call.texts.get("tier") ?? "indie") as Tier;
      const limits = limitsIn(call, tier);
      return withStore(call, async ({ config, platform, store }) => {
        const another = call.flags.has("another");
        const given = { email, tier, limits, another };
        const added = await addCustomer({ ...platform, config, store }, given, actOf(call, platform));
        printKey(call, added);
      }, { withoutStore: "make" });
    },
  },
  {
    name: "customer list",
    usage: "[--utc] [--json]",
    summary: "lists the customers and the last characters of their keys",
    example: "regfeed customer list",
    run: (call) =>
      withStore(call, async ({ config, platform, store }) => {
        const rows = await store.listCustomers();
        const nowMs = platform.clock.nowMs();
        printList(call, { customers: rows.map((row) => listedFields(row, config, nowMs)) }, {
          rows,
          none: "no customers; add one with `regfeed customer add`",
          header: ["CUSTOMER", "EMAIL", "TIER", "STATE", "SINCE (UTC)", "KEY", "IN THE CONFIG"],
          drop: ["IN THE CONFIG", "SINCE (UTC)"],
          cut: "EMAIL",
          cells: (row) => customerCells(row, config, nowMs),
        });
      }),
  },
  {
    name: "customer set-tier",
    usage: "CUSTOMER TIER [--requests N] [--deliveries N] [--subscriptions N] [--json]",
    summary:
      "changes a customer's tier and sends an email about it; if the new tier allows fewer subscriptions, " +
      "the newest are held",
    example: "regfeed customer set-tier ana@example.org gpai",
    positionalValues: { TIER: TIERS },
    options: { ...LIMIT_OPTIONS },
    run(call) {
      const tier = call.positionals[1] as Tier;
      const limits = limitsIn(call, tier);
      // Without new limits, an embedded customer keeps its current limits.
      return changeCustomer(call, { tier, ...(Object.keys(limits).length > 0 ? { limits } : {}) });
    },
  },
  {
    name: "customer set-email",
    usage: "CUSTOMER ADDRESS [--another] [--json]",
    summary: "changes a customer's email address and sends a failed welcome email again, to the new address",
    example: "regfeed customer set-email cus_01J9ZC3V5T8Q2W4E6R8Y0TAPNB ana@example.org",
    options: {
      another: { kind: "flag", help: "allow an email address that another customer has" },
    },
    run(call) {
      const email = call.positionals[1] ?? "";
      const problem = emailProblem(email);
      if (problem !== null) throw new CommandError(`ADDRESS ${problem}`, EXIT.usage);
      return changeCustomer(call, { email });
    },
  },
  {
    name: "customer disable",
    usage: "CUSTOMER [--json]",
    summary: "refuses a customer's keys and holds its deliveries",
    example: "regfeed customer disable cus_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    run: (call) => changeCustomer(call, { enabled: false }),
  },
  {
    name: "customer enable",
    usage: "CUSTOMER [--json]",
    summary: "accepts a customer's keys again and sends its held deliveries",
    example: "regfeed customer enable cus_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    run: (call) => changeCustomer(call, { enabled: true }),
  },
];

async function changeCustomer(
  call: CommandCall,
  change: Partial<Pick<Customer, "tier" | "enabled" | "limits" | "email">>,
): Promise<void> {
  await withStore(call, async ({ config, platform, store }) => {
    const { id } = await requireCustomer(call, store);
    const another = call.flags.has("another");
    const operation = { ...platform, config, store };
    const { customer, held } = await changeStored(
      operation,
      id,
      { ...change, another },
      actOf(call, platform),
    );
    if (change.tier !== undefined) printHeld(call, held);
    printCustomer(call, customer, describeChange(change, customer, config));
  });
}

function describeChange(
  { email, enabled }: Partial<Pick<Customer, "enabled" | "email">>,
  customer: Customer,
  config: Config,
): string {
  if (email !== undefined) return `has the email address ${email}`;
  if (enabled === undefined) return describeState(customer, config);
  return enabled
    ? "is enabled: its keys are accepted, and its held deliveries are sent"
    : "is disabled: its keys are refused and its deliveries held; `regfeed customer enable` reverses this";
}

function describeState(customer: Customer, { tiers }: Config): string {
  const { apiRequestsPerDay, webhookDeliveriesPerMonth, activeSubscriptions } = limitsOf(customer, tiers);
  return `has tier ${customer.tier} and is ${customer.enabled ? "enabled" : "disabled"}; ` +
    `requests per day: ${apiRequestsPerDay}, deliveries per month: ${webhookDeliveriesPerMonth}, ` +
    `active subscriptions: ${activeSubscriptions}`;
}

function printHeld({ host }: CommandCall, held: EditedCustomer["held"]): void {
  if (held.length === 0) return;
  const ids = held.map(({ id }) => id).join(", ");
  host.err(`Subscriptions held because they exceed the tier's limit: ${ids}\n`);
}

function emailProblem(email: string): string | null {
  return isMailAddress(email) ? null : `must be an email address, not ${JSON.stringify(email)}`;
}

/** Reads the options that override the tier's limits for an embedded customer. */
function limitsIn({ texts }: CommandCall, tier: Tier): Partial<TierLimits> {
  const names = {
    requests: "apiRequestsPerDay",
    deliveries: "webhookDeliveriesPerMonth",
    subscriptions: "activeSubscriptions",
  } as const;
  const limits: Partial<TierLimits> = {};
  for (const [option, limit] of Object.entries(names)) {
    const text = texts.get(option);
    if (text === undefined) continue;
    if (tier !== "embedded") {
      throw new CommandError(
        `--${option} is only for the embedded tier; the config sets the limits of ${tier}`,
        EXIT.usage,
      );
    }
    if (option === "requests" && Number(text) === 0) {
      throw new CommandError(
        "--requests 0 would refuse every request: use 1 or more, or `regfeed customer disable`",
        EXIT.usage,
      );
    }
    limits[limit] = Number(text);
  }
  return limits;
}

function listedFields(
  { customer, keys, disabledBy, erasedAtMs }: ListedCustomer,
  config: Config,
  nowMs: number,
): Record<string, unknown> {
  return {
    ...publicFields(customer),
    disabled_by: disabledBy,
    erased_at: erasedAtMs,
    declared: customer.declared,
    declared_as: nameOf(customer, config),
    keys: keys.map((key) => keyFields(key, nowMs)),
  };
}

function customerCells(row: ListedCustomer, config: Config, nowMs: number): Cell[] {
  const { customer, keys } = row;
  return [
    customer.id,
    customer.email === "" ? "none" : customer.email,
    customer.tier,
    stateCell(stateOf(row)),
    timeCell(customer.createdAtMs),
    keys.filter((key) => keyStateOf(key, nowMs) !== "disabled").map(nameOfKey).join(" ") || "none",
    customer.declared ? nameOf(customer, config) ?? "removed" : "",
  ];
}

function stateOf({ customer, disabledBy, erasedAtMs }: ListedCustomer): string {
  if (erasedAtMs !== null) return "erased";
  if (customer.enabled) return "enabled";
  return disabledBy === "payment" ? "unpaid" : "disabled";
}

/** Returns the customer's name in the config, or null if the config does not declare the customer. */
function nameOf({ id }: Customer, { customers }: Config): string | null {
  return customers.find((declared) => declared.id === id)?.name ?? null;
}
