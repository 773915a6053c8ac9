// A service on this machine with the demo's publications, a customer with subscriptions, and an operator. Its clock
// stands still, so that its pages are always the same.
import { backupName, scheduledName } from "../../src/backup/create.ts";
import { good, problem, warning } from "../../src/domain/operator/finding.ts";
import type { ServerActs } from "../../src/operate/operator_acts.ts";
import { createSessions } from "../../src/accounts/sessions.ts";
import { configText, renderFeed, REVISION, samplePublishers } from "../../src/cli/demo/setup.ts";
import type { Viewer } from "../../src/domain/customer/session.ts";
import { listen } from "../../src/platform/http/http_server.ts";
import { addPastFetches, addPastIncidents } from "./sample_history.ts";
import { createWorld, START_MS, type World } from "../support/world.ts";

export type SampleViewer = "visitor" | "customer" | "operator";

export interface SampleService {
  world: World;
  /** `http://127.0.0.1:PORT` */
  origin: string;
  /** The cookies of each viewer. */
  cookies: Readonly<Record<SampleViewer, Record<string, string>>>;
  /** Ids that the addresses of pages contain. */
  ids: Record<"event" | "revision" | "subscription" | "delivery" | "customer" | "source", string>;
}

const FEEDS = "https://publishers.example";
const HOOKS = "https://hooks.example.org";
const HOUR_MS = 3_600_000;

/** Starts the service for `work`, and stops it afterwards. */
export async function withSampleService(work: (service: SampleService) => Promise<void>): Promise<void> {
  const publishers = samplePublishers();
  const config = configText(publishers, FEEDS).replaceAll("* * * * * *", "*/30 * * * *");
  const world = await createWorld(`${config}${UNREACHABLE}`, {
    startMs: START_MS - 3 * HOUR_MS,
    serverActs: SERVER,
  });
  const server = await listen({
    hostname: "127.0.0.1",
    port: 0,
    handler: (request) => world.app.fetch(request),
  });
  try {
    await work({ world, origin: server.address, ...await arrange(world, publishers) });
  } finally {
    await server.shutdown(1_000);
    await world.close();
  }
}

const UNREACHABLE = `
[[sources]]
id = "demo-unreachable"
name_en = "Standards Institute for AI (invented, unreachable)"
name_de = "Normungsinstitut für KI (erfunden, nicht erreichbar)"
base_url = "https://unreachable.example"
url = "https://unreachable.example/news.rss"
schedule = "*/30 * * * *"
`;

/** What the server process would report. */
const SERVER: ServerActs = {
  findings: () =>
    Promise.resolve([
      problem(
        "tls",
        "the certificate expired on 2026-07-30",
        "renew it: the server loads the new files automatically",
      ),
      warning(
        "config",
        "ingest.contact is missing",
        "set an email address or a URL, so that publishers can contact you",
      ),
      {
        ...warning(
          "sources",
          "1 whose last fetch failed: demo-unreachable",
          "`regfeed source list` says why",
        ),
        symptoms: ["hosts: unreachable.example does not respond"],
      },
      good("store", "the database has this version's schema"),
    ]),
  backups: () =>
    Promise.resolve([
      {
        name: backupName(START_MS - HOUR_MS),
        createdAtMs: START_MS - HOUR_MS,
        bytes: 12_400_000,
        isScheduled: false,
      },
      {
        name: scheduledName(START_MS - 9 * HOUR_MS),
        createdAtMs: START_MS - 9 * HOUR_MS,
        bytes: 12_300_000,
        isScheduled: true,
      },
    ]),
  createBackup: () => Promise.reject(new Error("not in the sample")),
  verifyBackup: () => Promise.reject(new Error("not in the sample")),
  outbox: {
    exists: () => Promise.resolve(false),
    list: () => Promise.resolve({ files: [], unreadable: [] }),
    removeFile: () => Promise.resolve(),
  },
};

async function arrange(world: World, publishers: ReturnType<typeof samplePublishers>): Promise<
  Pick<SampleService, "cookies" | "ids">
> {
  const { platform, addCustomer, ask, app } = world;
  for (const publisher of publishers) {
    platform.http.serve(FEEDS + publisher.path, () => ({ body: renderFeed(publisher, FEEDS, START_MS) }));
  }
  platform.http.serve("https://unreachable.example", () => ({ status: 503 }));
  platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
  platform.http.serve(`${HOOKS}/compliance`, () => ({ status: 204 }));
  platform.http.serve(`${HOOKS}/archive`, () => ({ status: 500 }));
  await addPastIncidents(world);
  const { customer, key } = await addCustomer({ email: "ana@example.org" });
  const subscribe = async (body: unknown) => {
    const reply = await ask("/v1/subscriptions", { method: "POST", key, body: JSON.stringify(body) });
    return reply.json.subscription.id as string;
  };
  const subscription = await subscribe({
    webhook_url: `${HOOKS}/compliance`,
    name: "Compliance team",
    language: "de",
  });
  await subscribe({
    webhook_url: `${HOOKS}/archive`,
    name: "Archive",
    severity_min: "high",
    topics: ["transparency"],
  });
  // Longer steps would look like interruptions.
  const passHalfHours = async (count: number) => {
    for (let passed = 0; passed < count; passed++) {
      await platform.clock.advance(HOUR_MS / 2);
      await app.tick();
    }
  };
  await passHalfHours(2);
  const revised = publishers.find(({ id }) => id === REVISION.publisher)?.publications
    .find(({ id }) => id === REVISION.publication);
  if (revised !== undefined) revised.summary = REVISION.summary;
  await passHalfHours(3);
  await addPastFetches(world);
  await passHalfHours(1);

  const { events } = (await ask("/v1/events", { key })).json;
  const revision = events.find((event: { version: number }) => event.version === 2);
  const { deliveries } = (await ask(`/v1/deliveries?subscription=${subscription}`, { key })).json;
  const sessions = createSessions({ ...platform, ...world });
  const signIn = async (viewer: Viewer) => {
    const client = { ipAddress: "192.0.2.7", userAgent: "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0" };
    return { regfeed: (await sessions.start(viewer, { method: "link", client }))?.token ?? "" };
  };
  return {
    cookies: {
      visitor: {},
      customer: await signIn({ kind: "customer", customerId: customer.id }),
      operator: await signIn({ kind: "operator", name: "root" }),
    },
    ids: {
      event: revision.supersedes,
      revision: revision.id,
      subscription,
      delivery: deliveries[0].id,
      customer: customer.id,
      source: "demo-unreachable",
    },
  };
}
