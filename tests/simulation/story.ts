// The random events of a simulation: publishers, customers, endpoints and the machine.
import assert from "node:assert/strict";
import type { TierAct } from "../../src/domain/ports/store/customers.ts";
import { createIds } from "../../src/domain/event/ids.ts";
import { makeKey } from "../../src/accounts/keys.ts";
import { MOODS } from "./endpoints.ts";
import { assertHeldInOrder } from "./promises.ts";
import { nextTurn, type Reply, type Simulation } from "./simulation.ts";
import type { Filter, Subscribed } from "./subscribed.ts";

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

/** Runs the random events of a seed, and then ends all faults. */
export async function live(simulation: Simulation): Promise<Story> {
  const story = new Story(simulation);
  for (let step = 0; step < STEPS; step++) await story.step();
  await story.calm();
  return story;
}

export class Story {
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
      [1, () => this.#outage()],
      [1, () => this.#replaceKey()],
      [2, () => this.#replay()],
      [1, () => this.#changeTier()],
      [4, () => this.#meanwhile()],
      [1, () => this.#setClock(HOUR)],
      [1, () => this.#setClock(2 * DAY)],
      [1, () => clock.advance(chance.between(5 * DAY, 31 * DAY))],
    ];
    const total = acts.reduce((sum, [weight]) => sum + weight, 0);
    let place = chance.fraction() * total;
    const chosen = acts.find(([weight]) => (place -= weight) < 0);
    await chosen?.[1]();
    await clock.advance(chance.pick([1_000, 10_000, MINUTE, 10 * MINUTE, 31 * MINUTE, 3 * HOUR, DAY]));
    if (await this.simulation.tick()) await assertHeldInOrder(this.simulation, this.subscribed);
  }

  #setClock(by: number): void {
    const { chance, clock, endpoints } = this.simulation;
    clock.set(clock.nowMs() + chance.between(-by, by));
    endpoints.clockWasSet();
  }

  /** Makes changes while attempts are in progress. */
  async #meanwhile(): Promise<void> {
    this.#publish();
    const act = this.simulation.chance.pick([
      () => this.#delete(),
      () => this.#patch(),
      () => this.#rotate(),
      () => this.#move(),
      () => this.#replay(),
      () => this.#disable(),
    ]);
    const ticking = this.simulation.tick();
    for (let turns = this.simulation.chance.between(0, 40); turns > 0; turns--) await nextTurn();
    await Promise.all([ticking, act()]);
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
    this.subscribed.push({
      id,
      subscriber,
      host,
      filters: [filter],
      storedBefore,
      backfill,
      deleted: false,
      isOrdered: true,
    });
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
    // A repeated request may find the subscription already deleted.
    if (reply.status !== 200 && reply.status !== 404) throw unexpected(reply);
    some.deleted = true;
    this.simulation.learn(() => this.simulation.endpoints.off.set(some.host, "it was deleted"));
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
    await this.#change(some, change);
  }

  async #disable(): Promise<void> {
    const some = this.#some();
    if (some !== null) await this.#change(some, { enabled: false });
  }

  /** Changes a subscription and tells its endpoint whether it is enabled. */
  async #change(some: Subscribed, change: Record<string, unknown>): Promise<void> {
    const { endpoints } = this.simulation;
    const reply = await this.simulation.ask(some.subscriber, "PATCH", `/v1/subscriptions/${some.id}`, change);
    // The subscription has been deleted in the meantime.
    if (reply.status === 404 && some.deleted) return;
    if (reply.status !== 200) throw unexpected(reply);
    endpoints.forgetWaits();
    const { enabled, disabled_by: by } = reply.json.subscription;
    if (!enabled) some.isOrdered = false;
    this.simulation.learn(() => {
      if (enabled) endpoints.off.delete(some.host);
      else endpoints.off.set(some.host, `disabled by ${by}`);
    });
  }

  async #rotate(some: Subscribed | null = this.#some()): Promise<void> {
    if (some === null) return;
    const { clock, endpoints } = this.simulation;
    const fromMs = clock.nowMs();
    const path = `/v1/subscriptions/${some.id}/rotate-secret`;
    const reply = await this.simulation.ask(some.subscriber, "POST", path);
    if (reply.status !== 200) throw unexpected(reply);
    const toMs = clock.nowMs();
    this.simulation.learn(() => {
      endpoints.secrets.get(some.host)?.push(reply.json.subscription.webhook_secret);
      endpoints.rotated.set(some.host, { fromMs, toMs });
    });
  }

  /** Changes the URL of a subscription. Its old endpoint must receive nothing more, and the secrets stay. */
  async #move(of: Subscribed | null = this.#some()): Promise<void> {
    if (of === null) return;
    const { endpoints } = this.simulation;
    const host = `h${this.#hosts++}.example`;
    // Set before the request, because the request may take effect although its response is lost.
    endpoints.secrets.set(host, endpoints.secrets.get(of.host) ?? []);
    const rotated = endpoints.rotated.get(of.host);
    if (rotated !== undefined) endpoints.rotated.set(host, rotated);
    const left = of.host;
    of.host = host;
    await this.#change(of, { webhook_url: `https://${host}/hook` });
    this.simulation.learn(() => endpoints.off.set(left, "its URL was changed"));
  }

  async #backfillAndChange(): Promise<void> {
    await this.#subscribe(true);
    const made = this.subscribed.at(-1);
    if (made === undefined) return;
    await this.#move(made);
    const filter = this.simulation.chance.pick(FILTERS);
    made.filters.push(filter);
    await this.#change(made, { topics: [], severity_min: "info", ...filter });
    await this.#rotate(made);
  }

  /** Lets an endpoint fail until it is disabled, and then recover. */
  async #outage(): Promise<void> {
    const { simulation } = this;
    const some = this.#some();
    if (some === null) return;
    simulation.endpoints.moods.set(some.host, "refused");
    for (let day = 0; day < 7; day++) {
      this.#publish();
      await simulation.clock.advance(DAY);
      await simulation.tick();
      if (await this.#isGivenUp(some)) break;
    }
    simulation.endpoints.moods.set(some.host, "good");
    await this.#change(some, { enabled: true });
    some.isOrdered = false;
  }

  /** Returns whether the service has disabled the endpoint. It must not do so within five days or without an email. */
  async #isGivenUp(some: Subscribed): Promise<boolean> {
    const { simulation } = this;
    const listed = await simulation.ask(some.subscriber, "GET", "/v1/subscriptions");
    const found = listed.json.subscriptions.find((one: { id: string }) => one.id === some.id);
    if (found.disabled_by !== "failing") return false;
    const { clock, endpoints, store } = simulation;
    const sinceMs = endpoints.failingSince.get(some.host) ?? Infinity;
    const nowMs = clock.nowMs();
    assert.ok(nowMs >= sinceMs + 5 * DAY, `${some.id} is disabled after ${(nowMs - sinceMs) / DAY} days`);
    const mails = await store.listMails({ customerId: some.subscriber.id, limit: 1_000 });
    for (const kind of ["delivery-warning", "delivery-disabled"]) {
      assert.ok(mails.some((mail) => mail.kind === kind), `${some.id} is disabled without ${kind}`);
    }
    simulation.outages++;
    return true;
  }

  async #replaceKey(): Promise<void> {
    const { chance, clock, store, subscribers } = this.simulation;
    const subscriber = chance.pick(subscribers);
    const bytes = (count: number) => Uint8Array.from({ length: count }, () => chance.between(0, 255));
    const { key, stored } = makeKey(bytes, clock.nowMs());
    await store.rotateKey(subscriber.id, stored, {
      actor: "cli:simulation",
      atMs: clock.nowMs(),
      oldUntilMs: null,
      mailId: null,
    });
    this.simulation.oldKeys.push(subscriber.key);
    subscriber.key = key;
  }

  async #replay(): Promise<void> {
    const { chance, clock } = this.simulation;
    const some = this.#some();
    if (some === null) return;
    some.isOrdered = false;
    this.simulation.endpoints.expectAgain(some.id);
    if (chance.happens(0.5)) {
      const since = Math.max(0, clock.nowMs() - chance.between(0, 3 * DAY));
      const path = `/v1/subscriptions/${some.id}/replay`;
      const reply = await this.simulation.ask(some.subscriber, "POST", path, { since });
      if (reply.status === 404 && some.deleted) return;
      if (reply.status !== 202 && reply.status !== 409) throw unexpected(reply);
      return;
    }
    const path = `/v1/deliveries?subscription=${some.id}`;
    const { json } = await this.simulation.ask(some.subscriber, "GET", path);
    if (json.deliveries.length === 0) return;
    const { id } = chance.pick(json.deliveries as { id: string }[]);
    const reply = await this.simulation.ask(some.subscriber, "POST", `/v1/deliveries/${id}/replay`);
    if (reply.status !== 202 && reply.status !== 409) throw unexpected(reply);
  }

  async #changeTier(): Promise<void> {
    const { chance, store, subscribers } = this.simulation;
    const { id } = chance.pick(subscribers);
    await store.changeCustomer(id, { tier: chance.pick(["team", "gpai"]) }, this.#operator());
  }

  #operator(): TierAct {
    const { chance, clock, config } = this.simulation;
    const newId = createIds(
      () => clock.nowMs(),
      (count) => Uint8Array.from({ length: count }, () => chance.between(0, 255)),
    );
    return {
      actor: "cli:simulation",
      atMs: clock.nowMs(),
      tiers: config.tiers,
      newMailId: () => newId("mail"),
    };
  }

  async plenty(): Promise<void> {
    const { store, subscribers, clock } = this.simulation;
    for (const some of this.subscribed) {
      if (!some.deleted) await this.#change(some, { enabled: true });
    }
    const by = this.#operator();
    const limits = { webhookDeliveriesPerMonth: 100_000, activeSubscriptions: 1_000 };
    for (const { id } of subscribers) await store.changeCustomer(id, { tier: "embedded", limits }, by);
    for (let round = 0; round < 5; round++) {
      await clock.advance(10_000);
      await this.simulation.tick();
    }
  }

  /** Ends all faults, so that everything arrives within the retry schedule and a few months. */
  async calm(): Promise<void> {
    const { simulation } = this;
    const { chance, clock, endpoints, troubles } = simulation;
    Object.assign(troubles, { death: 0, fullDisk: 0 });
    for (const some of this.subscribed) {
      // Some endpoints keep failing, and some subscriptions stay disabled.
      endpoints.moods.set(some.host, chance.happens(0.1) ? "error" : "good");
      if (!some.deleted && !chance.happens(0.2)) await this.#change(some, { enabled: true });
    }
    // A cancelled delivery may make room for held ones, so two idle rounds in a row are required.
    for (let round = 0, atRest = 0; round < 60 && atRest < 2; round++) {
      await simulation.tick();
      const { pendingDeliveries } = await simulation.store.health();
      atRest = pendingDeliveries === 0 && round > 2 ? atRest + 1 : 0;
      if (atRest === 2) break;
      await clock.advance(chance.pick([HOUR, 6 * HOUR, DAY]));
    }
  }
}

function unexpected(reply: Reply): Error {
  return new Error(`an unexpected response: ${reply.status} ${JSON.stringify(reply.json)}`);
}
