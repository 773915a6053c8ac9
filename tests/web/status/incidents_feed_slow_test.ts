// The feed of incidents is valid Atom for an independent parser (on Debian: apt-get install python3-feedparser).
import assert from "node:assert/strict";
import { condition, needs } from "../../support/needs.ts";
import { withWorld } from "../../support/world.ts";

const PYTHON = "/usr/bin/python3";
const READ = `import feedparser, json, sys
feed = feedparser.parse(sys.stdin.buffer.read())
entries = [{k: e.get(k) for k in ("id", "title", "updated", "published", "link", "summary")} for e in feed.entries]
print(json.dumps({"bozo": bool(feed.bozo), "version": feed.version, "id": feed.feed.id, "title": feed.feed.title,
  "updated": feed.feed.updated, "links": [l.rel for l in feed.feed.links], "entries": entries}))`;

async function run(script: string, input: string): Promise<{ success: boolean; output: string }> {
  const child = new Deno.Command(PYTHON, {
    args: ["-c", script],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout } = await child.output();
  return { success, output: new TextDecoder().decode(stdout) };
}

async function hasFeedparser(): Promise<boolean> {
  try {
    return (await run("import feedparser", "")).success;
  } catch {
    return false;
  }
}

const CONFIG = `[[sources]]
id = "board"
name_en = "Board <i>\\"& ]]> für 🏛"
name_de = "Ausschuss"
base_url = "https://board.example"
url = "https://board.example/feed"
schedule = "*/30 * * * *"
`;

const NEED = condition(await hasFeedparser(), "python3-feedparser not installed");

Deno.test(
  needs("the feed of incidents is valid Atom, with and without incidents", NEED),
  () =>
    withWorld(CONFIG, async (world) => {
      await world.app.ingest.register();
      const read = async () => {
        const { text } = await world.visit("/status/incidents.atom", {
          headers: { "accept-language": "fr" },
        });
        return JSON.parse((await run(READ, text)).output);
      };
      const empty = await read();
      assert.deepEqual([empty.bozo, empty.version, empty.entries], [false, "atom10", []]);
      const nowMs = world.platform.clock.nowMs();
      await world.store.reviewIncidents({
        problems: [{ kind: "failing", sourceId: "board", cause: "timeout", sinceMs: nowMs - 7_200_000 }],
        recoveries: new Map(),
        nowMs,
      }, () => world.newId("incident"));
      await world.platform.clock.advance(1_000);
      const { bozo, id, links, updated, entries: [entry] } = await read();
      assert.deepEqual([bozo, id, links.sort()], [false, empty.id, ["alternate", "self"]]);
      assert.equal(updated, entry.updated);
      assert.deepEqual(entry, {
        id: entry.id,
        title: 'Board <i>"& ]]> für 🏛\u202f: échec des collectes',
        updated: "2026-08-01T10:00:00.000Z",
        published: "2026-08-01T08:00:00.000Z",
        link: `${world.config.server.publicUrl}/status#${entry.id.split("/").at(-1)}`,
        summary: entry.summary,
      });
      assert.match(entry.summary, /^Le site de l’éditeur n’a pas répondu à temps\. Début\s: /);
    }),
);
