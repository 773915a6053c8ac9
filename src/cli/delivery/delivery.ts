// `delivery …`: lists, shows, sends and replays deliveries.
import type { Store } from "../../domain/ports/store/store.ts";
import {
  type AttemptRecord,
  DELIVERY_STATUSES,
  type DeliveryRecord,
  type DeliveryStatus,
  describeDelivery,
} from "../../domain/delivery/delivery.ts";
import { isId } from "../../domain/event/ids.ts";
import { toDeliveryRecord } from "../../wire/delivery_log.ts";
import { Refusal } from "../../domain/operator/refusal.ts";
import { replayDelivery, requireDelivery, sendDelivery } from "../../operate/deliveries.ts";
import type { Command } from "../command.ts";
import { type CommandCall, CommandError, EXIT } from "../../server/command_context.ts";
import { actOf, CUSTOMER_OPTION, customerOf } from "../customer/named_customer.ts";
import { type Opened, withStore } from "../../server/open_store.ts";
import { pageOptions, printPage, readPage } from "../list_page.ts";
import { stateCell } from "../colours.ts";
import { nextCell, print, recordText, timeCell, timeText } from "../print.ts";
import { readSince } from "../time_argument.ts";
import { formatTime } from "../../domain/format_time.ts";
import { formatTable } from "../table.ts";

/** `--json` has a default limit here, because there may be millions of deliveries. */
const PAGING = { row: "DELIVERY", jsonRows: 10_000 };

export const deliveryCommands: Command[] = [
  {
    name: "delivery list",
    usage: "[--customer CUSTOMER] [--subscription ID] [--event ID] [--status STATUS,…] [--since TIME] " +
      "[--limit N] [--before DELIVERY] [--utc] [--json]",
    summary: "lists deliveries with their states and reasons, newest first",
    example: "regfeed delivery list --status failed,held --since 7d",
    options: {
      ...CUSTOMER_OPTION,
      subscription: {
        kind: "text",
        value: "ID",
        help: "only deliveries to this subscription, even if it is deleted",
      },
      event: { kind: "text", value: "ID", help: "only deliveries of this event" },
      status: {
        kind: "text",
        value: "STATUS,…",
        values: DELIVERY_STATUSES,
        help: `any of ${DELIVERY_STATUSES.join(", ")}`,
      },
      since: {
        kind: "text",
        value: "TIME",
        help:
          'only deliveries created since TIME, such as 36h or 7d (ago), 2026-07-31 or "2026-07-31 12:00" (UTC)',
      },
      ...pageOptions(PAGING),
    },
    run: (call) => withStore(call, (opened) => listDeliveries(call, opened)),
  },
  {
    name: "delivery show",
    usage: "DELIVERY [--payload] [--json]",
    summary: "shows a delivery and the time, duration, status and problem of each attempt",
    example: "regfeed delivery show dlv_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    options: {
      payload: { kind: "flag", help: "print the body instead: as sent, or indented on a terminal" },
    },
    run: (call) =>
      withStore(call, async ({ store }) => {
        if (call.flags.has("payload")) return await showPayload(call, store);
        const shown = await readDelivery(store, call.positionals[0] ?? "");
        print(call, { delivery: shownFields(shown) }, () => describe(call, shown));
      }),
  },
  {
    name: "delivery replay",
    usage: "DELIVERY [--json]",
    summary: "sends a finished delivery again with the same webhook-id and bytes, and with all retries",
    example: "regfeed delivery replay dlv_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    run: (call) => withStore(call, (opened) => send(call, opened, replayDelivery)),
  },
  {
    name: "delivery send",
    usage: "DELIVERY [--json]",
    summary: "sends a pending delivery now, and restarts its retry schedule",
    example: "regfeed delivery send dlv_01J9ZC3V5T8Q2W4E6R8Y0TAPNB",
    run: (call) => withStore(call, (opened) => send(call, opened, sendDelivery)),
  },
];

/** Returns the delivery's JSON fields: the fields of the API, and the customer. */
function listedFields(delivery: DeliveryRecord) {
  return { ...toDeliveryRecord(delivery), customer_id: delivery.customerId };
}

async function listDeliveries(call: CommandCall, { platform, store }: Opened): Promise<void> {
  const { texts } = call;
  const since = texts.get("since");
  const statuses = statusesOf(texts.get("status"));
  const eventId = texts.get("event");
  if (eventId !== undefined && !isId("event", eventId)) {
    throw new CommandError(`--event must be an event id (evt_…), not ${eventId}`, EXIT.usage);
  }
  const filters = {
    ...(since === undefined ? {} : { sinceMs: readSince("--since", since, platform.clock.nowMs()) }),
    ...(statuses === undefined ? {} : { statuses }),
    ...(eventId === undefined ? {} : { eventId }),
  };
  const filterNames = ["customer", "subscription", "event", "status", "since", "before"];
  const { customerId, subscriptionId } = await ownerOf(call, store);
  const page = await readPage(call, "delivery list", {
    read: async ({ limit, before }) => {
      if (before !== undefined && await store.findOwner("delivery", before) === null) {
        throw new Refusal("delivery_unknown", { delivery: before });
      }
      const query = { limit, ...filters, ...(before === undefined ? {} : { beforeId: before }) };
      if (customerId === undefined) return await store.listAllDeliveries(query);
      return await store.listDeliveries(customerId, {
        ...query,
        ...(subscriptionId === undefined ? {} : { subscriptionId }),
      });
    },
    nameOf: ({ id }) => id,
    ...PAGING,
  });
  printPage(call, page, "deliveries", {
    rows: page.rows,
    fields: page.rows.map(listedFields),
    none: filterNames.some((name) => texts.has(name)) ? "no matching deliveries" : "no deliveries yet",
    header: ["DELIVERY", "CREATED (UTC)", "STATUS", "TRIES", "NEXT (UTC)", "SUBSCRIPTION", "CUSTOMER", "WHY"],
    drop: ["CUSTOMER", "SUBSCRIPTION", "NEXT (UTC)", "TRIES"],
    cut: "WHY",
    cells: (delivery) => {
      const row = toDeliveryRecord(delivery);
      return [
        row.id,
        timeCell(row.created_at),
        stateCell(row.status),
        row.attempt_count,
        nextCell(call, row.next_attempt_at),
        row.subscription_id,
        delivery.customerId,
        shortReason(delivery),
      ];
    },
  });
}

/** Returns the last problem of a pending or failed delivery if there is one; otherwise, the reason for the status. */
function shortReason(delivery: DeliveryRecord): string {
  const { status, lastProblem } = delivery;
  const isMissed = status === "pending" || status === "failed";
  // The column of the status already says `held`.
  return (isMissed ? lastProblem : null) ?? describeDelivery(delivery)?.replace(/^held: /, "") ?? "";
}

async function ownerOf(
  call: CommandCall,
  store: Store,
): Promise<{ customerId?: string; subscriptionId?: string }> {
  const customer = await customerOf(call, store);
  const subscriptionId = call.texts.get("subscription");
  if (subscriptionId === undefined) return customer;
  const owner = await store.findOwner("subscription", subscriptionId);
  if (owner === null) {
    throw new CommandError(
      `there is no subscription ${subscriptionId}; \`regfeed customer show CUSTOMER\` lists a customer's subscriptions`,
    );
  }
  if (customer.customerId !== undefined && customer.customerId !== owner) {
    throw new CommandError(
      `the subscription ${subscriptionId} belongs to ${owner}, not to ${customer.customerId}`,
    );
  }
  return { customerId: owner, subscriptionId };
}

function statusesOf(text: string | undefined): DeliveryStatus[] | undefined {
  return text?.split(",") as DeliveryStatus[] | undefined;
}

type ShownDelivery = Awaited<ReturnType<typeof readDelivery>>;

async function readDelivery(store: Store, id: string) {
  const delivery = await requireDelivery(store, id);
  const subscription = (await store.listSubscriptions(delivery.customerId)).find(
    (one) => one.id === delivery.subscriptionId,
  );
  return {
    delivery,
    // The rest of the URL may contain the receiver's secrets.
    endpoint: subscription === undefined ? null : new URL(subscription.webhookUrl).origin,
    failingSinceMs: subscription?.health.failingSinceMs ?? null,
    attempts: await store.listAttempts(id),
  };
}

async function showPayload(call: CommandCall, store: Store): Promise<void> {
  const delivery = await requireDelivery(store, call.positionals[0] ?? "");
  const payload = await store.findPayload(delivery.id);
  if (payload === null) {
    const why = delivery.status === "cancelled"
      ? "the delivery was cancelled"
      : "the configured retention time is over";
    throw new CommandError(
      `the body of ${delivery.id} was deleted because ${why}; \`regfeed event show ${delivery.eventId}\` shows the event`,
    );
  }
  if (call.flags.has("json")) {
    return print(call, { delivery: { ...listedFields(delivery), payload } }, String);
  }
  const { host } = call;
  host.out(`${host.isTerminal ? JSON.stringify(JSON.parse(payload), null, 2) : payload}\n`);
}

/** Leaves out the endpoint's response, which may be private. The customer can read it with GET /v1/deliveries/{id}. */
function attemptFields({ number, startedAtMs, durationMs, statusCode, problem }: AttemptRecord) {
  return { number, started_at: startedAtMs, duration_ms: durationMs, status_code: statusCode, problem };
}

function shownFields({ delivery, endpoint, attempts }: ShownDelivery): Record<string, unknown> {
  return { ...listedFields(delivery), endpoint, attempts: attempts.map(attemptFields) };
}

function describe(
  call: CommandCall,
  { delivery, endpoint, failingSinceMs, attempts }: ShownDelivery,
): string {
  const row = listedFields(delivery);
  const time = (ms: number) => timeText(call, ms);
  const failing = failingSinceMs === null ? "" : `, failing since ${time(failingSinceMs)}`;
  const isDue = row.next_attempt_at !== null && row.next_attempt_at <= call.host.nowMs();
  const record = recordText(call, row.id, [
    [
      "status",
      row.status === "failed" ? `failed: \`regfeed delivery replay ${row.id}\` sends it again` : row.status,
    ],
    ["why", row.reason],
    ["customer", row.customer_id],
    ["subscription", row.subscription_id],
    ["endpoint", endpoint === null ? "none: the subscription was deleted" : `${endpoint}${failing}`],
    ["event", `${row.event_id} (${row.type})`],
    ["sequence", `${row.sequence} in its subscription`],
    ["created", time(row.created_at)],
    [
      "next attempt",
      row.next_attempt_at === null ? null : `${isDue ? "due since " : ""}${time(row.next_attempt_at)}`,
    ],
    ["arrived", row.delivered_at === null ? "never" : time(row.delivered_at)],
    ["finished", row.finished_at === null ? null : time(row.finished_at)],
  ]);
  return `${record}\nattempts\n${attemptLines(row, attempts)}`;
}

function attemptLines(
  { attempt_count: count }: { attempt_count: number },
  attempts: readonly AttemptRecord[],
): string {
  if (attempts.length === 0) {
    return count === 0 ? "  none yet\n" : `  ${count}, without details: deleted, or not recorded yet\n`;
  }
  return formatTable(
    ["  #", "STARTED (UTC)", "MS", "RESPONSE", "PROBLEM"],
    attempts.map((one) => [
      one.number,
      formatTime(one.startedAtMs),
      one.durationMs,
      one.statusCode ?? "none",
      one.problem ?? "",
    ]),
  );
}

async function send(
  call: CommandCall,
  { config, platform, store }: Opened,
  act: typeof sendDelivery,
): Promise<void> {
  const id = call.positionals[0] ?? "";
  const row = listedFields(await act({ ...platform, config, store }, id, actOf(call, platform)));
  const state = row.status === "pending" ? "queued: a running server sends it now" : row.reason ?? row.status;
  print(call, { delivery: row }, () => `${row.id} is ${state}\n`);
}
