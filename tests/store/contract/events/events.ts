// Recording publications: what is passed to a decision, and what its result changes.
import assert from "node:assert/strict";
import type { RecordDecision, StoredPublication } from "../../../../src/domain/ports/store/publications.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addSubscriber,
  anEvent,
  aPublication,
  claimAll,
  first,
  matchAll,
  PROVENANCE,
  publish,
  recordIt,
} from "../given.ts";
import { test } from "../contract.ts";

/** Reads the state of a publication at once, because it is available only during the decision. */
function shown(stored: StoredPublication | null): unknown {
  if (stored === null) return null;
  const { externalId, contentHash, version } = stored;
  return { externalId, contentHash, version, event: stored.event.id };
}

const passOver = (): RecordDecision => ({ kind: "irrelevant" });

async function foundEvent(store: Store, id: string): Promise<unknown> {
  return JSON.parse((await store.findEvent(id))?.json ?? "");
}

async function listedIds(store: Store): Promise<string[]> {
  return (await store.listEvents({ limit: 100 })).map((event) => event.id);
}

const SECOND = anEvent("evt_2", { external_id: "publication of evt_1", version: 2, supersedes: "evt_1" });

test("recordPublications() passes null for a new publication, or the newest version of a known one", async (store) => {
  const seen: unknown[] = [];
  const record = (event: ReturnType<typeof anEvent>, hash: string) =>
    store.recordPublications("board", [aPublication("guid 1", hash)], (_, stored) => {
      seen.push(shown(stored));
      return recordIt(event, false)();
    });
  await record(anEvent("evt_1"), "hash 1");
  await record(SECOND, "hash 2");
  await store.recordPublications("board", [aPublication("guid 1", "hash 2")], (_, stored) => {
    seen.push(shown(stored));
    return passOver();
  });
  assert.deepEqual(seen, [
    null,
    { externalId: "publication of evt_1", contentHash: "hash 1", version: 1, event: "evt_1" },
    { externalId: "publication of evt_1", contentHash: "hash 2", version: 2, event: "evt_2" },
  ]);
});

test("recordPublications() returns the decisions in order and stores only records", async (store) => {
  const decisions: Record<string, RecordDecision> = {
    a: recordIt(anEvent("evt_1"), false)(),
    b: { kind: "irrelevant" },
    c: { kind: "unchanged" },
    d: recordIt(anEvent("evt_2"), false)(),
  };
  const publications = Object.keys(decisions).map((key) => aPublication(key, `hash of ${key}`));
  const taken = await store.recordPublications(
    "board",
    publications,
    ({ key }) => decisions[key] ?? passOver(),
  );
  assert.deepEqual(taken, Object.values(decisions));
  assert.deepEqual(await listedIds(store), ["evt_2", "evt_1"]);
  const known: unknown[] = [];
  await store.recordPublications("board", publications, (_, stored) => {
    known.push(stored?.version);
    return passOver();
  });
  assert.deepEqual(known, [1, undefined, undefined, 1]);
});

test("recordPublications() keeps every version of a publication unchanged", async (store) => {
  await publish(store, [anEvent("evt_1"), SECOND]);
  assert.deepEqual(await foundEvent(store, "evt_1"), anEvent("evt_1"));
  assert.deepEqual(await foundEvent(store, "evt_2"), SECOND);
  assert.deepEqual(JSON.parse((await store.findEvent("evt_2"))?.provenance ?? ""), PROVENANCE);
});

test("recordPublications() passes the version that was recorded earlier in the same call", async (store) => {
  const publications = [aPublication("guid 1", "hash 1"), aPublication("guid 1", "hash 1")];
  const decisions = await store.recordPublications("board", publications, (_, stored) => {
    return stored === null ? recordIt(anEvent("evt_1"))() : { kind: "unchanged" };
  });
  assert.deepEqual(decisions.map((decision) => decision.kind), ["record", "unchanged"]);
});

test("recordPublications() stores nothing if a decision throws", async (store) => {
  await publish(store, [anEvent("evt_1")], false);
  const publications = [
    aPublication("publication of evt_1", "hash 2"),
    aPublication("another identity", "hash 2"),
    aPublication("guid 3", "hash 3"),
  ];
  const failing = store.recordPublications("board", publications, ({ key }) => {
    if (key === "guid 3") throw new Error("cannot decide");
    return key === "another identity" ? passOver() : recordIt(SECOND)();
  });
  await assert.rejects(failing, /cannot decide/);
  assert.deepEqual(await listedIds(store), ["evt_1"]);
  assert.equal(await store.findEvent("evt_2"), null);
  assert.equal(await matchAll(store), 0);
  const seen: unknown[] = [];
  await store.recordPublications(
    "board",
    [aPublication("publication of evt_1", "x"), aPublication("another identity", "x")],
    (_, stored) => {
      seen.push(stored?.version);
      return passOver();
    },
  );
  assert.deepEqual(seen, [1, undefined]);
});

test("recordPublications() refuses an existing id or version, and stores nothing of the call", async (store) => {
  await publish(store, [anEvent("evt_1")]);
  const again = [
    anEvent("evt_1", { external_id: "something else" }),
    anEvent("evt_9", { external_id: "publication of evt_1" }),
  ];
  for (const event of again) {
    const events = [anEvent("evt_5"), event];
    await assert.rejects(
      store.recordPublications(
        "board",
        events.map(({ id }) => aPublication(id, "hash")),
        ({ key }) => recordIt(key === "evt_5" ? anEvent("evt_5") : event, false)(),
      ),
    );
    assert.deepEqual(await listedIds(store), ["evt_1"]);
  }
});

test("recordPublications() queues an event for matching only if subscribers are to be notified", async (store) => {
  await addSubscriber(store);
  await publish(store, [anEvent("evt_1")], false);
  await publish(store, [anEvent("evt_2")], true);
  assert.equal(await matchAll(store), 1);
  assert.equal(first(await claimAll(store)).body, "1: evt_2");
});

test("recordPublications() keeps any text unchanged", async (store) => {
  const odd = "\u0000 \ud800 '; drop table events; -- \"\\ 🇪🇺 \u2028 ß";
  const event = anEvent("evt_1", {
    external_id: "schlüssel 🇪🇺",
    title_en: odd,
    summary_en: "",
    translations: { en: { title: odd, summary: "" } },
    published_at: -1,
  });
  await publish(store, [event]);
  assert.deepEqual(await foundEvent(store, "evt_1"), event);
  await store.recordPublications("board", [aPublication("schlüssel 🇪🇺", "x")], (_, stored) => {
    assert.deepEqual(stored?.event, event);
    return passOver();
  });
});

test("previewPublications() makes the same decisions as recording, and writes nothing", async (store) => {
  await publish(store, [anEvent("evt_1")], false);
  const publications = [
    aPublication("publication of evt_1", "hash 2"),
    aPublication("publication of evt_1", "hash 2"),
    aPublication("guid 3", "hash 3"),
    aPublication("another identity", "hash 3"),
  ];
  const decide = ({ key }: { key: string }, stored: StoredPublication | null): RecordDecision => {
    if (stored?.contentHash === "hash 2" || key === "another identity") return { kind: "unchanged" };
    return recordIt(key === "guid 3" ? anEvent("evt_3") : SECOND)();
  };
  const foreseen = await store.previewPublications("board", publications, decide);
  assert.deepEqual(foreseen.map(({ kind }) => kind), ["record", "unchanged", "record", "unchanged"]);
  assert.deepEqual(await listedIds(store), ["evt_1"]);
  assert.equal(await matchAll(store), 0);
  assert.deepEqual(await store.recordPublications("board", publications, decide), foreseen);
  assert.equal(await matchAll(store), 2);
});

test("previewPublications() leaves the store unchanged if a decision throws", async (store) => {
  const failing = store.previewPublications("board", [aPublication("guid 1", "hash 1")], () => {
    throw new Error("cannot decide");
  });
  await assert.rejects(failing, /cannot decide/);
  await publish(store, [anEvent("evt_1")]);
  assert.deepEqual(await listedIds(store), ["evt_1"]);
});

/** Returns the version and id of a known publication, or null. */
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

async function recordUnder(
  store: Store,
  key: string,
  contentHash: string,
  event: ReturnType<typeof anEvent>,
): Promise<void> {
  await store.recordPublications(event.source_id, [aPublication(key, contentHash)], recordIt(event, false));
}

test("recordPublications() recognises a publication with a new key by its content", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  assert.equal(await lookUp(store, "link 1", "hash 1"), "evt_1 v1");
});

test("recordPublications() treats other content with a new key as another publication", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  assert.equal(await lookUp(store, "link 1", "hash 2"), null);
  assert.equal(await lookUp(store, "link 1", "hash 3"), null, "the preview stores no identity");
});

test("recordPublications() prefers the key to the content", async (store) => {
  await recordUnder(store, "own", "hash 1", anEvent("evt_1"));
  await recordUnder(store, "other", "hash 2", anEvent("evt_2"));
  assert.equal(await lookUp(store, "own", "hash 2"), "evt_1 v1");
});

test("recordPublications() keeps a learnt identity, so a later change is a revision", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  await lookUp(store, "link 1", "hash 1");
  assert.equal(await lookUp(store, "link 1", "hash 2"), "evt_1 v1");
});

test("recordPublications() finds the newest version by every identity of a publication", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  await lookUp(store, "link 1", "hash 1");
  const later = { external_id: "publication of evt_1" };
  await recordUnder(store, "guid 1", "hash 2", anEvent("evt_2", { ...later, version: 2 }));
  assert.equal(await lookUp(store, "link 1", "hash 2"), "evt_2 v2");
  await recordUnder(store, "link 1", "hash 3", anEvent("evt_3", { ...later, version: 3 }));
  assert.equal(await lookUp(store, "guid 1", "hash 3"), "evt_3 v3");
  assert.equal(await lookUp(store, "link+title 1", "hash 2"), null, "old content does not match");
});

test("recordPublications() can make a key a separate publication", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  await lookUp(store, "guid 2", "hash 1");
  await recordUnder(store, "guid 2", "hash 2", anEvent("evt_2"));
  assert.equal(await lookUp(store, "guid 1", "hash 1"), "evt_1 v1");
  assert.equal(await lookUp(store, "guid 2", "hash 2"), "evt_2 v1");
  const revised = anEvent("evt_3", { external_id: "publication of evt_1", version: 2 });
  await recordUnder(store, "guid 1", "hash 3", revised);
  assert.equal(await lookUp(store, "guid 2", "hash 2"), "evt_2 v1");
});

test("recordPublications() stores the new hash after a date change for every identity, without an event", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1"));
  await recordUnder(store, "guid 9", "hash 9", anEvent("evt_9"));
  await lookUp(store, "link 1", "hash 1");
  const redate = () => ({ kind: "date_changed" } as const);
  await store.previewPublications("board", [aPublication("guid 1", "hash 7")], redate);
  assert.equal(await lookUp(store, "new", "hash 7"), null, "a preview stores nothing");
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
  assert.equal(await lookUp(store, "unknown", "hash 5"), null, "no hash of an event that is not stored");
});

test("recordPublications() separates the identities of two sources", async (store) => {
  await recordUnder(store, "guid 1", "hash 1", anEvent("evt_1", { external_id: "same" }));
  assert.equal(await lookUp(store, "guid 1", "hash 1", "court"), null);
  assert.equal(await lookUp(store, "link 1", "hash 1", "court"), null);
  const court = { source_id: "court", external_id: "same" };
  await recordUnder(store, "guid 1", "hash 8", anEvent("evt_8", court));
  await recordUnder(store, "guid 1", "hash 9", anEvent("evt_9", { ...court, version: 2 }));
  assert.equal(await lookUp(store, "guid 1", "hash 1"), "evt_1 v1");
  assert.equal(await lookUp(store, "guid 1", "hash 9", "court"), "evt_9 v2");
});
