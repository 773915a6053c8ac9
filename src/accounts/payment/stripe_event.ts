// Parses Stripe's events of any API version into the facts that Regfeed needs.
import { isMailAddress } from "../../domain/customer/mail.ts";
import type { MailLanguage } from "../../domain/customer/mail_language.ts";
import {
  PAYMENT_STATUSES,
  type PaymentEvent,
  type PaymentFact,
  type PaymentStatus,
} from "../../domain/customer/payment.ts";

type EventReading =
  | { kind: "event"; event: PaymentEvent; livemode: boolean }
  | { kind: "unknown_type"; id: string; type: string; livemode: boolean }
  /** Not a valid event. The problem is meant for the operator. */
  | { kind: "unreadable"; problem: string };

type Fields = Record<string, unknown>;

interface Names {
  payer: string | null;
  subscription: string | null;
}

/** The fact in an object, or a note that states why there is none. */
type FactReading = Names & ({ fact: PaymentFact; note: null } | { fact: null; note: string });

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

/** Maximum length of a string in an event, in characters. */
const MAX_TEXT = 255;
/** The latest time that a Date can represent, in Unix seconds. */
const LATEST_S = 8.64e12;
/** Maximum number of items of a subscription, or lines of an invoice, that are read. */
const MAX_ITEMS = 100;

/** Interprets the parsed JSON body of a webhook whose signature is valid. */
export function parseStripeEvent(body: unknown, nowMs: number): EventReading {
  const event = fieldsOf(body);
  const id = textOf(event["id"]);
  const type = textOf(event["type"]);
  const { created, livemode } = event;
  if (textOf(event["object"]) === "v2.core.event") {
    return unreadable("it is a thin event: choose the payload style Snapshot for this endpoint");
  }
  if (id === null || !/^evt_/.test(id) || type === null || typeof livemode !== "boolean") {
    return unreadable("it is not a Stripe event: id, type or livemode is missing");
  }
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  if (reader === undefined) return { kind: "unknown_type", id, type, livemode };
  if (typeof created !== "number" || !Number.isInteger(created) || created < 0 || created > LATEST_S) {
    return unreadable("created is not a valid time in Unix seconds");
  }
  const object = fieldsOf(fieldsOf(event["data"])["object"]);
  const createdAtMs = created * 1_000;
  const result = reader(object, type);
  return { kind: "event", event: { id, type, createdAtMs, receivedAtMs: nowMs, ...result }, livemode };
}

function readCheckout(session: Fields, type: string): FactReading {
  const names = namesOf(session, session["subscription"]);
  const missing = missingName(names, "a checkout");
  if (missing !== null) return missing;
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

/** Returns the language of a checkout's locale or, if it is absent or `auto`, of the buyer's country. */
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
    return { ...names, fact: null, note: "a subscription without a customer" };
  }
  const known = PAYMENT_STATUSES.find((name) => name === status);
  const deleted = type === "customer.subscription.deleted";
  if (known === undefined && !deleted) {
    return { ...names, fact: null, note: `an unknown status: ${status ?? "none"}` };
  }
  const prices = itemsOf(subscription["items"]).map((item) => idOf(item["price"]) ?? idOf(item["plan"]));
  const fact: PaymentFact = {
    kind: "subscription",
    status: known ?? ("canceled" satisfies PaymentStatus),
    deleted,
    prices: unique([...prices, ...(prices.length === 0 ? [idOf(subscription["plan"])] : [])]),
    invoice: idOf(subscription["latest_invoice"]),
  };
  return { ...names, fact, note: null };
}

function readInvoice(invoice: Fields, type: string): FactReading {
  // Since the API version of March 2025, `parent` contains the subscription of an invoice.
  const parent = fieldsOf(fieldsOf(invoice["parent"])["subscription_details"]);
  const names = namesOf(invoice, invoice["subscription"] ?? parent["subscription"]);
  const missing = missingName(names, "an invoice");
  if (missing !== null) return missing;
  const lines = itemsOf(invoice["lines"]).filter((line) => !isProration(line));
  const prices = lines.map((line) =>
    idOf(line["price"]) ?? idOf(fieldsOf(fieldsOf(line["pricing"])["price_details"])["price"])
  );
  const paid = type === "invoice.paid";
  const fact: PaymentFact = { kind: "invoice", paid, prices: unique(prices), invoice: idOf(invoice["id"]) };
  return { ...names, fact, note: null };
}

/** Whether a line charges or credits a part of a period. The price of such a line may be outdated. */
function isProration(line: Fields): boolean {
  const details = fieldsOf(fieldsOf(line["parent"])["subscription_item_details"]);
  return line["proration"] === true || details["proration"] === true;
}

function namesOf(object: Fields, subscription: unknown): Names {
  return { payer: idOf(object["customer"]), subscription: idOf(subscription) };
}

function missingName(names: Names, object: string): FactReading | null {
  const missing = names.subscription === null ? "subscription" : names.payer === null ? "customer" : null;
  return missing === null ? null : { ...names, fact: null, note: `${object} without a ${missing}` };
}

function itemsOf(list: unknown): Fields[] {
  const { data } = fieldsOf(list);
  return Array.isArray(data) ? data.slice(0, MAX_ITEMS).map(fieldsOf) : [];
}

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

function unique(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))].sort();
}

function unreadable(problem: string): EventReading {
  return { kind: "unreadable", problem };
}
