// `demo`: runs the complete flow on this machine, without network or account.
import { join } from "node:path";
import { type App, createApp } from "../../app.ts";
import { createMailLoop } from "../../accounts/mail/mail_loop.ts";
import { findAdditionProblems } from "../../classify/check_configured_rules.ts";
import { type Config, parseConfigFile } from "../../config/config.ts";
import type { Viewer } from "../../domain/customer/session.ts";
import type { Platform } from "../../domain/ports/ports.ts";
import { isAtLeast, type Severity } from "../../domain/event/severity.ts";
import type { RegEvent } from "../../domain/event/event.ts";
import type { Store } from "../../domain/ports/store/store.ts";
import { issueLink } from "../../operate/sign_in_links.ts";
import { createPlatform, type RealPlatform } from "../../platform/platform.ts";
import { listen, type RunningServer } from "../../platform/http/http_server.ts";
import { openVaultFile } from "../../platform/vault.ts";
import { VERSION } from "../../version.ts";
import type { Command } from "../command.ts";
import { type CommandCall, EXIT } from "../../server/command_context.ts";
import { createBackupTools } from "../../server/migrate_with_backup.ts";
import { createServerActs } from "../../server/server_acts.ts";
import {
  checkoutCalls,
  configText,
  type Publisher,
  readWelcome,
  Receiver,
  renderFeed,
  REVISION,
  samplePublishers,
  Story,
} from "./setup.ts";

/** Time limit for a step, ms. */
const PATIENCE_MS = 30_000;
const RETRY_MS = 50;
const MAX_RESPONSE_BYTES = 1_048_576;
const DRAIN_MS = 1_000;
const CONFIG_MODE = 0o600;
/** Number of sample items that are not about AI regulation. */
const IRRELEVANT = 1;

const SUBSCRIPTIONS: readonly { name: string; path: string; severity_min: Severity; language: string }[] = [
  { name: "everything", path: "/hooks/everything", severity_min: "info", language: "en" },
  { name: "high, in German", path: "/hooks/high", severity_min: "high", language: "de" },
];

export const demoCommand: Command = {
  name: "demo",
  usage: "[--once]",
  summary: "runs the complete flow on this machine, without network",
  example: "regfeed demo --once",
  withoutConfig: true,
  options: {
    once: {
      kind: "flag",
      help: "exit at the end, with code 0 only if every delivery arrived and was verified",
    },
  },
  async run(call) {
    const { host } = call;
    const folder = await host.makeTemporaryFolder("regfeed-demo-");
    const platform = createPlatform({
      log: { format: "text", level: "error" },
      mail: { smtp: null, outbox: join(folder, "outbox") },
    });
    let result: Result;
    try {
      result = await runDemo(call, platform, folder);
    } finally {
      await host.removeFolder(folder);
      await platform.close();
    }
    if (result.isStopped) host.out("\n The demo has ended, and its folder has been removed.\n");
    return result.isGood ? EXIT.done : EXIT.failed;
  },
};

interface Result {
  isGood: boolean;
  isStopped: boolean;
}

interface Stage {
  platform: Platform;
  story: Story;
  publishers: Publisher[];
  feeds: RunningServer;
  receiver: Receiver;
  hooks: RunningServer;
  config: Config;
  app: App;
  api: RunningServer;
  store: Store;
}

async function runDemo(call: CommandCall, platform: RealPlatform, folder: string): Promise<Result> {
  const { host } = call;
  // From here on, a signal ends the demo at any step.
  const stopped = host.stopSignal().then(() => "stopped" as const);
  const story = new Story((text) => host.out(text, { hasColours: true }), {
    hasColours: host.isTerminal,
    columns: host.isTerminal ? host.columns() : Infinity,
  });
  host.out("\n Regfeed demo: official feeds in, signed deliveries out, all on this machine.\n");
  const stage = await setStage(call, { platform, story, folder });
  try {
    const playing = play(stage);
    const outcome = await Promise.race([playing, stopped]);
    if (outcome === "stopped") {
      playing.catch(() => {}); // the demo's requests may fail now
      return { isGood: false, isStopped: true };
    }
    const { isGood, key } = outcome;
    if (call.flags.has("once") || !isGood) return { isGood, isStopped: false };
    await printNextSteps(stage, key, host.out);
    await stopped;
    return { isGood, isStopped: true };
  } finally {
    await stage.api.shutdown(DRAIN_MS);
    await stage.app.stop();
    await stage.store.close();
    await stage.hooks.shutdown(DRAIN_MS);
    await stage.feeds.shutdown(DRAIN_MS);
  }
}

async function setStage(
  call: CommandCall,
  { platform, story, folder }: { platform: RealPlatform; story: Story; folder: string },
): Promise<Stage> {
  const publishers = samplePublishers();
  const todayMs = platform.clock.nowMs();
  const loopback = { hostname: "127.0.0.1", port: 0 };
  const feeds = await listen({
    ...loopback,
    handler: ({ url }) => {
      const { pathname, origin } = new URL(url);
      const publisher = publishers.find(({ path }) => path === pathname);
      if (publisher === undefined) return new Response("no such feed", { status: 404 });
      return new Response(renderFeed(publisher, origin, todayMs));
    },
  });
  story.step("Three publishers start on loopback");
  for (const { nameEn, format, language, path } of publishers) {
    story.line(`${format.padEnd(10)} ${language}  ${feeds.address}${path.padEnd(24)} ${nameEn}`);
  }

  const receiver = new Receiver();
  const hooks = await listen({ ...loopback, handler: (request) => receiver.handle(request) });

  // The config contains the address, so that the links on the pages lead here.
  const made = Promise.withResolvers<App>();
  const api = await listen({ ...loopback, handler: async (request) => (await made.promise).fetch(request) });
  const file = join(folder, "regfeed.toml");
  const text = `[server]\npublic_url = "${api.address}"\n\n${configText(publishers, feeds.address)}`;
  await call.host.writeText(file, text, CONFIG_MODE); // for backups
  const parsed = await parseConfigFile(text, {
    file,
    folder,
    readSecret: { file: () => Promise.reject(new Error("the demo has no secrets")), env: () => undefined },
    findAdditionProblems,
  });
  const { config } = parsed;
  const { path, keyFile } = config.store;
  const engine = await call.loadEngine();
  const store = engine.open(path, (options) => openVaultFile(keyFile, options));
  const loaded = { ...parsed, file, storeName: path };
  const tools = createBackupTools(call.host, engine);
  const serverActs = createServerActs({ call, loaded, platform, store, tools });
  const app = createApp({ config, platform, store, version: VERSION, serverActs });
  made.resolve(app);
  story.step("Regfeed starts");
  story.line(`API        ${api.address}`);
  story.line(`store      ${path}`);
  return { platform, story, publishers, feeds, receiver, hooks, config, app, api, store };
}

/** Runs the steps. `isGood`: whether every event was stored, every expected delivery arrived, and none was refused. */
async function play(stage: Stage): Promise<{ isGood: boolean; key: string }> {
  const { story, publishers, receiver, platform: { clock } } = stage;
  const key = await checkOut(stage);
  await subscribe(stage, key);

  let events: RegEvent[] = [];
  const storedIds = new Set<string>();
  let shownArrivals = 0;
  const showArrivals = () => {
    for (const { path, payload } of receiver.arrivals.slice(shownArrivals)) {
      const name = SUBSCRIPTIONS.find((subscription) => subscription.path === path)?.name ?? path;
      story.arrived(name, payload);
      shownArrivals++;
    }
  };
  /** Reads the events repeatedly until the condition is true. Resolves with false after the time limit. */
  const until = async (isTrue: () => boolean): Promise<boolean> => {
    const endMs = clock.nowMs() + PATIENCE_MS;
    while (clock.nowMs() < endMs) {
      const path = "/v1/events?limit=200";
      ({ events } = await askApi<{ events: RegEvent[] }>(stage, { method: "GET", path, key }));
      if (isTrue()) return true;
      await clock.sleep(RETRY_MS);
    }
    return false;
  };
  const haveArrived = (): boolean => {
    showArrivals();
    return missingDeliveries(events, receiver).missing === 0;
  };

  story.step("Regfeed collects, classifies and stores");
  await stage.app.start();
  const items = publishers.reduce((sum, publisher) => sum + publisher.publications.length, 0);
  const isStored = await until(() => {
    for (const event of events.toReversed()) {
      if (!storedIds.has(event.id)) story.stored(event);
      storedIds.add(event.id);
    }
    return events.length >= items - IRRELEVANT;
  });
  story.line(`${items - storedIds.size} of ${items} items skipped: not about AI regulation`);

  story.step("Regfeed delivers; ✓ marks a signature that the standardwebhooks package accepts");
  const isDelivered = await until(haveArrived);

  story.step("A publisher revises one publication");
  revise(stage);
  const isRevised = await until(() => haveArrived() && events.some((event) => event.version === 2));
  showArrivals();

  const { promised, missing } = missingDeliveries(events, receiver);
  const isGood = isStored && isDelivered && isRevised && missing === 0 && receiver.refused === 0;
  story.end(
    `${
      promised - missing
    } of ${promised} promised deliveries arrived and were verified; ${receiver.refused} refused.`,
    isGood,
  );
  return { isGood, key };
}

/** Pays as a customer would. Returns the API key from the welcome email. */
async function checkOut(stage: Stage): Promise<string> {
  const { platform, store, config, api, story } = stage;
  story.step("A customer pays; the payment provider sends signed events");
  for (const { type, body, signature } of checkoutCalls(platform.clock.nowMs())) {
    const headers = { "stripe-signature": signature };
    await askApi(stage, { method: "POST", path: "/v1/webhooks/payment", headers, body });
    story.line(type, "✓");
  }
  const { mail, tiers } = config;
  const log = platform.log("mail");
  await createMailLoop({ ...platform, ...mail, store, log, tiers, publicUrl: api.address }).tick();
  story.step("The welcome email contains the key, which is stored nowhere else");
  const [letter] = (await platform.files.list(mail.outbox)).files;
  const { headers, key } = readWelcome(
    await platform.files.readText(join(mail.outbox, letter?.name ?? "none")),
  );
  if (key === null) throw new Error("the welcome email contains no key");
  for (const header of headers) story.line(header);
  story.line(`key        ${key}`);
  const { tier } = await askApi<{ tier: string }>(stage, { method: "GET", path: "/v1/usage", key });
  story.line(`first call: GET /v1/usage, tier ${tier}`);
  return key;
}

async function subscribe(stage: Stage, key: string): Promise<void> {
  stage.story.step("A receiver subscribes");
  for (const { name, path, ...filter } of SUBSCRIPTIONS) {
    const body = JSON.stringify({ webhook_url: `${stage.hooks.address}${path}`, ...filter });
    const { subscription } = await askApi<{ subscription: { id: string; webhook_secret: string } }>(
      stage,
      { method: "POST", path: "/v1/subscriptions", key, body },
    );
    stage.receiver.secrets.set(path, subscription.webhook_secret);
    stage.story.line(`${name.padEnd(16)} ${subscription.id}`);
  }
}

function revise({ story, publishers }: Stage): void {
  const publication = publishers.find(({ id }) => id === REVISION.publisher)?.publications
    .find(({ id }) => id === REVISION.publication);
  if (publication === undefined) throw new Error("the publication to revise is missing");
  publication.summary = REVISION.summary;
  story.line(`one more sentence in the summary of: ${publication.title}`);
}

/** Counts the deliveries that the events should cause, and how many of them have not arrived. */
function missingDeliveries(
  events: readonly RegEvent[],
  { arrivals }: Receiver,
): { promised: number; missing: number } {
  const promised = SUBSCRIPTIONS.flatMap(({ path, severity_min }) =>
    events.filter(({ severity }) => isAtLeast(severity, severity_min)).map(({ id }) => `${path} ${id}`)
  );
  const arrived = new Set(arrivals.map(({ path, payload }) => `${path} ${payload.event.id}`));
  return { promised: promised.length, missing: promised.filter((one) => !arrived.has(one)).length };
}

async function askApi<T>(
  { platform, api }: Stage,
  { method, path, key, headers, body }: {
    method: "GET" | "POST";
    path: string;
    key?: string;
    headers?: Record<string, string>;
    body?: string;
  },
): Promise<T> {
  const request = {
    method,
    url: new URL(path, api.address),
    headers: {
      ...headers,
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body }),
    maxBodyBytes: MAX_RESPONSE_BYTES,
  };
  const response = await platform.clock.within(
    PATIENCE_MS,
    (signal) => platform.http.request({ ...request, signal }),
  );
  const text = new TextDecoder().decode(response.body);
  if (response.status >= 400) throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  return JSON.parse(text) as T;
}

/** Prints links to the console, and commands to paste into another terminal. Each one fits on a line of 80 columns. */
async function printNextSteps(stage: Stage, key: string, write: (text: string) => void): Promise<void> {
  const { story, api, store } = stage;
  const [customer] = await store.listCustomers();
  if (customer === undefined) throw new Error("the demo has no customer");
  const asCustomer = await linkOf(stage, { kind: "customer", customerId: customer.customer.id });
  const asOperator = await linkOf(stage, { kind: "operator", name: "demo" });
  story.step(
    `The demo keeps running until Ctrl+C. Open the console: each link works once, within 15 minutes`,
  );
  write(`
as the customer  ${asCustomer}
as the operator  ${asOperator}
`);
  story.step("Or try these commands in another terminal. The key also signs the customer in");
  write(`
export KEY=${key}
export BASE=${api.address}

curl -s $BASE/v1/health
curl -s -H "Authorization: Bearer $KEY" "$BASE/v1/events?severity_min=high"
curl -s -H "Authorization: Bearer $KEY" "$BASE/v1/events?event_type=guidance"
`);
}

async function linkOf({ platform, store, config }: Stage, viewer: Viewer): Promise<string> {
  const by = { actor: "cli:demo", atMs: platform.clock.nowMs() };
  return (await issueLink({ config, store, random: platform.random }, viewer, by)).url;
}
