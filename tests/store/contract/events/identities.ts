// Promises about identities: by which keys and which content a publication is known.
import assert from "node:assert/strict";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import { anEvent, aPublication, recordIt } from "../given.ts";
import { test } from "../contract.ts";

/** The version and id by which the store knows a publication, null when it does not. */
async function lookUp(
  store: Store,
  key: string,
  contentHash: string,
  sourceId = "board",
): Promise<string | null> {
  let found: string | null = null;
  await store.recordPublications(sourceId, [aPublication(key, contentHash)], (_, stored) => {
    found = stored === null ? null : `${stored.event.id} v${stored.version}`;
    return { kind: "unchanged" };
  });
  return found;
}

/** Records a version under a key. */
async function recordUnder(
  store: Store,
  key: string,
  contentHash: string,
  event: ReturnType<typeof anEvent>,
): Promise<void> {
  await store.recordPublications(event.source_id, [aPublication(key, contentHash)], recordIt(event, false));
}

test("recordPublications() knows a publication under a new key by its content", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  assert.equal(await lookUp(store, "link 1", "hash 1"), "evt_1 v1");
});

test("recordPublications() takes other content under a new key for another publication", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  assert.equal(await lookUp(store, "link 1", "hash 2"), null);
  assert.equal(await lookUp(store, "link 1", "hash 3"), null, "and remembers no identity for it");
});

test("recordPublications() takes the key before the content", async (store) => {
  await recordUnder(store, "own", "hash 1", anEvent("evt_1"));
  await recordUnder(store, "other", "hash 2", anEvent("evt_2"));
  assert.equal(await lookUp(store, "own", "hash 2"), "evt_1 v1");
});

test("recordPublications() keeps an identity that it has learnt, so that a later change is a revision", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  await lookUp(store, "link 1", "hash 1");
  assert.equal(await lookUp(store, "link 1", "hash 2"), "evt_1 v1");
});

test("recordPublications() leads every identity of a publication to its newest version", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  await lookUp(store, "link 1", "hash 1");
  const later = { external_id: "publication of evt_1" };
  await recordUnder(store, "guid 1", "hash 2", anEvent("evt_2", { ...later, version: 2 }));
  assert.equal(await lookUp(store, "link 1", "hash 2"), "evt_2 v2");
  await recordUnder(store, "link 1", "hash 3", anEvent("evt_3", { ...later, version: 3 }));
  assert.equal(await lookUp(store, "guid 1", "hash 3"), "evt_3 v3");
  assert.equal(await lookUp(store, "link+title 1", "hash 2"), null, "old content is no match");
});

test("recordPublications() lets a key become a publication of its own", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  await lookUp(store, "guid 2", "hash 1");
  await recordUnder(store, "guid 2", "hash 2", anEvent("evt_2"));
  assert.equal(await lookUp(store, "guid 1", "hash 1"), "evt_1 v1");
  assert.equal(await lookUp(store, "guid 2", "hash 2"), "evt_2 v1");
  const revised = anEvent("evt_3", { external_id: "publication of evt_1", version: 2 });
  await recordUnder(store, "guid 1", "hash 3", revised);
  assert.equal(await lookUp(store, "guid 2", "hash 2"), "evt_2 v1");
});

test("recordPublications() keeps the new hash of what is redated, under every identity, and no record", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  await recordUnder(store, "guid 9", "hash 9", anEvent("evt_9"));
  await lookUp(store, "link 1", "hash 1");
  const redate = () => ({ kind: "date_changed" } as const);
  await store.previewPublications("board", [aPublication("guid 1", "hash 7")], redate);
  assert.equal(await lookUp(store, "new", "hash 7"), null, "a preview keeps nothing");
  await store.recordPublications("board", [aPublication("guid 1", "hash 2")], redate);
  for (const key of ["guid 1", "link 1"]) {
    await store.recordPublications("board", [aPublication(key, "-")], (_, stored) => {
      assert.deepEqual([stored?.contentHash, stored?.version], ["hash 2", 1], key);
      return { kind: "unchanged" };
    });
  }
  assert.equal(await lookUp(store, "guid 2", "hash 2"), "evt_1 v1");
  assert.equal(await lookUp(store, "guid 3", "hash 1"), null);
  assert.equal(await lookUp(store, "guid 4", "hash 9"), "evt_9 v1");
  assert.equal((await store.listEvents({ limit: 9 })).length, 2);
  await store.recordPublications("board", [aPublication("unknown", "hash 5")], redate);
  assert.equal(await lookUp(store, "unknown", "hash 5"), null, "and nothing of what is not stored");
});

test("recordPublications() keeps the identities of two sources apart", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1", { external_id: "same" }));
  assert.equal(await lookUp(store, "guid 1", "hash 1", "court"), null);
  assert.equal(await lookUp(store, "link 1", "hash 1", "court"), null);
  const court = { source_id: "court", external_id: "same" };
  await recordUnder(store, "guid 1", "hash 8", anEvent("evt_8", court));
  await recordUnder(store, "guid 1", "hash 9", anEvent("evt_9", { ...court, version: 2 }));
  assert.equal(await lookUp(store, "guid 1", "hash 1"), "evt_1 v1");
  assert.equal(await lookUp(store, "guid 1", "hash 9", "court"), "evt_9 v2");
});
