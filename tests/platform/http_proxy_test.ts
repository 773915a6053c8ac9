// The proxy variables of the environment are ignored, because a proxy would bypass the checks of IP addresses.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { LOOPBACK } from "../support/loopback.ts";

Deno.test("a process with a proxy in its environment connects directly to the checked address", async () => {
  const seen: Record<"proxy" | "receiver", string[]> = { proxy: [], receiver: [] };
  const serve = (name: "proxy" | "receiver") =>
    Deno.serve(LOOPBACK, ({ method, url }) => {
      seen[name].push(`${method} ${new URL(url).pathname}`);
      return new Response(name);
    });
  const [proxy, receiver] = [serve("proxy"), serve("receiver")];
  const address = `http://127.0.0.1:${proxy.addr.port}`;
  const names = ["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"];
  const ask = () =>
    new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "--cached-only", // the runtime may use the proxy to fetch packages
        "--allow-net=127.0.0.1",
        "--allow-env",
        "--allow-read",
        fileURLToPath(new URL("proxy_probe.ts", import.meta.url)),
        `http://receiver.example:${receiver.addr.port}/hook`,
      ],
      env: {
        ...Object.fromEntries(names.map((name) => [name, address])),
        NODE_USE_ENV_PROXY: "1",
        DENO_NO_UPDATE_CHECK: "1", // the runtime may also use the proxy to look for updates
        NO_PROXY: "",
      },
      stderr: "inherit",
    }).output();
  try {
    const { stdout, code } = await ask();
    assert.equal(code, 0);
    assert.equal(new TextDecoder().decode(stdout).trim(), "200 receiver");
    assert.deepEqual(seen, { proxy: [], receiver: ["POST /hook"] });
  } finally {
    await proxy.shutdown();
    await receiver.shutdown();
  }
});
