// Reading Stripe's events: what one says, in whatever API version it is written, reduced to what is decided upon.
import { isMailAddress, type MailLanguage } from "../../domain/mail.ts";
import {
  PAYMENT_STATUSES,
  type PaymentEvent,
  type PaymentFact,
  type PaymentStatus,
} from "../../domain/payment.ts";

/** What an event was read as. */
export type EventReading =
  | { kind: "event"; event: PaymentEvent; livemode: boolean }
  /** Of a type that says nothing of subscriptions: nobody needs to remember it. */
  | { kind: "unknown_type"; id: string; type: string; livemode: boolean }
  /** What is wrong, for the operator who looks at the failed call. */
  | { kind: "unreadable"; problem: string };

type Fields = Record<string, unknown>;

/** What an object says, or why it says nothing. */
type FactReading =
  & { payer: string | null; subscription: string | null }
  & (
    | { fact: PaymentFact; note: null }
    | { fact: null; note: string }
  );

/** How the object of each type is read. */
const READERS: Readonly<Record<string, (object: Fields, type: string) => FactReading>> = {
  "checkout.session.completed": readCheckout,
  "checkout.session.async_payment_succeeded": readCheckout,
  "checkout.session.async_payment_failed": readCheckout,
  "customer.subscription.created": readSubscription,
  "customer.subscription.updated": readSubscription,
  "customer.subscription.deleted": readSubscription,
  "customer.subscription.paused": readSubscription,
  "customer.subscription.resumed": readSubscription,
  "invoice.paid": readInvoice,
  "invoice.payment_failed": readInvoice,
};

/** The types of events that are heeded, for who sets up the endpoint. */
export const PAYMENT_EVENT_TYPES: readonly string[] = Object.keys(READERS);

/** The longest text that is taken over from an event, characters. */
const MAX_TEXT = 255;
/** The latest time of an event, Unix seconds: no later one can be written as a date. */
const LATEST_S = 8.64e12;
/** Parts of one subscription or bill that are looked at. */
const MAX_ITEMS = 100;

/** Reads the parsed body of a webhook whose signature is good. */
export function readStripeEvent(body: unknown, nowMs: number): EventReading {
  const event = fieldsOf(body);
  const id = textOf(event["id"]);
  const type = textOf(event["type"]);
  const { created, livemode } = event;
  if (textOf(event["object"]) === "v2.core.event") {
    return unreadable("it is a thin event: choose the payload style Snapshot for this endpoint");
  }
  if (id === null || !/^evt_/.test(id) || type === null || typeof livemode !== "boolean") {
    return unreadable("it is no event of Stripe: id, type or livemode are missing");
  }
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (reader === undefined) return { kind: "unknown_type", id, type, livemode };
  if (typeof created !== "number" || !Number.isInteger(created) || created < 0 || created > LATEST_S) {
    return unreadable("it does not say when it was created, in Unix seconds");
  }
  const object = fieldsOf(fieldsOf(event["data"])["object"]);
  const createdAtMs = created * 1_000;
  const said = reader(object, type);
  return { kind: "event", event: { id, type, createdAtMs, receivedAtMs: nowMs, ...said }, livemode };
}

function readCheckout(session: Fields, type: string): FactReading {
  const names = namesOf(session, session["subscription"]);
  if (names.subscription === null) return { ...names, fact: null, note: "a checkout of no subscription" };
  if (names.payer === null) return { ...names, fact: null, note: "a checkout of nobody" };
  const status = textOf(session["payment_status"]);
  const details = fieldsOf(session["customer_details"]);
  const named = [details["email"], session["customer_email"]];
  const email = named.map(textOf).find((address) => address !== null && isMailAddress(address)) ?? null;
  const isUnusable = email === null && named.some((value) => typeof value === "string" && value !== "");
  const isSettled = status === "paid" || status === "no_payment_required";
  return {
    ...names,
    fact: {
      kind: "checkout",
      paid: type.endsWith("async_payment_succeeded") || (type.endsWith("completed") && isSettled),
      email,
      language: languageOf(textOf(session["locale"]), textOf(fieldsOf(details["address"])["country"])),
      ...(isUnusable ? { unusable: true } : {}),
    },
    note: null,
  };
}

/** The language of a checkout: its locale, or where that is automatic, the one of the buyer's country. */
function languageOf(locale: string | null, country: string | null): MailLanguage {
  const code = locale?.slice(0, 2).toLowerCase();
  if (code === "de" || code === "fr") return code;
  if (locale !== null && locale !== "auto") return "en";
  if (["DE", "AT", "LI"].includes(country ?? "")) return "de";
  return ["FR", "MC"].includes(country ?? "") ? "fr" : "en";
}

function readSubscription(subscription: Fields, type: string): FactReading {
  const names = namesOf(subscription, subscription["id"]);
  const status = textOf(subscription["status"]);
  if (names.payer === null || names.subscription === null) {
    return { ...names, fact: null, note: "a subscription of nobody" };
  }
  const known = PAYMENT_STATUSES.find((name) => name === status);
  const deleted = type === "customer.subscription.deleted";
  if (known === undefined && !deleted) {
    return { ...names, fact: null, note: `a state that is not known: ${status ?? "none"}` };
  }
  const prices = itemsOf(subscription["items"]).map((item) => idOf(item["price"]) ?? idOf(item["plan"]));
  const fact: PaymentFact = {
    kind: "subscription",
    status: known ?? ("canceled" satisfies PaymentStatus),
    deleted,
    prices: each([...prices, ...(prices.length === 0 ? [idOf(subscription["plan"])] : [])]),
    invoice: idOf(subscription["latest_invoice"]),
  };
  return { ...names, fact, note: null };
}

function readInvoice(invoice: Fields, type: string): FactReading {
  // Since the API of March 2025 a bill names its subscription under its parent.
  const parent = fieldsOf(fieldsOf(invoice["parent"])["subscription_details"]);
  const names = namesOf(invoice, invoice["subscription"] ?? parent["subscription"]);
  if (names.subscription === null) return { ...names, fact: null, note: "a bill of no subscription" };
  if (names.payer === null) return { ...names, fact: null, note: "a bill of nobody" };
  const lines = itemsOf(invoice["lines"]).filter((line) => !isProration(line));
  const prices = lines.map((line) =>
    idOf(line["price"]) ?? idOf(fieldsOf(fieldsOf(line["pricing"])["price_details"])["price"])
  );
  return {
    ...names,
    fact: {
      kind: "invoice",
      paid: type === "invoice.paid",
      prices: each(prices),
      invoice: idOf(invoice["id"]),
    },
    note: null,
  };
}

/** What is charged or given back for a part of a period, at a price that may be the old one. */
function isProration(line: Fields): boolean {
  const details = fieldsOf(fieldsOf(line["parent"])["subscription_item_details"]);
  return line["proration"] === true || details["proration"] === true;
}

function namesOf(
  object: Fields,
  subscription: unknown,
): { payer: string | null; subscription: string | null } {
  return { payer: idOf(object["customer"]), subscription: idOf(subscription) };
}

function itemsOf(list: unknown): Fields[] {
  const { data } = fieldsOf(list);
  return Array.isArray(data) ? data.slice(0, MAX_ITEMS).map(fieldsOf) : [];
}

/** An id, alone or as that of an object that stands in its place. */
function idOf(value: unknown): string | null {
  return textOf(value) ?? textOf(fieldsOf(value)["id"]);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" && value.length <= MAX_TEXT && value.isWellFormed() &&
      !value.includes("\0")
    ? value
    : null;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Fields : {};
}

function each(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))].sort();
}

function unreadable(problem: string): EventReading {
  return { kind: "unreadable", problem };
}
