// Topics of the operator's own, from the config through collecting, API and delivery.
import assert from "node:assert/strict";
import { boardConfig, rss } from "../../support/samples.ts";
import { createWorld } from "../../support/world.ts";

const CONFIG = boardConfig({
  rest: `
[[topics]]
id = "culture"
name_en = "Culture"
name_fr = "Culture et arts"
[[topics]]
id = "museums"
name_en = "Museums"
parent = "culture"
keywords_en = ["museum*"]
`,
});

Deno.test("an own topic is listed, classified, filtered by, subscribed to and delivered, by its parent too", async () => {
  const world = await createWorld(CONFIG);
  try {
    const { key } = await world.addCustomer();
    const listed = await world.ask("/v1/topics");
    assert.deepEqual(listed.json.topics.slice(-2), [
      {
        id: "culture",
        name_en: "Culture",
        name_de: "Culture",
        name_fr: "Culture et arts",
        parent: null,
        articles: [],
      },
      {
        id: "museums",
        name_en: "Museums",
        name_de: "Museums",
        name_fr: "Museums",
        parent: "culture",
        articles: [],
      },
    ]);
    world.platform.hosts.set("hooks.example.org", ["93.184.215.14"]);
    world.platform.http.serve("https://hooks.example.org", () => ({ status: 204 }));
    const body = JSON.stringify({ webhook_url: "https://hooks.example.org/", topics: ["culture"] });
    assert.equal((await world.ask("/v1/subscriptions", { method: "POST", key, body })).status, 201);
    world.platform.http.serve("https://board.example/feed", () => ({
      body: rss([{ id: "1", title: "The AI Act in museums", summary: "" }, { id: "2" }]),
    }));
    await world.app.tick();
    for (const topic of ["museums", "culture"]) {
      const { json } = await world.ask(`/v1/events?topics=${topic}`, { key });
      assert.deepEqual(json.events.map((event: { topics: string[] }) => event.topics), [["museums"]], topic);
      const { json: one } = await world.ask(`/v1/events/${json.events[0].id}`, { key });
      assert.match(one.provenance.rules_version, /^\d+\+/);
    }
    const posted = world.platform.http.requests.filter(({ method }) => method === "POST");
    assert.deepEqual(posted.map((request) => JSON.parse(request.body ?? "").event.external_id), ["1"]);
  } finally {
    await world.close();
  }
});
