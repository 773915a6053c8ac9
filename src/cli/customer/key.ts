// `key …`: list, add, replace and disable a customer's API keys.
import { formatDuration, readDuration } from "../../config/parse_values.ts";
import { findNamedKeys, isKeyLabel, keyStateOf } from "../../domain/customer/api_key.ts";
import type { ApiKey, Customer } from "../../domain/customer/customer.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { addKey, disableKeys, rotateKey } from "../../operate/keys.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { withStore } from "../../server/open_store.ts";
import { stateCell } from "../colours.ts";
import { type Listing, printList, timeCell } from "../print.ts";
import { formatTime } from "../../domain/format_time.ts";
import {
  actOf,
  keyFields,
  nameOfKey,
  printCustomer,
  printKey,
  publicFields,
  requireChangeable,
  requireCustomer,
} from "./named_customer.ts";

const OVERLAP = { minMs: 1_000, maxMs: 30 * 86_400_000 };

const KEY_OPTION = {
  key: { kind: "text", value: "KEY", help: "the key with this label, or with these last four characters" },
} as const;

export const keyCommands: Command[] = [
  {
    name: "key list",
    usage: "CUSTOMER [--utc] [--json]",
    summary: "lists a customer's keys and when each was last used, oldest first",
    example: "regfeed key list ana@example.org",
    run: (call) =>
      withStore(call, async ({ platform, store }) => {
        const customer = await requireCustomer(call, store);
        const rows = await keysOf(store, customer);
        const nowMs = platform.clock.nowMs();
        printList(call, {
          customer: publicFields(customer),
          keys: rows.map((key) => keyFields(key, nowMs)),
        }, {
          rows,
          none: `${customer.id} has no keys; add one with \`regfeed key add\``,
          ...keyColumns(nowMs),
        });
      }),
  },
  {
    name: "key add",
    usage: "CUSTOMER --label LABEL [--json]",
    summary: "adds a further key to a customer and prints it once",
    details: "All keys of a customer share its limits and subscriptions.",
    example: "regfeed key add ana@example.org --label staging",
    options: {
      label: {
        kind: "text",
        value: "LABEL",
        help: "tells the customer's keys apart: letters, digits, spaces, . _ and -",
      },
    },
    run(call) {
      const label = labelIn(call);
      return withStore(call, async ({ config, platform, store }) => {
        const { id } = await requireCustomer(call, store);
        const added = await addKey({ ...platform, config, store }, id, label, actOf(call, platform));
        printKey(call, added);
      });
    },
  },
  {
    name: "key rotate",
    usage: "CUSTOMER [--key KEY] [--overlap DURATION] [--json]",
    summary: "replaces a customer's key, prints the new key once, and sends an email about the change",
    details:
      "The new key gets the old key's label. A customer without a valid key gets a new one. With several keys, --key is required.",
    example: "regfeed key rotate ana@example.org --overlap 24h",
    options: {
      ...KEY_OPTION,
      overlap: {
        kind: "text",
        value: "DURATION",
        help: "how long the old key stays valid, such as 24h or 7d (default: it is disabled at once)",
      },
    },
    run(call) {
      const overlapMs = overlapIn(call);
      return withStore(call, async ({ config, platform, store }) => {
        const customer = await requireChangeable(call, store);
        const nowMs = platform.clock.nowMs();
        const old = chooseKey(await keysOf(store, customer), {
          customer,
          named: call.texts.get("key"),
          nowMs,
        });
        const operation = { ...platform, config, store };
        const rotation = { old, overlapMs };
        const { replaced, ...added } = await rotateKey(
          operation,
          customer.id,
          rotation,
          actOf(call, platform),
        );
        printKey(call, added, {
          fields: { replaced: replaced.map((one) => keyFields(one, nowMs)) },
          lines: replaced.map((one) => `old key   ${nameOfKey(one)} ${describeEnd(one)}\n`).join(""),
        });
      });
    },
  },
  {
    name: "key disable",
    usage: "CUSTOMER [--key KEY | --all] [--json]",
    summary: "disables one or all of a customer's keys without creating a new one",
    details: "With several valid keys, --key or --all is required.",
    example: "regfeed key disable cus_01J9ZC3V5T8Q2W4E6R8Y0TAPNB --key staging",
    options: { ...KEY_OPTION, all: { kind: "flag", help: "disable all keys of the customer" } },
    run(call) {
      const named = call.texts.get("key");
      const isAll = call.flags.has("all");
      if (isAll && named !== undefined) throw new CommandError("use either --key or --all", EXIT.usage);
      return withStore(call, async ({ config, platform, store }) => {
        const customer = await requireChangeable(call, store);
        const nowMs = platform.clock.nowMs();
        const keys = await keysOf(store, customer);
        const valid = keys.filter((key) => keyStateOf(key, nowMs) !== "disabled");
        if (named === undefined && !isAll && valid.length > 1) {
          throw severalKeys(customer, valid, "choose one with --key, or disable all with --all");
        }
        if (named !== undefined && findNamedKeys(valid, named).length === 0) {
          const [old] = findNamedKeys(keys, named);
          if (old !== undefined) {
            throw new CommandError(`the key ${describeKey(old)} of ${customer.id} is already disabled`);
          }
        }
        const one = named === undefined ? null : onlyKey(valid, { customer, named });
        const operation = { ...platform, config, store };
        const hash = one?.hash ?? null;
        const { left } = await disableKeys(operation, customer.id, hash, actOf(call, platform));
        const state = left.length === 0
          ? "has no valid key now; `regfeed key rotate` creates a new one"
          : `has these valid keys now: ${left.map(describeKey).join(", ")}`;
        printCustomer(call, customer, state);
      });
    },
  },
];

/** Returns the columns of a list of keys. */
export function keyColumns(nowMs: number): Omit<Listing<ApiKey>, "rows" | "none"> {
  return {
    header: ["LABEL", "KEY", "STATE", "ADDED (UTC)", "LAST USED (UTC)", "VALID UNTIL (UTC)"],
    drop: ["ADDED (UTC)", "LAST USED (UTC)"],
    cut: "LABEL",
    cells: (key) => [
      key.label ?? "",
      nameOfKey(key),
      stateCell(keyStateOf(key, nowMs)),
      timeCell(key.createdAtMs),
      timeCell(key.lastUsedAtMs),
      timeCell(key.disabledAtMs ?? key.validUntilMs, ""),
    ],
  };
}

async function keysOf(store: Store, { id }: Customer): Promise<ApiKey[]> {
  return (await store.findAccount(id))?.keys ?? [];
}

/**
 * Returns the key to replace: the named key or, without a name, the customer's only current key. Returns null if no key
 * is named and the customer has no current key.
 */
function chooseKey(
  keys: readonly ApiKey[],
  { customer, named, nowMs }: { customer: Customer; named: string | undefined; nowMs: number },
): ApiKey | null {
  const current = keys.filter((key) => keyStateOf(key, nowMs) === "valid");
  if (named !== undefined) return onlyKey(current, { customer, named });
  if (current.length <= 1) return current[0] ?? null;
  throw severalKeys(customer, current, "choose one with --key");
}

function severalKeys({ id }: Customer, keys: readonly ApiKey[], advice: string): CommandError {
  const names = keys.map(describeKey).join(", ");
  return new CommandError(`${id} has ${keys.length} keys; ${advice}: ${names}`, EXIT.usage);
}

/** Returns the only key with this name. Throws if there is none or more than one. */
function onlyKey(
  keys: readonly ApiKey[],
  { customer, named }: { customer: Customer; named: string },
): ApiKey {
  const [key, ...others] = findNamedKeys(keys, named);
  if (key === undefined) {
    const choice = keys.length === 0
      ? "it has no valid key"
      : `choose one of: ${keys.map(describeKey).join(", ")}`;
    throw new CommandError(`${customer.id} has no key ${JSON.stringify(named)}; ${choice}`);
  }
  if (others.length > 0) {
    throw new CommandError(
      `${customer.id} has several keys ${JSON.stringify(named)}; choose one by its last four characters: ` +
        [key, ...others].map(describeKey).join(", "),
    );
  }
  return key;
}

function describeKey(key: ApiKey): string {
  const until = key.validUntilMs === null ? "" : `, ${describeEnd(key)}`;
  return `${key.label ?? "no label"} (${nameOfKey(key)}${until})`;
}

function describeEnd({ disabledAtMs, validUntilMs }: ApiKey): string {
  return disabledAtMs === null ? `valid until ${formatTime(validUntilMs)} UTC` : "disabled";
}

function labelIn({ texts }: CommandCall): string {
  const label = texts.get("label");
  if (label === undefined) throw new CommandError("--label is missing: --label LABEL", EXIT.usage);
  if (isKeyLabel(label)) return label;
  throw new CommandError(
    `--label ${JSON.stringify(label)} is not valid: use 1 to 40 letters, digits, spaces, dots, hyphens and ` +
      "underscores, and begin and end with a letter or digit",
    EXIT.usage,
  );
}

function overlapIn({ texts }: CommandCall): number | null {
  const text = texts.get("overlap");
  if (text === undefined) return null;
  const overlap = readDuration(text, OVERLAP);
  if ("value" in overlap) return overlap.value;
  const { minMs, maxMs } = OVERLAP;
  throw new CommandError(
    `--overlap must be a duration from ${formatDuration(minMs)} to ${
      formatDuration(maxMs)
    }, such as 24h, not ${text}`,
    EXIT.usage,
  );
}
