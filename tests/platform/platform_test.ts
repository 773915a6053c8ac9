// Tests of src/platform/platform.ts: the whole, as the app gets it.
import assert from "node:assert/strict";
import { createPlatform } from "../../src/platform/platform.ts";
import { listen } from "../../src/platform/http/http_server.ts";

Deno.test("createPlatform() gives every port, also when it is spread, and close() leaves nothing open", async () => {
  const server = await listen({ hostname: "127.0.0.1", port: 0, handler: () => new Response("here") });
  const platform = createPlatform({ log: { format: "json", level: "error" } });
  const { clock, http, random, resolver, files, log } = { ...platform };
  const response = await clock.within(5_000, async (signal) => {
    const addresses = await resolver.resolve("127.0.0.1", signal);
    const url = new URL(server.address);
    return await http.request({ method: "GET", url, headers: {}, addresses, maxBodyBytes: 100, signal });
  });
  assert.equal(new TextDecoder().decode(response.body), "here");
  assert.equal(random.bytes(3).length, 3);
  assert.ok((await files.list(new URL(".", import.meta.url).pathname)).files.length > 0);
  log("serve").info("below the level: not written");
  await platform.close();
  await server.shutdown(1_000);
});
