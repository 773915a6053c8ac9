// The doctor's checks of hosts, the clock, proxies, and the targets of webhooks.
import assert from "node:assert/strict";
import {
  askHosts,
  checkClock,
  checkHosts,
  checkProxies,
  checkTargets,
  type HostResult,
} from "../../../src/server/checks/network.ts";
import type { Config } from "../../../src/config/config.ts";
import { NetworkError } from "../../../src/domain/ports/ports.ts";
import { createWorld } from "../../support/world.ts";

const answer = (change: Partial<HostResult>): HostResult => ({
  host: "a.example",
  sources: ["one"],
  failure: null,
  aheadMs: 0,
  ...change,
});

Deno.test("checkClock() compares the clock with the median of the hosts", () => {
  const ahead = (...ms: (number | null)[]) => checkClock(ms.map((aheadMs) => answer({ aheadMs })));
  assert.equal(ahead(500, -800, 900_000).level, "good");
  assert.equal(ahead(20_000, 25_000, 0).level, "warning");
  assert.match(ahead(-300_000, -301_000, 0).seen, /300 s behind that of 3 hosts: receivers reject/);
  assert.match(ahead(300_000).seen, /300 s ahead of/);
  assert.match(ahead(null).seen, /no host to compare/);
});

Deno.test("checkHosts() reports a missing network once, and other failures by reason", () => {
  const levels = (...failures: (string | null)[]) =>
    checkHosts(failures.map((failure) => answer({ failure }))).map(({ area, level, cause }) =>
      `${area} ${level}${cause === undefined ? "" : `, cause ${cause}`}`
    );
  assert.deepEqual(levels(), []);
  assert.deepEqual(levels("host name not found", "the name servers do not respond"), [
    "dns problem, cause network",
  ]);
  assert.deepEqual(levels("host name not found", null), ["hosts good", "hosts warning"]);
  assert.deepEqual(levels("host name not found", "connection refused"), ["hosts warning", "hosts warning"]);
  assert.deepEqual(levels("network unreachable", "host name not found", "network unreachable"), [
    "hosts problem, cause network",
  ]);
  const findings = (...failures: (string | null)[]) =>
    checkHosts(
      failures.map((failure, at) =>
        answer({ host: `${at}.example`, sources: [`a${at}`, `b${at}`], failure })
      ),
    );
  const [unreachable] = findings("network unreachable", "host name not found", "network unreachable");
  assert.equal(
    unreachable?.seen,
    "no source's host responds: network unreachable (2), host name not found (1); sources affected: 6",
  );
  const [untrusted] = findings(...Array(3).fill("the certificate has expired or is not valid yet"));
  assert.match(untrusted?.todo ?? "", /^check the machine's clock/);
  assert.deepEqual(
    findings("connection refused", null, "connection refused").map(({ seen }) => seen),
    ["source hosts that respond: 1", "0.example, 2.example do not respond: connection refused"],
  );
});

Deno.test("checkProxies() finds an unnamed proxy, a range that includes any client, and keys sent unencrypted", () => {
  const seen = (publicUrl: string, trustedProxies: string[], tls: unknown = null) =>
    checkProxies({ publicUrl, trustedProxies, tls } as Config["server"]).map((finding) => finding.seen)
      .join();
  assert.match(seen("https://feed.example.org", []), /trusted_proxies is empty/);
  assert.equal(seen("https://feed.example.org", [], {}), "");
  assert.match(seen("https://feed.example.org", ["0.0.0.0/0"]), /any client can pretend to be another/);
  assert.equal(seen("https://feed.example.org", ["10.0.0.1/32"]), "");
  assert.equal(seen("http://127.0.0.1:8080", []), "");
  assert.match(seen("http://feed.example.org", []), /API keys are sent unencrypted/);
});

Deno.test("checkTargets() warns of http and of ranges that contain loopback addresses", () => {
  const rows: [allowHttp: boolean, allowNetworks: string[], seen: RegExp[]][] = [
    [false, ["10.0.0.0/8", "fd00::/8", "128.0.0.0/8", "::2/128"], []],
    [true, [], [/may use http \(delivery\.allow_http = true\)/]],
    [true, ["127.0.0.0/8"], [/may use http/, /this machine .*"127\.0\.0\.0\/8"/]],
    [false, ["127.0.0.5/32", "0.0.0.0/0"], [/"127\.0\.0\.5\/32"/, /"0\.0\.0\.0\/0"/]],
    [false, ["::1/128", "10.0.0.0/8"], [/"::1\/128"/]],
    [false, ["::/0"], [/"::\/0"/]],
  ];
  for (const [allowHttp, allowNetworks, expected] of rows) {
    const delivery = { allowHttp, allowNetworks } as Config["delivery"];
    const warned = checkTargets({ delivery });
    assert.equal(warned.length, expected.length, JSON.stringify(allowNetworks));
    for (const [place, { level, seen, todo }] of warned.entries()) {
      assert.deepEqual([level, todo?.startsWith("use this setting only for tests, ")], ["warning", true]);
      assert.match(seen, expected[place] ?? /never/);
    }
  }
});

Deno.test("askHosts() sends one request to each host and names its sources", async () => {
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
    { host: "a.example", sources: ["one", "two"], failure: null, aheadMs: 40_000 },
    { host: "b.example", sources: ["three"], failure: "connection refused", aheadMs: null },
  ]);
  assert.match(checkHosts(answers)[1]?.todo ?? "", /may block the host \(sources: three\)/);
});
