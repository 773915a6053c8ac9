// A complete Regfeed driven by a seed: it is killed and restarted, its clock jumps, and its disk fills up.
import { setImmediate } from "node:timers";
import { makeKey } from "../../src/accounts/keys.ts";
import { type App, createApp } from "../../src/app.ts";
import { findAdditionProblems } from "../../src/classify/check_configured_rules.ts";
import { type Config, parseConfig } from "../../src/config/config.ts";
import { createIds } from "../../src/domain/event/ids.ts";
import { loadIngestSource } from "../../src/ingest/fetch_job.ts";
import type { Platform } from "../../src/domain/ports/ports.ts";
import type { Store } from "../../src/domain/ports/store/store.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import { type FakeClock, fakeClock } from "../support/clock.ts";
import { fakePlatform, type LogLine } from "../support/platform.ts";
import { boardConfig, rss } from "../support/samples.ts";
import { testVault } from "../support/vault.ts";
import { START_MS } from "../support/world.ts";
import { type Chance, createChance } from "../support/chance.ts";
import { Endpoints } from "./endpoints.ts";
import { Life, storeOf, type Troubles } from "./life.ts";

const CONFIG = `[tiers.team]
webhook_deliveries_per_month = 8
held_deliveries = 3
api_requests_per_day = 1_000_000
active_subscriptions = 50
[tiers.gpai]
webhook_deliveries_per_month = 15
held_deliveries = 5
api_requests_per_day = 1_000_000
active_subscriptions = 50
${boardConfig()}`;

/** Maximum number of event loop turns per tick. The clock advances while the tick waits. */
const MAX_TURNS = 4_000;

/** A publication as its publisher currently shows it. */
export interface Publication {
  id: string;
  version: number;
  topic: string;
}

export interface Subscriber {
  id: string;
  key: string;
}

export interface Reply {
  status: number;
  // deno-lint-ignore no-explicit-any -- the tests check its fields
  json: any;
}

/** A planted bug: replaces methods of the store. */
export type Tampering = (store: Store) => Store;

export class Simulation {
  readonly chance: Chance;
  readonly clock: FakeClock = fakeClock(START_MS);
  readonly endpoints: Endpoints;
  readonly troubles: Troubles = { death: 0, fullDisk: 0 };
  readonly publications: Publication[] = [];
  readonly lines: LogLine[] = [];
  subscribers: Subscriber[] = [];
  deaths = 0;
  /** How often an endpoint failed for so long that it was disabled. */
  outages = 0;
  readonly oldKeys: string[] = [];
  #life: Life;
  #app: App;
  #isTicking = false;
  #learned: (() => void)[] = [];

  private constructor(readonly config: Config, readonly store: Store, seed: number) {
    this.chance = createChance(seed);
    this.endpoints = new Endpoints(this.clock, this.chance);
    [this.#life, this.#app] = this.#start();
  }

  static async open(seed: number, tamper: Tampering = (store) => store): Promise<Simulation> {
    // Loading modules takes real time, which the simulated clock does not know.
    await loadIngestSource();
    const config = await parseConfig(CONFIG, {
      file: "regfeed.toml",
      folder: "/simulation",
      readSecret: { file: () => Promise.reject(new Error("no file")), env: () => undefined },
      findAdditionProblems,
    });
    const simulation = new Simulation(config, tamper(openStore(":memory:", testVault)), seed);
    for (const digit of [1, 2]) await simulation.#addSubscriber(digit);
    return simulation;
  }

  async #addSubscriber(digit: number): Promise<void> {
    const bytes = (count: number) => new Uint8Array(count).fill(8 * digit);
    const id = createIds(() => START_MS, bytes)("customer");
    const { key, stored } = makeKey(bytes, START_MS);
    const customer = {
      id,
      email: `${digit}@example.org`,
      tier: "team" as const,
      enabled: true,
      limits: {},
      language: "en" as const,
      declared: false,
      createdAtMs: START_MS,
    };
    await this.store.addCustomer(customer, stored, { actor: "cli:simulation", atMs: START_MS });
    this.subscribers.push({ id, key });
  }

  /** Starts a new process on the same store. */
  #start(): [Life, App] {
    const life = new Life(this.chance, this.troubles);
    const { config } = this;
    const app = createApp({
      config,
      platform: this.#platform(life),
      store: storeOf(this.store, life),
      version: "0.0.0",
    });
    return [life, app];
  }

  #platform(life: Life): Platform {
    const fake = fakePlatform(START_MS);
    const { clock, chance, endpoints } = this;
    return {
      ...fake,
      clock,
      random: {
        bytes: (count) => Uint8Array.from({ length: count }, () => chance.between(0, 255)),
        fraction: () => chance.fraction(),
      },
      resolver: { resolve: (host) => life.step(() => endpoints.resolve(host)) },
      http: {
        request: () =>
          life.step(() =>
            Promise.resolve({ status: 200, headers: {}, body: this.#feed(), truncated: false })
          ),
      },
      endpoints: { request: (request) => life.step(() => endpoints.request(request)) },
      log: (area) => {
        const keep = (level: LogLine["level"]) => (message: string, fields: LogLine["fields"] = {}) =>
          void this.lines.push({ area, level, message, fields });
        return { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
      },
    };
  }

  #feed(): Uint8Array {
    return new TextEncoder().encode(rss(this.publications.map(({ id, version, topic }) => ({
      id,
      title: `Guidelines on the AI Act ${id}, version ${version}`,
      summary: `They concern ${topic}.`,
    }))));
  }

  /** Runs every loop once. Returns whether the tick ended without being killed or refused. */
  async tick(): Promise<boolean> {
    this.#isTicking = true;
    this.endpoints.isQuiet = this.troubles.death === 0 && this.troubles.fullDisk === 0;
    const isGood = await this.#tick();
    this.#isTicking = false;
    for (const learn of this.#learned.splice(0)) learn();
    this.endpoints.settle(isGood);
    return isGood;
  }

  /**
   * Informs the endpoints about an acknowledged change: at once, or at the end of a running tick, because attempts in
   * progress still use the old settings.
   */
  learn(what: () => void): void {
    if (this.#isTicking) this.#learned.push(what);
    else what();
  }

  async #tick(): Promise<boolean> {
    const { refused } = this.#life;
    const outcome = await this.#drive(this.#app.tick());
    if (outcome === "died") return false;
    if ("error" in outcome) {
      if (this.#life.refused === refused) throw outcome.error;
      return false; // the full disk was reported, and the next tick tries again
    }
    return true;
  }

  /** Sends an API request. Repeats it, as a client would, if the process is killed first or the response is a 500. */
  async ask(subscriber: Subscriber, method: string, path: string, body?: unknown): Promise<Reply> {
    const key = `${this.chance.between(0, 2 ** 31)}-${this.chance.between(0, 2 ** 31)}`;
    for (let tries = 0; tries < 100; tries++) {
      const request = new Request(`http://regfeed.example${path}`, {
        method,
        headers: {
          authorization: `Bearer ${subscriber.key}`,
          "content-type": "application/json",
          "idempotency-key": key,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const outcome = await this.#drive(Promise.resolve(this.#app.fetch(request)).then(readReply));
      if (outcome === "died") continue;
      if ("error" in outcome) throw outcome.error;
      if (outcome.value.status !== 500) return outcome.value;
    }
    throw new Error(`no response to ${method} ${path}`);
  }

  /** Advances the clock until the work settles or the process is killed. A killed process is replaced by a new one. */
  async #drive<T>(work: Promise<T>): Promise<{ value: T } | { error: unknown } | "died"> {
    const life = this.#life;
    let settled: { value: T } | { error: unknown } | "died" | null = null;
    const ends = work.then((value) => ({ value }), (error: unknown) => ({ error }));
    Promise.race([ends, life.died]).then((outcome) => settled = outcome);
    for (let turn = 0; settled === null; turn++) {
      if (turn > MAX_TURNS) throw new Error("the work does not end");
      await nextTurn();
      // Work that has not settled by now is waiting for time to pass.
      if (settled === null && turn % 4 === 3) await this.clock.advance(turn < 40 ? 20 : 5_000);
    }
    // Concurrent work may already have started the next process.
    if (settled === "died" && life === this.#life) {
      this.deaths++;
      [this.#life, this.#app] = this.#start();
    }
    return settled;
  }

  async close(): Promise<void> {
    this.#life.end();
    await this.store.close();
  }
}

async function readReply(response: Response): Promise<Reply> {
  const text = await response.text();
  return { status: response.status, json: text === "" ? null : JSON.parse(text) };
}

export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
