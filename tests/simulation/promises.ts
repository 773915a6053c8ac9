// Checks that the result of a simulation keeps Regfeed's promises.
import assert from "node:assert/strict";
import { utcMonth } from "../../src/domain/customer/quota_period.ts";
import type { RegEvent } from "../../src/domain/event/event.ts";
import { isAtLeast, type Severity } from "../../src/domain/event/severity.ts";
import { START_MS } from "../support/world.ts";
import type { Simulation, Subscriber } from "./simulation.ts";
import type { Filter, Subscribed } from "./subscribed.ts";

/** The maximum number of deliveries per month in either tier. */
const MOST_A_MONTH = 15;
const NEARLY = 0.8;
/** Number of tiers. A customer is notified once per month for each tier's limit. */
const LIMITS = 2;
/** Number of attempts before a delivery fails. */
const ATTEMPTS = 11;

interface Delivery {
  id: string;
  subscription_id: string;
  event_id: string;
  sequence: number;
  status: string;
  reason: string | null;
  attempt_count: number;
}

export async function assertPromises(
  simulation: Simulation,
  subscribed: readonly Subscribed[],
): Promise<void> {
  const events = await allEvents(simulation);
  const deliveries =
    (await Promise.all(simulation.subscribers.map(({ key }) => allDeliveries(simulation, key)))).flat();
  assert.deepEqual(
    simulation.endpoints.violations,
    [],
    "every signature is valid, and nothing is sent to a private address",
  );
  assertEvents(simulation, events);
  assertSequences(deliveries, new Set(subscribed.filter(({ deleted }) => deleted).map(({ id }) => id)));
  assertSameBytes(simulation);
  assertEveryEnd(simulation, deliveries);
  const listed = await listedSubscriptions(simulation);
  for (const one of subscribed) {
    const next = listed.find(({ id }) => id === one.id)?.catch_up?.next_event_id ?? null;
    const end = next === null ? events.length : events.findIndex(({ id }) => id === next);
    assertComplete(one, { events, end, deliveries });
    if (one.isOrdered) assertOrder(one, events, deliveries);
  }
  await assertQuota(simulation, deliveries);
  await assertHoldsAreTrue(simulation, { deliveries, listed });
  for (const key of simulation.oldKeys) {
    const { status } = await simulation.ask({ id: "", key }, "GET", "/v1/subscriptions");
    assert.equal(status, 401, "a replaced key is rejected");
  }
  assertLog(simulation, subscribed);
}

/**
 * Fails unless every event reached its subscriptions once the quota allowed it, including held deliveries and
 * backfills.
 */
export async function assertNothingIsLost(
  simulation: Simulation,
  subscribed: readonly Subscribed[],
): Promise<void> {
  const events = await allEvents(simulation);
  for (const { id, catch_up: catchUp } of await listedSubscriptions(simulation)) {
    assert.equal(catchUp, null, `${id} has not caught up`);
  }
  const deliveries =
    (await Promise.all(simulation.subscribers.map(({ key }) => allDeliveries(simulation, key)))).flat();
  assertSequences(deliveries, new Set(subscribed.filter(({ deleted }) => deleted).map(({ id }) => id)));
  for (const one of subscribed) {
    assertComplete(one, { events, end: events.length, deliveries });
    if (one.isOrdered) assertOrder(one, events, deliveries);
  }
}

interface Listed {
  id: string;
  enabled: boolean;
  subscriber: Subscriber;
  catch_up: { reason: string; state: string; next_event_id: string | null } | null;
}

/** All subscriptions, as the API lists them. */
async function listedSubscriptions(simulation: Simulation): Promise<Listed[]> {
  const lists = await Promise.all(simulation.subscribers.map(async (subscriber) => {
    const { json } = await simulation.ask(subscriber, "GET", "/v1/subscriptions");
    return json.subscriptions.map((one: Omit<Listed, "subscriber">) => ({ ...one, subscriber }));
  }));
  return lists.flat();
}

async function allEvents({ store }: Simulation): Promise<RegEvent[]> {
  const listed = await store.listEvents({ limit: 10_000, after: { seq: 0 } });
  return listed.map(({ json }) => JSON.parse(json));
}

async function allDeliveries(simulation: Simulation, key: string): Promise<Delivery[]> {
  const subscriber = simulation.subscribers.find((one) => one.key === key);
  assert.ok(subscriber !== undefined);
  const found: Delivery[] = [];
  for (let last = "";;) {
    const page = await simulation.ask(
      subscriber,
      "GET",
      `/v1/deliveries?limit=200${last === "" ? "" : `&before=${last}`}`,
    );
    assert.equal(page.status, 200);
    found.push(...page.json.deliveries);
    if (page.json.deliveries.length < 200) return found;
    last = page.json.deliveries.at(-1).id;
  }
}

/** Checks that no version of a publication is repeated or missing, and that the newest equals the published one. */
function assertEvents({ publications }: Simulation, events: readonly RegEvent[]): void {
  const versions = new Map<string, RegEvent[]>();
  for (const event of events) {
    versions.set(event.external_id, [...versions.get(event.external_id) ?? [], event]);
  }
  for (const [id, of] of versions) {
    assert.deepEqual(of.map(({ version }) => version), of.map((_, at) => at + 1), `versions of ${id}`);
    assert.equal(new Set(of.map(({ title_en }) => title_en)).size, of.length, `${id} is stored twice`);
    const shown = publications.find((publication) => publication.id === id);
    assert.equal(of.at(-1)?.title_en, `Guidelines on the AI Act ${id}, version ${shown?.version}`);
  }
  assert.equal(versions.size, publications.length, "every publication is stored");
}

/** Checks that sequences have no gaps, except where a deletion removed deliveries that had never been attempted. */
function assertSequences(deliveries: readonly Delivery[], deleted: ReadonlySet<string>): void {
  const bySubscription = Map.groupBy(deliveries, (delivery) => delivery.subscription_id);
  for (const [id, of] of bySubscription) {
    const sequences = of.map(({ sequence }) => sequence).sort((a, b) => a - b);
    if (deleted.has(id)) assert.equal(new Set(sequences).size, of.length, `${id} has a number twice`);
    else assert.deepEqual(sequences, of.map((_, at) => at + 1), `the sequence of ${id} has a gap`);
    const events = new Set(of.map(({ event_id }) => event_id));
    assert.equal(events.size, of.length, `an event has two deliveries to ${id}`);
  }
}

/** Checks that each `webhook-id` always has the same body. */
function assertSameBytes({ endpoints }: Simulation): void {
  const bodies = new Map<string, string>();
  for (const { id, body } of endpoints.seen) {
    assert.equal(body, bodies.get(id) ?? body, `${id} was sent with two bodies`);
    assert.equal(JSON.parse(body).delivery_id, id);
    bodies.set(id, body);
  }
}

/** Checks that every delivery is delivered, failed, held or cancelled, and that each state has its reason. */
function assertEveryEnd({ endpoints }: Simulation, deliveries: readonly Delivery[]): void {
  const answered = new Set(endpoints.seen.filter((seen) => seen.answered).map(({ id }) => id));
  for (const delivery of deliveries) {
    const told = JSON.stringify(delivery);
    switch (delivery.status) {
      case "delivered":
        assert.ok(answered.has(delivery.id), `delivered, but never received: ${told}`);
        break;
      case "failed":
        assert.ok(delivery.attempt_count >= ATTEMPTS, `failed too early: ${told}`);
        assert.ok(delivery.reason !== null, told);
        break;
      case "held":
      case "cancelled":
        assert.ok(delivery.reason !== null, told);
        break;
      default:
        assert.fail(`not in a final state: ${told}`);
    }
  }
}

/** Checks that exactly the wanted events have deliveries. Events from `end` on need no delivery yet. */
function assertComplete(
  { id, filters, storedBefore, backfill, deleted }: Subscribed,
  { events, end, deliveries }: {
    events: readonly RegEvent[];
    end: number;
    deliveries: readonly Delivery[];
  },
): void {
  const got = new Set(deliveries.filter((one) => one.subscription_id === id).map(({ event_id }) => event_id));
  for (const [place, event] of events.entries()) {
    const wanted = filters.map((filter) => wants(filter, event));
    // If the filter changed while the event was stored, both outcomes are correct.
    if (wanted.every((wants) => !wants)) {
      assert.ok(!got.has(event.id), `${id} got ${event.id}, which it does not want`);
    }
    if (deleted || (place < storedBefore && !backfill) || place >= end) continue;
    if (wanted.every((wants) => wants)) assert.ok(got.has(event.id), `${id} has no delivery of ${event.id}`);
  }
}

function wants({ topics = [], severity_min = "info" }: Filter, event: RegEvent): boolean {
  return isAtLeast(event.severity, severity_min as Severity) &&
    (topics.length === 0 || topics.some((topic) => event.topics.includes(topic)));
}

/** Checks that sequences follow the order in which the events were stored, even in a backfill. */
function assertOrder({ id }: Subscribed, events: readonly RegEvent[], deliveries: readonly Delivery[]): void {
  const places = new Map(events.map((event, place) => [event.id, place]));
  const inTurn = deliveries.filter((one) => one.subscription_id === id)
    .sort((a, b) => a.sequence - b.sequence).map(({ event_id }) => places.get(event_id) ?? -1);
  assert.deepEqual(inTurn, inTurn.toSorted((a, b) => a - b), `${id} gets its events out of order`);
}

/** Checks that held deliveries are newer than all others, so that the oldest are sent first. */
export async function assertHeldInOrder(
  { store }: Simulation,
  subscribed: readonly Subscribed[],
): Promise<void> {
  for (const { id, subscriber, isOrdered, deleted } of subscribed) {
    if (!isOrdered || deleted) continue;
    const listed = await store.listDeliveries(subscriber.id, { subscriptionId: id, limit: 1_000 });
    if (listed.some(({ subscriptionDisabledBy }) => subscriptionDisabledBy !== null)) continue;
    const held = listed.map(({ status }) => status === "held"); // newest first
    assert.ok(
      held.lastIndexOf(true) <= held.filter((is) => is).length - 1,
      `${id} does not get the oldest first`,
    );
  }
}

/**
 * Checks that no month exceeds the highest limit, that exactly the deliveries that arrived are counted, and that each
 * notice is sent once.
 */
async function assertQuota(
  { store, subscribers, clock }: Simulation,
  deliveries: readonly Delivery[],
): Promise<void> {
  const months = new Set<string>();
  for (let at = START_MS - 62 * 86_400_000; at <= clock.nowMs() + 62 * 86_400_000; at += 86_400_000) {
    months.add(utcMonth(at));
  }
  let counted = 0;
  for (const { id } of subscribers) {
    const mails = await store.listMails({ customerId: id, limit: 1_000 });
    const kinds = Map.groupBy(mails, ({ kind }) => kind);
    let spent = 0;
    for (const month of months) {
      const used = await store.usageOf(id, month);
      counted += used.deliveries;
      assert.ok(used.deliveries <= MOST_A_MONTH, `${used.deliveries} deliveries in ${month}`);
      const isTold = used.spentAtMs !== null || used.warnedAtMs !== null;
      assert.ok(
        isTold || used.deliveries < MOST_A_MONTH * NEARLY,
        `no notice of ${used.deliveries} deliveries in ${month}`,
      );
      if (isTold) spent++;
    }
    for (const kind of ["quota-80", "quota-100"] as const) {
      const told = kinds.get(kind)?.length ?? 0;
      assert.ok(told <= spent * LIMITS, `${told} times ${kind} in ${spent} months`);
    }
  }
  const arrived = deliveries.filter(({ status }) => status === "delivered").length;
  assert.equal(counted, arrived, "exactly the arrived deliveries are counted");
}

/** Checks that each held or paused subscription has a valid cause: it is disabled, or the quota is used up. */
async function assertHoldsAreTrue(
  simulation: Simulation,
  { deliveries, listed }: { deliveries: readonly Delivery[]; listed: readonly Listed[] },
): Promise<void> {
  const months = new Map<string, { remaining: number }>();
  for (const subscriber of simulation.subscribers) {
    months.set(subscriber.id, (await simulation.ask(subscriber, "GET", "/v1/usage")).json.webhook_deliveries);
  }
  for (const { id, enabled, subscriber, catch_up: catchUp } of listed) {
    const waits = catchUp !== null ||
      deliveries.some((one) => one.subscription_id === id && one.status === "held");
    assert.ok(
      !waits || !enabled || months.get(subscriber.id)?.remaining === 0,
      `${id} is held without a cause`,
    );
    if (catchUp === null) continue;
    assert.equal(catchUp.state, "paused", `${id} never pauses`);
    if (catchUp.reason !== "held_full") continue;
    const mails = await simulation.store.listMails({ customerId: subscriber.id, limit: 1_000 });
    assert.ok(mails.some(({ kind }) => kind === "held-full"), `no email says that ${id} is held_full`);
  }
}

function assertLog(
  { lines, subscribers, oldKeys, endpoints }: Simulation,
  subscribed: readonly Subscribed[],
): void {
  const text = JSON.stringify(lines);
  const secrets = [...endpoints.secrets.values()].flat();
  for (const secret of [...secrets, ...oldKeys, ...subscribers.map(({ key }) => key)]) {
    assert.ok(!text.includes(secret));
  }
  for (const { host } of subscribed) {
    assert.ok(!text.includes(`${host}/hook`), "the log contains a webhook URL");
  }
}
