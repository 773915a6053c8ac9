// Fills stores with invented events, customers and subscriptions, through the Store port.
import { makeKey } from "../../../src/accounts/keys.ts";
import { TOPICS } from "../../../src/classify/classify.ts";
import { NO_DELIVERIES } from "../../../src/domain/delivery/subscription.ts";
import { EVENT_TYPES, type RegEvent } from "../../../src/domain/event/event.ts";
import {
  type EventFilter,
  EVERY_EVENT,
  NO_EXCLUSIONS,
  toSearch,
} from "../../../src/domain/event/event_filter.ts";
import { createIds, type NewId } from "../../../src/domain/event/ids.ts";
import type { Provenance } from "../../../src/domain/event/provenance.ts";
import { SEVERITIES } from "../../../src/domain/event/severity.ts";
import type { PublicationKey } from "../../../src/domain/ports/store/publications.ts";
import type { Store } from "../../../src/domain/ports/store/store.ts";
import { NO_COUNTS } from "../../../src/domain/source/fetch_record.ts";
import { COMMON_WORD, createChance, pick, RARE_WORD, SOURCES } from "./invented.ts";

const DAY_MS = 86_400_000;
/** Events per transaction. */
const BATCH = 5_000;

const randomBytes = (count: number): Uint8Array => crypto.getRandomValues(new Uint8Array(count));

export const newId: NewId = createIds(() => Date.now(), randomBytes);

export const PROVENANCE: Provenance = {
  rules_version: "1",
  categories: ["News", "Artificial intelligence"],
  stated_languages: ["en"],
  document: "https://source.example/feeds/news.xml",
  document_sha256: "5a".repeat(32),
  http_status: 200,
  fetched_at: 1_785_512_415_000,
  other_languages: null,
};

/** Records each event as a separate publication. */
export async function addEvents(
  store: Pick<Store, "recordPublications">,
  events: readonly RegEvent[],
  notify: boolean,
): Promise<void> {
  const publications = events.map((event) => ({
    key: event.external_id,
    contentHash: event.id,
    event,
  }));
  await store.recordPublications(
    "bench",
    publications,
    ({ event }: PublicationKey & { event: RegEvent }) => ({
      kind: "record",
      event,
      provenance: PROVENANCE,
      notify,
    }),
  );
}

/** Records `count` events in large transactions, and reports the number so far after each. */
export async function fillEvents(
  store: Pick<Store, "recordPublications">,
  count: number,
  { next, tell }: { next: () => RegEvent; tell: (done: number) => void },
): Promise<void> {
  for (let done = 0; done < count;) {
    const batch = Array.from({ length: Math.min(BATCH, count - done) }, next);
    await addEvents(store, batch, false);
    done += batch.length;
    tell(done);
  }
}

/** Adds a customer in the tier `embedded`; returns its id and key. */
export async function addCustomer(store: Pick<Store, "addCustomer">): Promise<{ id: string; key: string }> {
  const id = newId("customer");
  const { key, stored } = makeKey(randomBytes, Date.now());
  const customer = {
    id,
    email: "bench@example.org",
    tier: "embedded" as const,
    enabled: true,
    limits: {},
    language: "en" as const,
    declared: false,
    createdAtMs: Date.now(),
  };
  await store.addCustomer(customer, stored, { actor: "cli:bench", atMs: Date.now() });
  return { id, key };
}

interface WantedSubscription extends Partial<EventFilter> {
  customerId: string;
  webhookUrl: string;
}

export async function addSubscription(store: Store, wanted: WantedSubscription): Promise<void> {
  const secret = Array.from(randomBytes(32), (byte) => byte.toString(16).padStart(2, "0")).join("");
  const outcome = await store.addSubscription({
    ...EVERY_EVENT,
    ...wanted,
    id: newId("subscription"),
    webhookSecret: secret,
    language: "en",
    createdAtMs: Date.now(),
    disabledAtMs: null,
    disabledBy: null,
    previousSecret: null,
    headers: {},
    headerNames: [],
    deletedAtMs: null,
    catchUp: null,
    name: null,
    note: null,
    health: NO_DELIVERIES,
  }, Number.MAX_SAFE_INTEGER);
  if (outcome !== "created") throw new Error(`a subscription was not created: ${outcome}`);
}

const SEARCHES = [
  COMMON_WORD,
  RARE_WORD,
  `${COMMON_WORD.slice(0, 5)}*`,
  '"artificial intelligence"',
  "models risk",
];

/** Adds subscriptions with varied filters, a hundred per customer. */
export async function fillSubscriptions(store: Store, count: number): Promise<void> {
  const chance = createChance(7);
  let customerId = "";
  for (let number = 0; number < count; number++) {
    if (number % 100 === 0) customerId = (await addCustomer(store)).id;
    await addSubscription(store, {
      customerId,
      webhookUrl: `https://receiver-${number}.example/hook`,
      topics: Array.from({ length: 1 + Math.floor(chance() * 3) }, () => pick(TOPICS, chance).id),
      sources: chance() < 0.5 ? [] : [pick(SOURCES, chance), pick(SOURCES, chance)],
      severityMin: pick(SEVERITIES, chance),
      eventTypes: chance() < 0.7 ? [] : [pick(EVENT_TYPES, chance), pick(EVENT_TYPES, chance)],
      articles: chance() < 0.9 ? [] : [`Art. ${1 + Math.floor(chance() * 113)}`],
      search: chance() < 0.75 ? null : toSearch(pick(SEARCHES, chance)),
      exclude: chance() < 0.75 ? NO_EXCLUSIONS : {
        ...NO_EXCLUSIONS,
        topics: [pick(TOPICS, chance).id],
        search: chance() < 0.5 ? null : toSearch(pick(SEARCHES, chance)),
      },
    });
  }
}

/** Registers sources, and records a fetch of each on each of the last `days` days. One in 40 failed. */
export async function fillFetches(store: Store, sourceIds: readonly string[], days: number): Promise<void> {
  const nowMs = Date.now();
  const schedule = "0 * * * *";
  await store.registerSources(
    sourceIds.map((id) => ({ id, host: null, schedule, nextRunAtMs: nowMs })),
    nowMs,
  );
  for (const [at, sourceId] of sourceIds.entries()) {
    for (let day = days - 1; day >= 0; day--) {
      const atMs = nowMs - day * DAY_MS;
      const isFailed = (at * 7 + day) % 40 === 0;
      await store.finishFetch({
        sourceId,
        holder: "bench",
        atMs,
        schedule,
        nextDueAtMs: atMs + DAY_MS,
        notBeforeMs: 0,
        outcome: isFailed ? "failing" : "ok",
        isItsFault: true,
        outcomeSinceMs: atMs,
        kept: null,
        error: isFailed ? "timed out" : null,
        cadence: { lastAtMs: atMs, days: [], seen: "" },
        moves: [],
        partialFailures: [],
        record: {
          startedAtMs: atMs,
          cause: isFailed ? "timeout" : null,
          counts: NO_COUNTS,
          documentHash: null,
        },
        narrowUntilMs: null,
        hosts: [],
      });
    }
  }
}
