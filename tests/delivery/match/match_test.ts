// An event gets one delivery for each subscription that it matches.
import assert from "node:assert/strict";
import { createMatching } from "../../../src/delivery/match/match.ts";
import type { Topic } from "../../../src/domain/event/topic.ts";
import { deliveryPayload } from "../../../src/wire/delivery.ts";
import { anEvent, aSubscription, aWorld, START_MS, textOf } from "../given.ts";

function topic(id: string, parent: string | null): Topic {
  return { id, parent, name_en: id, name_de: id, name_fr: id, articles: [] };
}

const taxonomy = [
  topic("models", null),
  topic("gpai", "models"),
  topic("copyright", "models"),
  topic("risk", null),
  topic("high-risk", "risk"),
];

Deno.test("createMatching() creates one delivery for each matching subscription", async () => {
  const { deps, store } = aWorld({ topics: taxonomy });
  store.subscriptions.push(
    aSubscription({ id: "sub_all" }),
    aSubscription({ id: "sub_parent", topics: ["models"] }),
    aSubscription({ id: "sub_other", topics: ["risk"] }),
    aSubscription({ id: "sub_severe", severityMin: "high" }),
    aSubscription({ id: "sub_source", sources: ["elsewhere"] }),
  );
  const previous = anEvent();
  const revised = anEvent({ id: "evt_2", version: 2, supersedes: previous.id, severity: "low" });
  store.waiting.push({ event: previous, previous: null }, { event: revised, previous });
  assert.equal(await createMatching(deps)(), 2);
  const bodies = store.queue.map((queued) => deliveryPayload.parse(JSON.parse(textOf(queued.claimed.body))));
  assert.deepEqual(
    bodies.map((body) => [body.type, body.subscription_id, body.sequence, body.timestamp]),
    [
      ["event.published", "sub_all", 1, START_MS],
      ["event.published", "sub_parent", 2, START_MS],
      ["event.revised", "sub_all", 3, START_MS],
      ["event.revised", "sub_parent", 4, START_MS],
    ],
  );
  assert.deepEqual(bodies.map((body) => body.delivery_id), store.queue.map((queued) => queued.claimed.id));
  assert.equal(new Set(bodies.map((body) => body.delivery_id)).size, 4);
});
