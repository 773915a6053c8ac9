// The rows of the pages: server time and bytes of each page with everything it loads, in a large store.
import { join } from "node:path";
import { createSessions } from "../../../src/accounts/sessions.ts";
import { createApp } from "../../../src/app.ts";
import { TOPICS } from "../../../src/classify/classify.ts";
import type { DeliveryRecord } from "../../../src/domain/delivery/delivery.ts";
import { createMatching } from "../../../src/delivery/match/match.ts";
import { createPlatform } from "../../../src/platform/platform.ts";
import { readConfig } from "../data/config.ts";
import { addCustomer, addEvents, addSubscription, fillEvents, fillFetches, newId } from "../data/fill.ts";
import { COMMON_WORD, createEvents, SOURCES } from "../data/invented.ts";
import { openBenchStore } from "../data/store.ts";
import { median } from "../measure.ts";
import { type Bench, rounded } from "../row.ts";

const SUBSCRIPTIONS = 1_000;
const CONFIGURED_SOURCES = 50;
const DAYS_OF_FETCHES = 90;
const REQUESTS = 30;
const MAX_MS = 30;
const MAX_KB = 60;

interface MeasuredPage {
  name: string;
  path: string;
  viewer: "customer" | "operator" | "visitor";
}

/** The pages to measure. `eventId` is an event that all of the customer's subscriptions reported. */
function pagesOf(
  { eventId, customerId, delivery }: { eventId: string; customerId: string; delivery: DeliveryRecord },
): MeasuredPage[] {
  const subscription = `/console/subscriptions/${delivery.subscriptionId}`;
  return [
    { name: "feed", path: "/console", viewer: "customer" },
    {
      name: "feed, filtered",
      path: `/console?topics=${TOPICS[1]?.id}&severity_min=medium&q=${COMMON_WORD}&latest=true`,
      viewer: "customer",
    },
    {
      name: "feed, no match",
      path: "/console?q=nowhere&severity_min=critical&language=de",
      viewer: "customer",
    },
    { name: "event", path: `/console/events/${eventId}`, viewer: "customer" },
    { name: "subscriptions", path: "/console/subscriptions", viewer: "customer" },
    { name: "new subscription", path: "/console/subscriptions/new", viewer: "customer" },
    { name: "subscription", path: subscription, viewer: "customer" },
    { name: "delivery", path: `${subscription}/deliveries/${delivery.id}`, viewer: "customer" },
    { name: "usage", path: "/console/usage", viewer: "customer" },
    { name: "keys", path: "/console/keys", viewer: "customer" },
    ...Object.entries({
      overview: "",
      sources: "/sources",
      source: `/sources/${SOURCES[0]}`,
      deliveries: "/deliveries?status=pending",
      delivery: `/deliveries/${delivery.id}`,
      emails: "/mails",
      customers: "/customers",
      customer: `/customers/${customerId}`,
      audit: "/audit?origin=cli",
    }).map(([name, path]) => ({
      name: `operator's ${name}`,
      path: `/operator${path}`,
      viewer: "operator" as const,
    })),
    { name: "docs", path: "/docs", viewer: "visitor" },
    { name: "home", path: "/", viewer: "visitor" },
    { name: "status", path: "/status", viewer: "visitor" },
  ];
}

export async function measurePages(bench: Bench): Promise<void> {
  const { folder, settings, tell, add } = bench;
  const store = openBenchStore(join(folder, "pages.db"));
  const sourceIds = Array.from({ length: CONFIGURED_SOURCES }, (_, at) => SOURCES[at] ?? `source-${at}`);
  const sources = sourceIds.map((id) =>
    `[[sources]]\nid = "${id}"\nname_en = "Authority ${id}"\nbase_url = "https://${id}.example"\n` +
    `url = "https://${id}.example/feed"\nschedule = "0 * * * *"\n`
  );
  const config = await readConfig(sources.join(""), folder);
  const platform = createPlatform({ log: config.log });
  const app = createApp({ config, platform, store, version: "0.0.0-bench" });
  try {
    const make = createEvents(5);
    await fillEvents(store, settings.events - 1, { next: make, tell: (done) => tell(`${done} events`) });
    tell(`${SUBSCRIPTIONS} subscriptions`);
    const { id: customerId } = await addCustomer(store);
    for (let number = 0; number < SUBSCRIPTIONS; number++) {
      await addSubscription(store, { customerId, webhookUrl: `https://receiver-${number}.example/hook` });
    }
    await fillFetches(store, sourceIds, DAYS_OF_FETCHES);
    const event = make();
    await addEvents(store, [event], true);
    const { clock } = platform;
    const match = createMatching({ store, clock, newId, topics: TOPICS, tiers: config.tiers });
    while (await match() > 0);
    const sessions = createSessions({ ...platform, store, newId });
    const client = { ipAddress: "127.0.0.1", userAgent: "bench" };
    const viewers = {
      customer: await sessions.start({ kind: "customer", customerId }, { method: "link", client }),
      operator: await sessions.start({ kind: "operator", name: "bench" }, { method: "link", client }),
      visitor: null,
    };
    const [delivery] = await store.listDeliveries(customerId, { limit: 1 });
    if (delivery === undefined) throw new Error("no delivery was created");
    for (const page of pagesOf({ eventId: event.id, customerId, delivery })) {
      tell(page.name);
      const get = (path: string) => fetchPage(app, path, viewers[page.viewer]?.token ?? null);
      const times: number[] = [];
      for (let request = 0; request <= REQUESTS; request++) {
        const startMs = performance.now();
        await get(page.path);
        if (request > 0) times.push(performance.now() - startMs);
      }
      const kilobytes = await sizeOf(page.path, get) / 1_000;
      add({
        work: `page ${page.name}, ${settings.events} events`,
        ours: { value: median(times), unit: " ms" },
        theirs: null,
        figure: median(times),
        target: { atMost: MAX_MS },
        notes: [
          `${rounded(kilobytes)} kB over the wire with style and scripts (at most ${MAX_KB}: ` +
          `${kilobytes <= MAX_KB ? "PASS" : "MISS"})`,
        ],
      });
    }
  } finally {
    await app.stop();
    await store.close();
  }
}

interface Fetched {
  html: string;
  /** Bytes of the compressed body. */
  bytes: number;
}

async function fetchPage(
  app: Pick<ReturnType<typeof createApp>, "fetch">,
  path: string,
  token: string | null,
): Promise<Fetched> {
  const headers = {
    accept: "text/html",
    "accept-encoding": "gzip",
    ...(token === null ? {} : { cookie: `regfeed=${token}` }),
  };
  const response = await app.fetch(new Request(`http://127.0.0.1:8080${path}`, { headers }), "127.0.0.1");
  if (response.status !== 200) throw new Error(`GET ${path}: ${response.status}`);
  const body = await response.bytes();
  const isZipped = response.headers.get("content-encoding") === "gzip";
  const plain = isZipped
    ? new Response(new Blob([body]).stream().pipeThrough(new DecompressionStream("gzip")))
    : new Response(body);
  return { html: await plain.text(), bytes: body.length };
}

/** Returns the bytes of a page with the style and scripts that it names. */
async function sizeOf(path: string, get: (path: string) => Promise<Fetched>): Promise<number> {
  const { html, bytes } = await get(path);
  const assets = [...html.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, asset = ""]) => asset);
  const sizes = await Promise.all(assets.map(async (asset) => (await get(asset)).bytes));
  return sizes.reduce((sum, size) => sum + size, bytes);
}
