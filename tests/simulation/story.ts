// What happens in a simulation: publishers, customers, endpoints and the machine, each by chance.
import { createIds } from "../../src/domain/ids.ts";
import { makeKey } from "../../src/accounts/keys.ts";
import { MOODS } from "./endpoints.ts";
import type { Reply, Simulation, Subscriber } from "./simulation.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const STEPS = 25;
const TOPICS = [
  "Article 50 of the AI Act",
  "Article 5 of the AI Act",
  "general-purpose AI models and Article 53",
];
const FILTERS: readonly Filter[] = [
  {},
  { topics: ["transparency"] },
  { topics: ["gpai"], severity_min: "low" },
  { severity_min: "high" },
];

/** What a subscription lets through, as it was asked for. */
export interface Filter {
  topics?: string[];
  severity_min?: string;
}

/** A subscription as its customer knows it. */
export interface Subscribed {
  id: string;
  subscriber: Subscriber;
  host: string;
  /** Every filter that it ever had. */
  filters: Filter[];
  /** Events that were stored before it. */
  storedBefore: number;
  backfill: boolean;
  deleted: boolean;
}

/** Tells a story of a seed, ends it well, and leaves what its customers know. */
export async function live(simulation: Simulation): Promise<Subscribed[]> {
  const story = new Story(simulation);
  for (let step = 0; step < STEPS; step++) await story.step();
  await story.calm();
  return story.subscribed;
}

class Story {
  readonly subscribed: Subscribed[] = [];
  #hosts = 0;

  constructor(readonly simulation: Simulation) {}

  async step(): Promise<void> {
    const { chance, troubles, clock } = this.simulation;
    if (chance.happens(0.2)) {
      troubles.death = chance.pick([0, 0, 0.005, 0.02]);
      troubles.fullDisk = chance.pick([0, 0, 0, 0.1]);
    }
    const acts: [weight: number, act: () => Promise<unknown> | void][] = [
      [6, () => this.#publish()],
      [4, () => this.#subscribe()],
      [4, () => this.#changeMood()],
      [1, () => this.#delete()],
      [2, () => this.#patch()],
      [2, () => this.#rotate()],
      [1, () => this.#move()],
      [1, () => this.#backfillAndChange()],
      [0.5, () => this.#outage()],
      [1, () => this.#replaceKey()],
      [2, () => this.#replay()],
      [1, () => this.#changeTier()],
      [1, () => clock.set(clock.nowMs() + chance.between(-HOUR, HOUR))],
      [1, () => clock.set(clock.nowMs() + chance.between(-2 * DAY, 2 * DAY))],
      [1, () => clock.advance(chance.between(5 * DAY, 31 * DAY))],
    ];
    const total = acts.reduce((sum, [weight]) => sum + weight, 0);
    let place = chance.fraction() * total;
    const chosen = acts.find(([weight]) => (place -= weight) < 0);
    await chosen?.[1]();
    await clock.advance(chance.pick([1_000, 10_000, MINUTE, 10 * MINUTE, 31 * MINUTE, 3 * HOUR, DAY]));
    await this.simulation.tick();
  }

  #publish(): void {
    const { chance, publications } = this.simulation;
    for (let count = chance.between(1, 3); count > 0; count--) {
      const known = publications.length > 0 && chance.happens(0.3) ? chance.pick(publications) : undefined;
      if (known !== undefined) known.version++;
      else publications.push({ id: `p${publications.length}`, version: 1, topic: chance.pick(TOPICS) });
    }
  }

  async #subscribe(backfill = this.simulation.chance.happens(0.4)): Promise<void> {
    const { simulation } = this;
    const { chance, endpoints } = simulation;
    const subscriber = chance.pick(simulation.subscribers);
    const host = `h${this.#hosts++}.example`;
    const filter = chance.pick(FILTERS);
    const created = await simulation.ask(subscriber, "POST", "/v1/subscriptions", {
      webhook_url: `https://${host}/hook`,
      ...filter,
      ...(backfill ? { backfill_since: 0 } : {}),
    });
    if (created.status !== 201) throw unexpected(created);
    const { id, webhook_secret: secret } = created.json.subscription;
    endpoints.secrets.set(host, [secret]);
    const storedBefore = (await simulation.store.listEvents({ limit: 200 })).length;
    this.subscribed.push({ id, subscriber, host, filters: [filter], storedBefore, backfill, deleted: false });
  }

  #changeMood(): void {
    const { chance, endpoints } = this.simulation;
    const some = this.#some();
    if (some !== null) endpoints.moods.set(some.host, chance.pick(MOODS));
  }

  #some(): Subscribed | null {
    const there = this.subscribed.filter(({ deleted }) => !deleted);
    return there.length === 0 ? null : this.simulation.chance.pick(there);
  }

  async #delete(): Promise<void> {
    const some = this.#some();
    if (some === null) return;
    const reply = await this.simulation.ask(some.subscriber, "DELETE", `/v1/subscriptions/${some.id}`);
    // Asked again after a death it may be deleted already.
    if (reply.status !== 200 && reply.status !== 404) throw unexpected(reply);
    some.deleted = true;
  }

  async #patch(): Promise<void> {
    const { chance } = this.simulation;
    const some = this.#some();
    if (some === null) return;
    const filter = chance.pick(FILTERS);
    const change = chance.pick([
      { enabled: false },
      { enabled: true },
      { language: "de", enabled: true },
      { topics: [], severity_min: "info", ...filter },
    ]);
    if ("topics" in change) some.filters.push(filter);
    const reply = await this.simulation.ask(some.subscriber, "PATCH", `/v1/subscriptions/${some.id}`, change);
    if (reply.status !== 200) throw unexpected(reply);
  }

  async #rotate(some: Subscribed | null = this.#some()): Promise<void> {
    if (some === null) return;
    const reply = await this.simulation.ask(
      some.subscriber,
      "POST",
      `/v1/subscriptions/${some.id}/rotate-secret`,
    );
    if (reply.status !== 200) throw unexpected(reply);
    this.simulation.endpoints.secrets.get(some.host)?.push(reply.json.subscription.webhook_secret);
  }

  /** Another address, with the same secrets: nothing goes to the old one from then on. */
  async #move(of: Subscribed | null = this.#some()): Promise<void> {
    if (of === null) return;
    const { endpoints } = this.simulation;
    const host = `h${this.#hosts++}.example`;
    // Known before it is asked for: the answer may be lost, and what was asked for done.
    endpoints.secrets.set(host, endpoints.secrets.get(of.host) ?? []);
    const change = { webhook_url: `https://${host}/hook` };
    const reply = await this.simulation.ask(of.subscriber, "PATCH", `/v1/subscriptions/${of.id}`, change);
    if (reply.status !== 200) throw unexpected(reply);
    endpoints.left.add(of.host);
    of.host = host;
  }

  /** While the past is being delivered, the subscription goes elsewhere and wants something else. */
  async #backfillAndChange(): Promise<void> {
    await this.#subscribe(true);
    const made = this.subscribed.at(-1);
    if (made === undefined) return;
    await this.#move(made);
    const filter = this.simulation.chance.pick(FILTERS);
    made.filters.push(filter);
    const change = { topics: [], severity_min: "info", ...filter };
    const reply = await this.simulation.ask(made.subscriber, "PATCH", `/v1/subscriptions/${made.id}`, change);
    if (reply.status !== 200) throw unexpected(reply);
    await this.#rotate(made);
  }

  /** An endpoint that is dead until it is switched off, and then comes back. */
  async #outage(): Promise<void> {
    const { simulation } = this;
    const some = this.#some();
    if (some === null) return;
    simulation.endpoints.moods.set(some.host, "refused");
    const path = `/v1/subscriptions/${some.id}`;
    for (let day = 0; day < 7; day++) {
      this.#publish();
      await simulation.clock.advance(DAY);
      await simulation.tick();
    }
    const listed = await simulation.ask(some.subscriber, "GET", "/v1/subscriptions");
    const found = listed.json.subscriptions.find((one: { id: string }) => one.id === some.id);
    if (found.disabled_by === "failing") simulation.outages++;
    simulation.endpoints.moods.set(some.host, "good");
    const reply = await simulation.ask(some.subscriber, "PATCH", path, { enabled: true });
    if (reply.status !== 200) throw unexpected(reply);
  }

  /** The operator gives a customer another key. */
  async #replaceKey(): Promise<void> {
    const { chance, clock, store, subscribers } = this.simulation;
    const subscriber = chance.pick(subscribers);
    const bytes = (count: number) => Uint8Array.from({ length: count }, () => chance.between(0, 255));
    const { key, stored } = makeKey(bytes, clock.nowMs());
    await store.replaceKeys(subscriber.id, stored, { actor: "cli:simulation", atMs: clock.nowMs() });
    this.simulation.oldKeys.push(subscriber.key);
    subscriber.key = key;
  }

  async #replay(): Promise<void> {
    const { chance, clock } = this.simulation;
    const some = this.#some();
    if (some === null) return;
    if (chance.happens(0.5)) {
      const since = Math.max(0, clock.nowMs() - chance.between(0, 3 * DAY));
      const reply = await this.simulation.ask(
        some.subscriber,
        "POST",
        `/v1/subscriptions/${some.id}/replay`,
        { since },
      );
      if (reply.status !== 202 && reply.status !== 409) throw unexpected(reply);
      return;
    }
    const { json } = await this.simulation.ask(
      some.subscriber,
      "GET",
      `/v1/deliveries?subscription=${some.id}`,
    );
    if (json.deliveries.length === 0) return;
    const { id } = chance.pick(json.deliveries as { id: string }[]);
    const reply = await this.simulation.ask(some.subscriber, "POST", `/v1/deliveries/${id}/replay`);
    if (reply.status !== 202 && reply.status !== 409) throw unexpected(reply);
  }

  async #changeTier(): Promise<void> {
    const { chance, config, store, subscribers, clock } = this.simulation;
    const newId = createIds(
      () => clock.nowMs(),
      (count) => Uint8Array.from({ length: count }, () => chance.between(0, 255)),
    );
    const newMailId = () => newId("mail");
    const by = { actor: "cli:simulation", atMs: clock.nowMs(), tiers: config.tiers, newMailId };
    await store.changeCustomer(chance.pick(subscribers).id, { tier: chance.pick(["team", "gpai"]) }, by);
  }

  /** The end of all troubles: what can arrive arrives, within the schedule of retries and some months of quota. */
  async calm(): Promise<void> {
    const { simulation } = this;
    const { chance, clock, endpoints, troubles } = simulation;
    Object.assign(troubles, { death: 0, fullDisk: 0 });
    for (const { host, subscriber, id, deleted } of this.subscribed) {
      // Some stay dead, and some stay switched off.
      endpoints.moods.set(host, chance.happens(0.1) ? "error" : "good");
      if (deleted || chance.happens(0.2)) continue;
      const reply = await simulation.ask(subscriber, "PATCH", `/v1/subscriptions/${id}`, { enabled: true });
      if (reply.status !== 200) throw unexpected(reply);
    }
    for (let round = 0; round < 60; round++) {
      await simulation.tick();
      const { pendingDeliveries } = await simulation.store.health();
      if (pendingDeliveries === 0 && round > 2) break;
      await clock.advance(chance.pick([HOUR, 6 * HOUR, DAY]));
    }
  }
}

function unexpected(reply: Reply): Error {
  return new Error(`an answer that was not expected: ${reply.status} ${JSON.stringify(reply.json)}`);
}
