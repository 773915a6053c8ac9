// A client that openapi-typescript and openapi-fetch generate from the API description works with a running server.
import assert from "node:assert/strict";
import { listen } from "../../src/platform/http/http_server.ts";
import { condition, needs } from "../support/needs.ts";
import { withFolder } from "../support/process.ts";
import { boardConfig, SAMPLE_PROVENANCE, sampleEvent } from "../support/samples.ts";
import { withCustomer } from "../support/world.ts";

const GENERATOR = "npm:openapi-typescript@7.13.0";
const CLIENT = "npm:openapi-fetch@0.17.0";

/** Runs Deno in a folder of its own, without the project's settings. The packages are fetched unless they are cached. */
async function deno(folder: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args],
    cwd: folder,
    stdin: "null",
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  if (code !== 0) throw new Error(decoder.decode(stderr) + decoder.decode(stdout));
  return decoder.decode(stdout);
}

const NEEDED = await deno(".", ["cache", "--no-config", "--no-lock", GENERATOR, CLIENT]).then(
  () => true,
  () => false,
);

const PROGRAM = `
import createClient, { type Middleware } from "${CLIENT}";
import type { components, paths } from "./api.d.ts";

const [baseUrl, key] = Deno.args;
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${key}\` } });
const urls: string[] = [];
const log: Middleware = { onRequest: ({ request }) => void urls.push(new URL(request.url).search) };
client.use(log);

const listed = await client.GET("/v1/events", {
  params: {
    query: {
      topics: ["gpai", "transparency"],
      event_type: ["guidance", "report"],
      article: ["Art. 50", "Annex III"],
      language: ["en", "de"],
      since: "2026-07-01",
      until: 1_785_900_000_000,
      severity_min: "low",
      q: '"sample title" noti*',
      latest: true,
      limit: 5,
    },
  },
});
const events: components["schemas"]["Event"][] = listed.data?.events ?? [];
const refused = await client.GET("/v1/events", { params: { query: { topics: ["gpai", "nonsense"] } } });
const created = await client.POST("/v1/subscriptions", {
  body: { webhook_url: "https://hooks.example.org/ai", topics: ["gpai"], backfill_since: "2026-07-01T00:00:00Z" },
});
const deliveries = await client.GET("/v1/deliveries", { params: { query: { status: ["failed", "held"] } } });
const topics = await client.GET("/v1/topics");

// @ts-expect-error: the severity does not exist
await client.GET("/v1/events", { params: { query: { severity_min: "loud" } } });

console.log(JSON.stringify({
  url: urls[0],
  ids: events.map(({ id, topics, severity }) => ({ id, topics, severity })),
  refused: [refused.error?.code, refused.error?.errors?.map(({ field }) => field)],
  secret: created.data?.subscription.webhook_secret.length ?? created.error,
  deliveries: deliveries.data?.count ?? deliveries.error,
  topics: (topics.data?.topics.length ?? 0) > 10,
}));
`;

Deno.test(
  needs(
    "a generated client type-checks, sends lists and times, and reads responses and errors",
    condition(NEEDED, `${GENERATOR} and ${CLIENT} cannot be installed`),
  ),
  () =>
    withCustomer(boardConfig(), async (world, key) => {
      const event = sampleEvent({
        id: world.newId("event"),
        title_en: "A sample title",
        summary_en: "A notice.",
      });
      await world.store.recordPublications(event.source_id, [{ key: "a", contentHash: "a" }], () => ({
        kind: "record",
        event,
        provenance: SAMPLE_PROVENANCE,
        notify: false,
      }));
      const server = await listen({
        hostname: "127.0.0.1",
        port: 0,
        handler: (request) => world.app.fetch(request),
      });
      try {
        await withFolder(async (folder) => {
          const { text } = await world.ask("/v1/openapi.json");
          await Deno.writeTextFile(`${folder}/openapi.json`, text);
          await Deno.writeTextFile(`${folder}/client.ts`, PROGRAM);
          const own = [
            "run",
            "--quiet",
            "--no-config",
            "--no-lock",
            "--no-prompt",
            "--allow-read",
            "--allow-env",
          ];
          await deno(folder, [
            ...own,
            `--allow-write=${folder}`,
            GENERATOR,
            "openapi.json",
            "-o",
            "api.d.ts",
          ]);
          const out = await deno(folder, [
            ...own,
            "--check",
            "--allow-net=127.0.0.1",
            "client.ts",
            `http://127.0.0.1:${server.port}`,
            key,
          ]);
          const found = JSON.parse(out);
          assert.match(
            found.url,
            /^\?topics=gpai&topics=transparency&event_type=guidance&event_type=report&/,
          );
          const { id, topics, severity } = event;
          assert.deepEqual(found, {
            url: found.url,
            ids: [{ id, topics, severity }],
            refused: ["invalid_input", ["topics"]],
            secret: 64,
            deliveries: 0,
            topics: true,
          });
        });
      } finally {
        await server.shutdown(5_000);
      }
    }),
);
