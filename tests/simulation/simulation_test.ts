// A complete Regfeed keeps its promises under faults of all kinds. SEED=n runs one seed, and SEEDS=n runs n seeds.
import assert from "node:assert/strict";
import type { Store } from "../../src/domain/ports/store/store.ts";
import { assertNothingIsLost, assertPromises } from "./promises.ts";
import { Simulation, type Tampering } from "./simulation.ts";
import { live } from "./story.ts";
import { scaled } from "../support/effort.ts";

const SEEDS = Number(Deno.env.get("SEEDS") ?? scaled(20, 200));
const seeds = Deno.env.get("SEED") === undefined
  ? Array.from({ length: SEEDS }, (_, at) => at + 1)
  : [Number(Deno.env.get("SEED"))];
/** Number of seeds that must reveal a planted bug. */
const SEEDS_FOR_A_BUG = 50;

/** Runs a seed and checks the promises; returns the number of crashes and disabled endpoints. */
async function run(seed: number, tamper?: Tampering): Promise<{ deaths: number; outages: number }> {
  const simulation = await Simulation.open(seed, tamper);
  try {
    const story = await live(simulation);
    await assertPromises(simulation, story.subscribed);
    await story.plenty();
    await assertNothingIsLost(simulation, story.subscribed);
    return { deaths: simulation.deaths, outages: simulation.outages };
  } catch (error) {
    throw new Error(`SEED=${seed} deno test -A tests/simulation`, { cause: error });
  } finally {
    await simulation.close();
  }
}

Deno.test("every promise holds through crashes, lost responses, clock jumps, DNS failures and a full disk", async () => {
  let [deaths, outages] = [0, 0];
  for (const seed of seeds) {
    const of = await run(seed);
    deaths += of.deaths;
    outages += of.outages;
  }
  if (seeds.length > 1) {
    assert.ok(outages > seeds.length / 20, `only ${outages} endpoints were disabled`);
    assert.ok(deaths > seeds.length, `only ${deaths} crashes: the seeds test too little`);
  }
});

/** Planted bugs and the promise that each breaks. */
const BUGS: [name: string, tamper: (store: Store) => Partial<Store>, broken: RegExp][] = [
  [
    "a match omits some deliveries",
    (store) => ({
      matchEvents: (match) =>
        store.matchEvents({
          ...match,
          deliveriesFor: (unmatched, subscriptions) =>
            match.deliveriesFor(unmatched, subscriptions).filter((_, place) => place !== 1),
        }),
    }),
    /has no delivery of/,
  ],
  [
    "a lease never expires, so interrupted deliveries are not repeated",
    (store) => ({
      claimDeliveries: (claim) => store.claimDeliveries({ ...claim, leaseMs: 400 * 86_400_000 }),
    }),
    /not in a final state/,
  ],
  [
    "every attempt counts as delivered",
    (store) => ({
      finishAttempts: (finished, nowMs) =>
        store.finishAttempts(finished.map((one) => ({ ...one, next: { kind: "delivered" } })), nowMs),
    }),
    /delivered, but never received/,
  ],
  [
    "each attempt has a different id",
    (store) => {
      let attempts = 0;
      return {
        claimDeliveries: async (claim) =>
          (await store.claimDeliveries(claim)).map((one) => ({
            ...one,
            id: one.id.slice(0, -4) + (1_000 + attempts++),
          })),
      };
    },
    // The store knows none of the ids, so the deliveries stay pending: the work may never end.
    /Expected values to be strictly equal|not in a final state|delivered, but never|must receive nothing|does not end/,
  ],
  [
    "a delivery fails after its first attempt",
    (store) => ({
      finishAttempts: (finished, nowMs) =>
        store.finishAttempts(
          finished.map((one) => one.next.kind === "retry" ? { ...one, next: { kind: "failed" } } : one),
          nowMs,
        ),
    }),
    /failed too early/,
  ],
  [
    "the monthly limit is ignored",
    (store) => {
      const without = <T extends Parameters<Store["matchEvents"]>[0]["tiers"]>(tiers: T): T =>
        Object.fromEntries(
          Object.entries(tiers).map((
            [tier, limits],
          ) => [tier, { ...limits, webhookDeliveriesPerMonth: 10_000 }]),
        ) as T;
      return {
        matchEvents: (match) => store.matchEvents({ ...match, tiers: without(match.tiers) }),
        catchUp: (terms) => store.catchUp({ ...terms, tiers: without(terms.tiers) }),
        releaseHeld: (release) => store.releaseHeld({ ...release, tiers: without(release.tiers) }),
      };
    },
    /deliveries in 20/,
  ],
  [
    "a subscription never catches up",
    () => ({ catchUp: () => Promise.resolve(0) }),
    /never pauses|is held without a cause|has not caught up/,
  ],
  [
    "catching up skips events",
    (store) => ({ catchUp: (terms) => store.catchUp({ ...terms, deliveriesFor: () => [] }) }),
    /has no delivery of/,
  ],
  [
    "the stored secret differs from the one shown",
    (store) => ({
      rotateSecret: (customerId, id, rotation) =>
        store.rotateSecret(customerId, id, { ...rotation, secret: "0".repeat(64) }),
    }),
    /does not verify/,
  ],
  [
    "held deliveries are never released",
    () => ({ releaseHeld: () => Promise.resolve(0) }),
    /is held without a cause|has not caught up/,
  ],
  [
    "the previous secret is dropped at once",
    (store) => ({
      claimDeliveries: async (claim) =>
        (await store.claimDeliveries(claim)).map((one) => ({
          ...one,
          webhookSecrets: one.webhookSecrets.slice(0, 1),
        })),
    }),
    /does not verify at .* with the secret of the last 24 hours/,
  ],
  [
    "Retry-After and 410 are ignored",
    (store) => ({
      finishAttempts: (finished, nowMs) =>
        store.finishAttempts(
          finished.map((one) => ({
            ...one,
            next: one.next.kind === "delivered" || one.next.kind === "failed"
              ? one.next
              : { kind: "retry", atMs: nowMs + 5_000 },
          })),
          nowMs,
        ),
    }),
    /before its Retry-After|before the pause after its failure|responded with 410/,
  ],
];

for (const [name, tamper, broken] of BUGS) {
  Deno.test(`the simulation finds a planted bug: ${name}`, async () => {
    const withBug: Tampering = (store) => {
      const changed = tamper(store);
      return new Proxy(store, { get: (target, method: keyof Store) => changed[method] ?? target[method] });
    };
    for (let seed = 1; seed <= SEEDS_FOR_A_BUG; seed++) {
      try {
        await run(seed, withBug);
      } catch (error) {
        const cause = (error as Error).cause as Error;
        assert.match(cause.message, broken);
        return;
      }
    }
    assert.fail(`${SEEDS_FOR_A_BUG} seeds did not reveal the bug`);
  });
}
