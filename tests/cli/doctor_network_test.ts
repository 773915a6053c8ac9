// What the doctor says of the network: names, hosts, the clock that they show, proxies.
import assert from "node:assert/strict";
import {
  askHosts,
  type HostAnswer,
  judgeClock,
  judgeHosts,
  judgeNames,
  judgeProxies,
} from "../../src/cli/doctor/network.ts";
import { judgeTargets } from "../../src/cli/doctor/targets.ts";
import type { Config } from "../../src/config/config.ts";
import { NetworkError } from "../../src/domain/ports.ts";
import { createWorld } from "../support/world.ts";

const answer = (change: Partial<HostAnswer>): HostAnswer => ({
  host: "a.example",
  sources: ["one"],
  failure: null,
  isNamed: true,
  aheadMs: 0,
  ...change,
});

Deno.test("judgeClock() believes the middle of the hosts, not each of them", () => {
  const ahead = (...ms: (number | null)[]) => judgeClock(ms.map((aheadMs) => answer({ aheadMs })));
  assert.equal(ahead(500, -800, 900_000).level, "good");
  assert.equal(ahead(20_000, 25_000, 0).level, "warning");
  assert.match(ahead(-300_000, -301_000, 0).seen, /300 s behind that of 3 hosts: receivers will refuse/);
  assert.match(ahead(300_000).seen, /300 s ahead of/);
  assert.match(ahead(null).seen, /no host was there/);
});

Deno.test("judgeNames() tells a machine that knows no names from a name that nobody knows", () => {
  const named = (...isNamed: (boolean | null)[]) => judgeNames(isNamed.map((is) => answer({ isNamed: is })));
  assert.deepEqual(named(null), [], "addresses are not looked up");
  assert.equal(named(true, false)[0]?.level, "good");
  assert.equal(named(false, false, null)[0]?.level, "problem");
  assert.match(named(false)[0]?.todo ?? "", /resolv\.conf/);
  assert.deepEqual(judgeHosts([answer({ isNamed: false, failure: "not found" })]), [], "said once");
});

Deno.test("judgeProxies() sees a proxy that is not named, keys in clear, and proxies of the environment", () => {
  const seen = (
    publicUrl: string,
    trustedProxies: string[],
    env: Record<string, string> = {},
    tls: unknown = null,
  ) =>
    judgeProxies({ publicUrl, trustedProxies, tls }, (name) => env[name]).map((finding) => finding.seen).join(
      "; ",
    );
  assert.match(seen("https://feed.example.org", []), /none is trusted/);
  assert.equal(seen("https://feed.example.org", [], {}, {}), "nothing stands in the way");
  assert.match(seen("https://feed.example.org", ["0.0.0.0/0"]), /any client can say that it is another/);
  assert.equal(seen("https://feed.example.org", ["10.0.0.1/32"]), "nothing stands in the way");
  assert.equal(seen("http://127.0.0.1:8080", []), "nothing stands in the way");
  assert.match(seen("http://feed.example.org", []), /API keys travel in clear/);
  assert.match(
    seen("http://localhost:1", [], { HTTPS_PROXY: "http://proxy" }),
    /names a proxy \(HTTPS_PROXY\)/,
  );
});

Deno.test("judgeTargets() warns of http and of every range with an address of this machine in it", () => {
  const rows: [allowHttp: boolean, allowNetworks: string[], seen: RegExp[]][] = [
    [false, ["10.0.0.0/8", "fd00::/8", "128.0.0.0/8", "::2/128"], []],
    [true, [], [/over http \(delivery\.allow_http = true\)/]],
    [true, ["127.0.0.0/8"], [/over http/, /this machine itself .*"127\.0\.0\.0\/8"/]],
    [false, ["127.0.0.5/32", "0.0.0.0/0"], [/"127\.0\.0\.5\/32"/, /"0\.0\.0\.0\/0"/]],
    [false, ["::1/128", "10.0.0.0/8"], [/"::1\/128"/]],
    [false, ["::/0"], [/"::\/0"/]],
  ];
  for (const [allowHttp, allowNetworks, expected] of rows) {
    const delivery = { allowHttp, allowNetworks } as Config["delivery"];
    const warned = judgeTargets({ delivery }).filter(({ level }) => level !== "good");
    assert.equal(warned.length, expected.length, JSON.stringify(allowNetworks));
    for (const [place, { level, seen, todo }] of warned.entries()) {
      assert.deepEqual([level, todo?.startsWith("for trials only: ")], ["warning", true]);
      assert.match(seen, expected[place] ?? /never/);
    }
  }
});

Deno.test("askHosts() asks each host once and says which sources one is for", async () => {
  const world = await createWorld(`
    [[sources]]
    id = "one"
    name_en = "One"
    url = "https://a.example/feed"
    [[sources]]
    id = "two"
    name_en = "Two"
    url = "https://a.example/other"
    [[sources]]
    id = "three"
    name_en = "Three"
    url = "https://b.example/feed"
  `);
  const asked: string[] = [];
  const nowMs = world.platform.clock.nowMs();
  const answers = await askHosts(world.config.sources, {
    clock: world.platform.clock,
    resolver: { resolve: () => Promise.resolve(["192.0.2.1"]) },
    userAgent: "Regfeed/test",
    http: {
      request: ({ url, headers }) => {
        asked.push(`${url.href} ${headers["user-agent"]}`);
        if (url.host === "b.example") return Promise.reject(new NetworkError("connection refused"));
        return Promise.resolve({
          status: 200,
          headers: { date: new Date(nowMs - 40_000).toUTCString() },
          body: new Uint8Array(),
          truncated: false,
        });
      },
    },
  });
  await world.close();
  assert.deepEqual(asked.sort(), ["https://a.example/ Regfeed/test", "https://b.example/ Regfeed/test"]);
  assert.deepEqual(answers, [
    { host: "a.example", sources: ["one", "two"], failure: null, isNamed: true, aheadMs: 40_000 },
    { host: "b.example", sources: ["three"], failure: "connection refused", isNamed: true, aheadMs: null },
  ]);
  assert.match(judgeHosts(answers)[1]?.todo ?? "", /in the way of three/);
});
