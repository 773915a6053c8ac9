// How a server ends: what is under way is finished within a bound, and who asks twice does not wait.
import assert from "node:assert/strict";
import { regfeedJson, serve, type Serving, withFolder, writeConfig } from "../support/process.ts";

const CONFIG = `
[server]
listen = "127.0.0.1:0"
`;

/** Begins a request whose body never ends. */
async function holdUp(server: Serving, key: string): Promise<Deno.TcpConn> {
  const { hostname, port } = new URL(server.address);
  const client = await Deno.connect({ hostname, port: Number(port) });
  const head = `POST /v1/subscriptions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n` +
    "content-type: application/json\r\ncontent-length: 100\r\n\r\n{";
  await client.write(new TextEncoder().encode(head));
  await new Promise((later) => setTimeout(later, 300)); // until the server has read it
  return client;
}

Deno.test("one signal ends a server that a client holds up within its bound, a second one at once", async () => {
  await withFolder(async (folder) => {
    await writeConfig(folder, CONFIG);
    const { key } = await regfeedJson<{ key: string }>(folder, ["customer", "add", "--email", "a@b.example"]);
    {
      const server = await serve(folder);
      using _client = await holdUp(server, key);
      const { code, log } = await server.end("SIGTERM");
      assert.equal(code, 0, log);
      assert.match(log, /stopped/);
    }
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const server = await serve(folder);
      using _client = await holdUp(server, key);
      server.signal(signal);
      await server.said("stopping");
      const { code, log } = await server.end(signal);
      assert.equal(code, signal === "SIGTERM" ? 143 : 130, log);
      assert.doesNotMatch(log, /stopped/);
    }
  });
});
