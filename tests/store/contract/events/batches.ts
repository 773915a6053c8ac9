// Promises about batches: publications recorded together come out as if each were recorded by itself.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import type {
  PublicationKey,
  RecordDecision,
  StoredPublication,
} from "../../../../src/domain/ports/store/publications.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { anEvent, PROVENANCE } from "../given.ts";
import { test } from "../contract.ts";

/** What is to become of a publication where that can be: `another` records it as one of its own, whatever was found. */
type Wish = "record" | "another" | "unchanged" | "date_changed" | "pending" | "irrelevant";

interface Step extends PublicationKey {
  wish: Wish;
}

/** Few keys and few contents, so that they meet; some keys that look like contents. */
const KEYS = fc.constantFrom("k1", "k2", "k3", "k4", "k5", "k6", "h1", "t1", "k\0", "k\ud800");
const STEP: fc.Arbitrary<Step> = fc.record({
  key: KEYS,
  contentHash: fc.constantFrom("h1", "h2", "h3", "h4", "h5", "h6", "h7"),
  textHash: fc.constantFrom("t1", "t2", "t3", "t4", "t5", "t6"),
  formerKeys: fc.array(KEYS, { maxLength: 2 }),
  wish: fc.constantFrom<Wish[]>(
    "record",
    "record",
    "another",
    "unchanged",
    "date_changed",
    "pending",
    "irrelevant",
  ),
}, { requiredKeys: ["key", "contentHash", "wish"] });
const BATCHES = fc.array(fc.array(STEP, { minLength: 1, maxLength: 24 }), { minLength: 1, maxLength: 5 });

/** Two publications of one content, and then a batch of new names for it: the first of the two in the index has it. */
const SAME_CONTENT: Step[][] = [
  ["k1", "k2"].map((key) => ({ key, contentHash: "h1", textHash: "t1", wish: "another" })),
  ["k3", "k4", "k5", "k6", "k7", "k8", "k9", "k10"].map((key) => ({
    key,
    contentHash: "h1",
    wish: "irrelevant",
  })),
];

/** Everything that a decision sees of what was found. */
function seen(stored: StoredPublication | null): unknown {
  if (stored === null) return null;
  const { title_en, version } = stored.event;
  return { ...stored, languages: [...stored.languages], event: [title_en, version] };
}

/** Records the steps in batches of this size; gives what each decision has seen. */
async function recordAll(store: Store, sourceId: string, { batches, together }: {
  batches: readonly (readonly Step[])[];
  together: boolean;
}): Promise<unknown[]> {
  const sights: unknown[] = [];
  let made = 0;
  const decide = ({ key, wish }: Step, stored: StoredPublication | null): RecordDecision => {
    sights.push(seen(stored));
    if (wish === "pending") return { kind: "date_changed", isPending: true };
    if (wish !== "record" && wish !== "another") return { kind: wish };
    const before = wish === "record" ? stored : null;
    const event = anEvent(`evt_${sourceId}_${++made}`, {
      source_id: sourceId,
      external_id: before?.externalId ?? `${key.toWellFormed().replaceAll("\0", "0")} ${made}`,
      version: (before?.version ?? 0) + 1,
      title_en: `made ${made}`,
    });
    return { kind: "record", event, provenance: PROVENANCE, notify: false };
  };
  for (const batch of together ? batches : batches.flat().map((step) => [step])) {
    await store.recordPublications(sourceId, batch, decide);
  }
  return sights;
}

test("recordPublications() finds each publication of a batch as if it were recorded by itself", async (store) => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(BATCHES, async (batches) => {
      run++;
      const alone = await recordAll(store, `alone${run}`, { batches, together: false });
      const batched = await recordAll(store, `batch${run}`, { batches, together: true });
      assert.deepEqual(batched, alone);
    }),
    { numRuns: 25, examples: [[SAME_CONTENT]] },
  );
});

test("recordPublications() finds every publication of a large batch, in its place", async (store) => {
  const steps = Array.from({ length: 250 }, (_, at): Step => ({
    key: `key ${at}`,
    contentHash: `content ${at}`,
    textHash: `text ${at}`,
    wish: "record",
  }));
  const fresh = await recordAll(store, "board", { batches: [steps], together: true });
  assert.deepEqual(fresh, steps.map(() => null));
  const again = steps.map((step, at): Step => ({
    ...step,
    key: at % 5 === 0 ? step.key : `other ${step.key}`,
    contentHash: at % 5 === 1 ? step.contentHash : "-",
    textHash: at % 5 === 2 ? step.textHash ?? "" : "-",
    formerKeys: at % 5 === 3 ? ["unknown", step.key] : [],
    wish: "irrelevant",
  }));
  const found: unknown[] = [];
  await store.recordPublications("board", again, (_, stored) => {
    found.push(stored && [stored.foundBy, stored.event.title_en]);
    return { kind: "irrelevant" };
  });
  const ways = ["key", "content", "text", "alias"];
  assert.deepEqual(found, steps.map((_, at) => at % 5 === 4 ? null : [ways[at % 5], `made ${at + 1}`]));
});
