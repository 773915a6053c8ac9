// The listener that serve opens first: there before anything else, and nowhere that the config does not say.
import assert from "node:assert/strict";
import { join } from "node:path";
import { keepLosses, listenEarly, makeDoor } from "../../src/cli/early_listener.ts";
import { createHost } from "../../src/platform/process.ts";

async function withConfig<T>(text: string, work: (file: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-early-" });
  try {
    const file = join(folder, "regfeed.toml");
    await Deno.writeTextFile(file, text);
    return await work(file);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function listenFor(text: string): ReturnType<typeof listenEarly> {
  return withConfig(text, (file) => listenEarly(createHost(), file, makeDoor()));
}

Deno.test("it listens where the config says, is alive, not ready, and tells everybody else when to come again", async () => {
  const early = await listenFor('[server]\nlisten = "127.0.0.1:0"\n');
  assert.ok(early !== null);
  try {
    assert.deepEqual(early.at, { hostname: "127.0.0.1", port: 0 });
    const statusOf = async (path: string) => {
      const response = await fetch(`${early.server.address}${path}`);
      await response.body?.cancel();
      return response.status;
    };
    assert.deepEqual([await statusOf("/livez"), await statusOf("/readyz"), await statusOf("/v1/topics")], [
      200,
      503,
      503,
    ]);
  } finally {
    await early.server.shutdown(0);
  }
});

Deno.test("it leaves everything that needs the whole config to who reads it", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const configs = [
    '[server]\nlisten = "127.0.0.1:0"\ntls_cert = "a.pem"\ntls_key = "a.key"\n',
    '[server]\nlisten = "127.0.0.1"\n',
    "[server]\nlisten = 8080\n",
    "[server\n",
    `[server]\nlisten = "127.0.0.1:${taken.addr.port}"\n`,
  ];
  for (const text of configs) assert.equal(await listenFor(text), null, text);
  assert.equal(await listenEarly(createHost(), "/nowhere/regfeed.toml", makeDoor()), null);
});

Deno.test("a lost listener is reported when there is a log, in order, and at once after that", () => {
  const losses = keepLosses();
  const reported: string[] = [];
  losses.add("no file");
  losses.add("it ended by itself");
  losses.reportTo((reason) => reported.push(reason));
  assert.deepEqual(reported, ["no file", "it ended by itself"]);
  losses.add("no file");
  assert.deepEqual(reported, ["no file", "it ended by itself", "no file"]);
});
