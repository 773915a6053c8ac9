// `payment …`: lists, shows and replays payment events.
import type { Tier } from "../../domain/customer/tier.ts";
import type {
  KeptPayment,
  PaymentEvent,
  PaymentFact,
  PaymentOutcome,
} from "../../domain/customer/payment.ts";
import { replayPayment } from "../../operate/payments.ts";
import type { Command } from "../command.ts";
import { Refusal } from "../../domain/operator/refusal.ts";
import type { CommandCall } from "../../server/command_context.ts";
import { actOf, CUSTOMER_OPTION, customerOf } from "./named_customer.ts";
import { type Opened, withStore } from "../../server/open_store.ts";
import { pageOptions, printPage, readPage } from "../list_page.ts";
import { stateCell } from "../colours.ts";
import { print, recordText, timeCell, timeText } from "../print.ts";
import { oneLine } from "../table.ts";

export const paymentCommands: Command[] = [
  {
    name: "payment list",
    usage: "[--customer CUSTOMER] [--limit N] [--before EVENT] [--utc] [--json]",
    summary: "lists the payment provider's events, newest first",
    example: "regfeed payment list",
    options: { ...CUSTOMER_OPTION, ...pageOptions({ row: "EVENT" }) },
    run: (call) =>
      withStore(call, async ({ store }) => {
        const customer = await customerOf(call, store);
        const page = await readPage(call, "payment list", {
          read: async (query) => {
            if (query.before !== undefined && await store.findPayment(query.before) === null) {
              throw noEvent(query.before);
            }
            return await store.listPayments({ ...query, ...customer });
          },
          nameOf: ({ event }) => event.id,
        });
        printPage(call, page, "payments", {
          rows: page.rows.map(paymentFields),
          none: "no payment events",
          header: ["EVENT", "TYPE", "CREATED (UTC)", "STATE", "NOTE", "CUSTOMER"],
          drop: ["CUSTOMER", "NOTE", "CREATED (UTC)"],
          cut: "TYPE",
          cells: (row) => [
            row.id,
            row.type,
            timeCell(row.created_at),
            stateCell(row.state),
            row.state === "erased" ? "" : row.note ?? "",
            row.customer ?? "",
          ],
        });
      }),
  },
  {
    name: "payment show",
    usage: "EVENT [--json]",
    summary: "shows a stored payment event",
    example: "regfeed payment show evt_1MowQVLkdIwHu7ix",
    run: (call) =>
      withStore(call, async ({ config, store }) => {
        const id = call.positionals[0] ?? "";
        const found = await store.findPayment(id);
        if (found === null) throw noEvent(id);
        const data = { ...paymentFields(found), fact: found.event.fact };
        print(call, { payment: data }, () => describe(call, data, config.payment?.prices ?? {}));
      }),
  },
  {
    name: "payment replay",
    usage: "EVENT [--json]",
    summary:
      "applies a stored payment event again with the current prices; changes nothing if the result is the same",
    example: "regfeed payment replay evt_1MowQVLkdIwHu7ix",
    run: (call) => withStore(call, (opened) => replay(call, opened)),
  },
];

const OUTCOMES: Readonly<Record<PaymentOutcome, string>> = {
  applied: "applied; `regfeed payment show` and `regfeed customer show` show the result",
  waiting: "waiting for a paid checkout of the same payer",
  ignored: "ignored, because it has no effect; `regfeed payment show` says why",
  repeated: "stored before",
};

async function replay(call: CommandCall, { config, platform, store }: Opened): Promise<void> {
  const id = call.positionals[0] ?? "";
  const operation = { ...platform, config, store, log: platform.log("payment") };
  const outcome = await replayPayment(operation, id, actOf(call, platform));
  print(call, { event: id, outcome }, () => `${oneLine(id)}: ${OUTCOMES[outcome]}\n`);
}

function paymentFields({ event, customerId }: KeptPayment) {
  const state = event.note === "erased" ? "erased" : event.note !== null ? "ignored" : null; // the note says why
  return {
    id: event.id,
    type: event.type,
    created_at: event.createdAtMs,
    received_at: event.receivedAtMs,
    state: state ?? (customerId === null ? "waiting" : "applied"),
    note: event.note,
    customer: customerId,
    payer: event.payer,
    subscription: event.subscription,
  };
}

type ShownPayment = ReturnType<typeof paymentFields> & Pick<PaymentEvent, "fact">;

function describe(call: CommandCall, shown: ShownPayment, prices: Readonly<Record<string, Tier>>): string {
  const { fact, customer, payer, subscription } = shown;
  const unknown = (fact !== null && "prices" in fact ? fact.prices : []).filter((price) => !prices[price]);
  const advice = unknown.length === 0
    ? null
    : `${
      unknown.join(", ")
    } is not in payment.prices of the config: add it, then run \`regfeed payment replay EVENT\``;
  return recordText(call, shown.id, [
    ["type", shown.type],
    ["content", fact === null ? null : describeFact(fact)],
    ["state", describeState(shown)],
    ["price", advice],
    ["created", timeText(call, shown.created_at)],
    ["received", timeText(call, shown.received_at)],
    ["customer", customer ?? "none yet"],
    ["payer", payer],
    ["paid for", subscription],
  ]);
}

function describeState({ state, note }: ShownPayment): string {
  if (state === "ignored") return `ignored: ${note}`;
  return state === "waiting" ? "waiting for a paid checkout of the same payer" : state;
}

function describeFact(fact: PaymentFact): string {
  switch (fact.kind) {
    case "checkout": {
      const by = fact.email ?? (fact.unusable ? "an invalid email address" : "an unknown email address");
      return `${fact.paid ? "a paid checkout" : "a checkout that is not paid yet"} by ${by}`;
    }
    case "subscription":
      return `a paid subscription that is ${fact.deleted ? "deleted" : fact.status}${describePrices(fact)}`;
    case "invoice":
      return `${fact.paid ? "a paid invoice" : "an invoice that could not be paid"}${describePrices(fact)}`;
  }
}

function describePrices({ prices }: { prices: readonly string[] }): string {
  return prices.length === 0 ? "" : `, with the price ${prices.join(", ")}`;
}

function noEvent(event: string): Refusal {
  return new Refusal("payment_unknown", { event });
}
