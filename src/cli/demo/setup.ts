// The parts of the demo: publishers, config, payment provider, receiver, and the output on the terminal.
import { createHmac } from "node:crypto";
import { Webhook } from "standardwebhooks";
import type { RegEvent } from "../../domain/event/event.ts";
import { isAtLeast } from "../../domain/event/severity.ts";
import type { DeliveryPayload } from "../../wire/delivery.ts";
import { cut } from "../table.ts";
import PUBLISHERS from "./publishers.json" with { type: "json" };

const INDENT = 5;
const TITLE_WIDTH = 64;
const VALUE_WIDTH = 80;
const [BOLD, RED, GREEN, YELLOW] = [1, 31, 32, 33];

export interface Publisher {
  id: string;
  nameEn: string;
  nameDe: string;
  language: "en" | "de" | "fr";
  format: "RSS" | "Atom" | "JSON Feed";
  path: string;
  publications: { id: string; title: string; summary: string; daysAgo: number }[];
}

/** Returns a new copy of the publishers, which the demo may change. */
export const samplePublishers = (): Publisher[] => structuredClone(PUBLISHERS) as Publisher[];

/** The publication that the demo revises, and its new summary. */
export const REVISION = {
  publisher: "demo-oversight-board",
  publication: "board-12",
  summary: "The guidelines explain how providers mark AI-generated content and how deployers disclose " +
    "deepfakes under Article 50(2) and (4) of the AI Act. They apply from 2 December 2026.",
};

/** Renders a publisher's feed in its format, with links to `origin` and dates relative to `todayMs`. */
export function renderFeed(publisher: Publisher, origin: string, todayMs: number): string {
  const items = publisher.publications.map((publication) => ({
    ...publication,
    link: `${origin}/${publication.id}`,
    date: new Date(todayMs - publication.daysAgo * 86_400_000),
  }));
  const { nameEn: name, language } = publisher;
  if (publisher.format === "JSON Feed") {
    return JSON.stringify({
      version: "https://jsonfeed.org/version/1.1",
      title: name,
      language,
      items: items.map(({ id, title, summary, link, date }) => ({
        id,
        url: link,
        title,
        content_text: summary,
        date_published: date.toISOString(),
      })),
    });
  }
  if (publisher.format === "Atom") {
    const entries = items.map(({ id, title, summary, link, date }) =>
      `<entry><id>urn:demo:${id}</id><title>${escape(title)}</title><link href="${link}"/>` +
      `<updated>${date.toISOString()}</updated><summary>${escape(summary)}</summary></entry>`
    );
    return `<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${language}">` +
      `<id>urn:demo</id><title>${escape(name)}</title>${entries.join("")}</feed>`;
  }
  const rows = items.map(({ id, title, summary, link, date }) =>
    `<item><guid isPermaLink="false">${id}</guid><title>${escape(title)}</title><link>${link}</link>` +
    `<pubDate>${date.toUTCString()}</pubDate><description>${escape(summary)}</description></item>`
  );
  return `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>${escape(name)}</title>` +
    `<link>${origin}</link><language>${language}</language>${rows.join("")}</channel></rss>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** Returns the demo's config as an operator would write it, except that each source is fetched every second. */
export function configText(publishers: readonly Publisher[], feeds: string): string {
  const sources = publishers.map(({ id, nameEn, nameDe, path, language }) =>
    `[[sources]]
id = "${id}"
name_en = "${nameEn}"
name_de = "${nameDe}"
base_url = "${feeds}"
url = "${feeds}${path}"
fetch_strategy = "feed"
schedule = "* * * * * *"
timezone = "UTC"
languages = ["${language}"]
notify_first_fetch = true
`
  );
  return `[store]
path = "regfeed.db"

[payment]
webhook_secret = "${DEMO_SECRET}"
livemode = false
prices = { "${DEMO_PRICE}" = "team" }

[mail]
support = "support@example.org"
outbox = "outbox"

[delivery]
allow_http = true
allow_networks = ["127.0.0.0/8"]

${sources.join("\n")}`;
}

const DEMO_SECRET = "whsec_demo_only_on_this_machine_0000";

const DEMO_PRICE = "price_demo_team";

/** Returns the events of a paid checkout, signed as Stripe signs them. */
export function checkoutCalls(nowMs: number): { type: string; body: string; signature: string }[] {
  const [customer, subscription] = ["cus_demo", "sub_demo"];
  const checkout = {
    object: "checkout.session",
    mode: "subscription",
    status: "complete",
    payment_status: "paid",
    locale: "en",
    customer,
    subscription,
    customer_details: { email: "ana@example.org" },
  };
  const bought = {
    id: subscription,
    object: "subscription",
    status: "active",
    customer,
    items: { data: [{ price: { id: DEMO_PRICE } }] },
  };
  const created = Math.floor(nowMs / 1_000);
  const objects = { "customer.subscription.created": bought, "checkout.session.completed": checkout };
  return Object.entries(objects).map(([type, object]) => {
    const event = {
      id: `evt_demo_${type}`,
      object: "event",
      type,
      created,
      livemode: false,
      data: { object },
    };
    const body = JSON.stringify(event);
    const hash = createHmac("sha256", DEMO_SECRET).update(`${created}.${body}`).digest("hex");
    return { type, body, signature: `t=${created},v1=${hash}` };
  });
}

export function readWelcome(eml: string): { headers: string[]; key: string | null } {
  const lines = eml.split(/\r?\n/);
  const headers = ["From", "To", "Subject"].flatMap((name) =>
    lines.find((line) => line.startsWith(`${name}: `)) ?? []
  );
  return { headers, key: /^ *(rgf_[0-9a-f]{64})$/m.exec(eml)?.[1] ?? null };
}

export class Story {
  #steps = 0;

  constructor(
    readonly write: (text: string) => void,
    readonly options: { hasColours: boolean; columns: number },
  ) {}

  step(title: string): void {
    this.write(`\n ${this.#paint(BOLD, `${++this.#steps}  ${title}`)}\n`);
  }

  /** Writes a line that starts with the mark, in colour, and is truncated to the width of the terminal. */
  line(text: string, mark = "", colour = GREEN): void {
    const width = this.options.columns - INDENT - (mark === "" ? 0 : 2);
    const shown = text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
    this.write(`${" ".repeat(INDENT)}${mark === "" ? "" : `${this.#paint(colour, mark)} `}${shown}\n`);
  }

  stored(event: RegEvent): void {
    const { severity, language, version, event_type: type, title_en: title, ai_act_articles: articles } =
      event;
    const facts = `${severity.padEnd(8)} ${language}  v${version}  ${type.padEnd(12)} `;
    const text = `${facts}${cut(title, TITLE_WIDTH)}  ${articles.join(", ")}`.trimEnd();
    this.line(text, "+", isAtLeast(severity, "high") ? YELLOW : GREEN);
  }

  arrived(name: string, { type, title, language, sequence, diff_to_previous: diff }: DeliveryPayload): void {
    const facts = `${name.padEnd(16)} #${sequence} ${type.padEnd(15)} ${language}  `;
    this.line(`${facts}${cut(title, TITLE_WIDTH)}`, "✓");
    if (diff === undefined) return;
    this.line(`diff_to_previous: ${diff.summary}`);
    for (const change of diff.changes) {
      const [before, after] = "added" in change
        ? [change.removed.join(", "), change.added.join(", ")]
        : [String(change.before), String(change.after)];
      // The demo's revision changes the end of the summary, so only the end is shown.
      if (before !== "") this.line(`… ${before.slice(-VALUE_WIDTH)}`, "-", RED);
      if (after !== "") this.line(`… ${after.slice(-VALUE_WIDTH)}`, "+");
    }
  }

  end(text: string, isGood: boolean): void {
    this.write(`\n ${this.#paint(isGood ? GREEN : RED, `${isGood ? "✓" : "✗"}  ${text}`)}\n`);
  }

  #paint(code: number, text: string): string {
    return this.options.hasColours ? `\x1b[${code}m${text}\x1b[0m` : text;
  }
}

/** The demo's webhook receiver. It checks signatures with the official library. */
export class Receiver {
  readonly secrets = new Map<string, string>();
  /** Verified deliveries in order of arrival, without duplicates. */
  readonly arrivals: { path: string; payload: DeliveryPayload }[] = [];
  refused = 0;

  /** Responds with 204 if the signature is valid, otherwise with 401. */
  async handle(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    const body = await request.text();
    let payload: DeliveryPayload;
    try {
      const webhook = new Webhook(this.secrets.get(path) ?? "");
      payload = webhook.verify(body, Object.fromEntries(request.headers)) as DeliveryPayload;
    } catch {
      this.refused++;
      return new Response(null, { status: 401 });
    }
    // A delivery may arrive twice, with the same id.
    const isNew = !this.arrivals.some((arrival) => arrival.payload.delivery_id === payload.delivery_id);
    if (isNew) this.arrivals.push({ path, payload });
    return new Response(null, { status: 204 });
  }
}
