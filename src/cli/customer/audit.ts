// `audit list`: lists who changed what.
import { ACTS, type AuditQuery } from "../../domain/customer/audit.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { CUSTOMER_OPTION, customerOf } from "./named_customer.ts";
import { withStore } from "../../server/open_store.ts";
import { pageOptions, printPage, readPage } from "../list_page.ts";
import { timeCell } from "../print.ts";
import { readSince } from "../time_argument.ts";
import { formatTime } from "../../domain/format_time.ts";

export const auditCommand: Command = {
  name: "audit list",
  usage: "[--customer CUSTOMER] [--act ACT,…] [--actor ACTOR] [--since TIME] [--limit N] [--before SEQ] " +
    "[--utc] [--json]",
  summary: "lists who changed what, newest first",
  example: "regfeed audit list --customer ana@example.org",
  options: {
    ...CUSTOMER_OPTION,
    act: { kind: "text", value: "ACT,…", values: ACTS, help: "any of these acts, such as source.release" },
    actor: {
      kind: "text",
      value: "ACTOR",
      help: "only actors that begin with ACTOR, such as cli: or console:ana",
    },
    since: { kind: "text", value: "TIME", help: "only entries since TIME, such as 7d (ago) or 2026-07-31" },
    ...pageOptions({ row: "SEQ" }),
  },
  run: (call) =>
    withStore(call, async ({ platform, store }) => {
      const filter = filterOf(call, platform.clock.nowMs());
      const customer = await customerOf(call, store);
      const page = await readPage(call, "audit list", {
        read: ({ limit, before }) =>
          store.listAudit({
            limit,
            ...filter,
            ...customer,
            ...(before === undefined ? {} : { before: seqOf(before) }),
          }),
        nameOf: ({ seq }) => String(seq),
      });
      const rows = page.rows.map(({ seq, atMs, actor, address, act, customerId, change }) => ({
        seq,
        at: atMs,
        actor,
        address: address ?? null,
        act,
        customer: customerId,
        change,
      }));
      printPage(call, page, "audit", {
        rows,
        none: "no entries",
        header: ["TIME (UTC)", "ACTOR", "ACT", "CUSTOMER", "CHANGE"],
        drop: ["CUSTOMER"],
        cut: "CHANGE",
        cells: (
          row,
        ) => [
          timeCell(row.at),
          row.address === null ? row.actor : `${row.actor} (${row.address})`,
          row.act,
          row.customer ?? "",
          describeChange(row.change),
        ],
      });
    }),
};

function filterOf({ texts }: CommandCall, nowMs: number): Omit<AuditQuery, "limit"> {
  const [act, actor, since] = ["act", "actor", "since"].map((name) => texts.get(name));
  const acts = act?.split(",").map((word) => word.trim());
  const unknown = acts?.find((word) => !ACTS.some((known) => known === word));
  if (unknown !== undefined) {
    throw new CommandError(
      `--act must be one or more of ${ACTS.join(", ")}, separated by commas, not ${unknown}`,
      EXIT.usage,
    );
  }
  return {
    ...(acts === undefined ? {} : { acts }),
    ...(actor === undefined ? {} : { actor }),
    ...(since === undefined ? {} : { sinceMs: readSince("--since", since, nowMs) }),
  };
}

function seqOf(text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new CommandError(
      `--before must be the seq of an entry, as --json prints it, not ${text}`,
      EXIT.usage,
    );
  }
  return Number(text);
}

/** Matches the names of fields with a time in Unix ms. */
const TIME_FIELD = /_(?:at|until)$/;

/** Describes a change in words: `tier: indie → gpai, limits: none → api_requests_per_day 10`. */
function describeChange(change: Record<string, unknown>): string {
  return Object.entries(change).map(([field, value]) => {
    const name = field.replaceAll("_", " ");
    const { before, after } = fieldsOf(value);
    return before === undefined && after === undefined
      ? `${name}: ${describeValue(value, field)}`
      : `${name}: ${describeValue(before, field)} → ${describeValue(after, field)}`;
  }).join(", ");
}

function describeValue(value: unknown, field = ""): string {
  if (typeof value === "number" && TIME_FIELD.test(field)) return `${formatTime(value)} UTC`;
  if (value === null || value === undefined) return "none";
  if (typeof value !== "object") return String(value);
  const entries = Array.isArray(value)
    ? value.map((one) => describeValue(one))
    : Object.entries(value).map(([name, one]) => `${name} ${describeValue(one)}`);
  return entries.length === 0 ? "none" : entries.join(" ");
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? value as Record<string, unknown> : {};
}
