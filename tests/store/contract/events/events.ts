// Promises about recording: what the decision sees, what is kept of it, and what is not.
import assert from "node:assert/strict";
import type { RecordDecision, StoredPublication } from "../../../../src/domain/ports/store/publications.ts";
import type { Store } from "../../../../src/domain/ports/store/store.ts";
import {
  addCustomer,
  anEvent,
  aPublication,
  claimAll,
  first,
  matchAll,
  PROVENANCE,
  publish,
  recordIt,
  subscribe,
} from "../given.ts";
import { test } from "../contract.ts";

/** What a decision is shown of a publication, read at once: it may be read inside the decision only. */
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

test("recordPublications() shows the decision null for what is new, and the newest version of what is known", async (store) => {
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

test("recordPublications() returns the decisions in order and stores only what is to be recorded", async (store) => {
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

test("recordPublications() keeps every version of a publication, each as it was", async (store) => {
  await publish(store, [anEvent("evt_1"), SECOND]);
  assert.deepEqual(await foundEvent(store, "evt_1"), anEvent("evt_1"));
  assert.deepEqual(await foundEvent(store, "evt_2"), SECOND);
  assert.deepEqual(JSON.parse((await store.findEvent("evt_2"))?.provenance ?? ""), PROVENANCE);
});

test("recordPublications() shows a publication that stands twice in one call what the first one recorded", async (store) => {
  const publications = [aPublication("guid 1", "hash 1"), aPublication("guid 1", "hash 1")];
  const decisions = await store.recordPublications("board", publications, (_, stored) => {
    return stored === null ? recordIt(anEvent("evt_1"))() : { kind: "unchanged" };
  });
  assert.deepEqual(decisions.map((decision) => decision.kind), ["record", "unchanged"]);
});

test("recordPublications() keeps nothing when a decision throws in the middle", async (store) => {
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

test("recordPublications() refuses an id or a version that is there already, and keeps nothing of the call", async (store) => {
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

test("recordPublications() lets an event wait to be matched only when subscribers are to hear of it", async (store) => {
  await addCustomer(store);
  await subscribe(store, "sub_1");
  await publish(store, [anEvent("evt_1")], false);
  await publish(store, [anEvent("evt_2")], true);
  assert.equal(await matchAll(store), 1);
  assert.equal(first(await claimAll(store)).body, "1: evt_2");
});

test("recordPublications() keeps any text as it is", async (store) => {
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

test("previewPublications() takes the decisions that recording would take and writes nothing", async (store) => {
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

test("previewPublications() leaves the store as it was when a decision throws", async (store) => {
  const failing = store.previewPublications("board", [aPublication("guid 1", "hash 1")], () => {
    throw new Error("cannot decide");
  });
  await assert.rejects(failing, /cannot decide/);
  await publish(store, [anEvent("evt_1")]);
  assert.deepEqual(await listedIds(store), ["evt_1"]);
});
