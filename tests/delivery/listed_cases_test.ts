// The SSRF cases of ../shared/facts in complete attempts: the HTTP client never gets a refused IP address.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import ipaddr from "ipaddr.js";
import { needs, present } from "../support/needs.ts";
import { REFUSED_ADDRESS } from "../../src/delivery/send/guard.ts";
import { createDelivery } from "../../src/delivery/loop.ts";
import type { TestOutcome } from "../../src/delivery/test_calls.ts";
import { type HttpClient, NetworkError } from "../../src/domain/ports/ports.ts";
import { A_TEST, aSubscription, aWorld, respond } from "./given.ts";

const FILE = new URL("../../../shared/facts/ssrf_cases.json", import.meta.url);
const PUBLIC = ["93.184.215.14", "2606:4700::1111"];

interface Cases {
  ips: { ip: string; expect: string }[];
  ranges: { cidr: string }[];
  urls: { url: string; expect: string }[];
  dns: { scenario: string }[];
}

/** Decisions that the list leaves open: NAT64 is refused unless configured, and other TLS ports are permitted. */
const DECIDED: Record<string, string> = {
  "64:ff9b::808:808": "block",
  "https://example.com:8443/hook": "allow",
};

/** Sends a delivery. Returns its outcome and the IP addresses that the client got. */
async function send(
  webhookUrl: string,
  { addresses, allowHttp = true }: { addresses: readonly string[] | NetworkError; allowHttp?: boolean },
): Promise<
  { outcome: TestOutcome; connected: (readonly string[] | undefined)[]; lookups: number; mayBe: boolean }
> {
  const connected: (readonly string[] | undefined)[] = [];
  let lookups = 0;
  const http: HttpClient = {
    request: (request) => {
      connected.push(request.addresses);
      return Promise.resolve(respond(204));
    },
  };
  const resolver = {
    resolve: () => {
      lookups++;
      return addresses instanceof NetworkError ? Promise.reject(addresses) : Promise.resolve([...addresses]);
    },
  };
  const { deps } = aWorld({ http, resolver, policy: { allowHttp, allowNetworks: [], allowPorts: [] } });
  const delivery = createDelivery(deps);
  const outcome = await delivery.test(aSubscription({ webhookUrl }), A_TEST);
  return { outcome, connected, lookups, mayBe: await delivery.whyRefused(webhookUrl) === null };
}

function assertRefused({ outcome, connected, mayBe }: Awaited<ReturnType<typeof send>>, what: string): void {
  const { delivered, problem } = outcome;
  assert.deepEqual([delivered, problem, connected, mayBe], [false, REFUSED_ADDRESS, [], false], what);
}

const RECORDED = present(FILE);
const cases: Cases = RECORDED !== null
  ? { ips: [], ranges: [], urls: [], dns: [] }
  : JSON.parse(readFileSync(FILE, "utf8"));

Deno.test(
  needs("every listed address is used or refused: alone, with a public one, and as a literal", RECORDED),
  async () => {
    for (const { ip, expect } of cases.ips) {
      const isGood = (DECIDED[ip] ?? expect) === "allow";
      for (const addresses of [[ip], [PUBLIC[0] ?? "", ip], [ip, ...PUBLIC]]) {
        const sent = await send("https://hooks.receiver.example/in", { addresses });
        if (!isGood) assertRefused(sent, addresses.join(" "));
        else assert.deepEqual([sent.connected, sent.lookups, sent.mayBe], [[addresses], 1, true]);
      }
      const url = `https://${ip.includes(":") ? `[${ip}]` : ip}/in`;
      if (!isGood && URL.canParse(url)) assertRefused(await send(url, { addresses: PUBLIC }), url);
    }
    for (const { cidr } of cases.ranges.filter(({ cidr }) => /^[^ ]+\/[^ ]+$/.test(cidr))) {
      const address = ipaddr.parseCIDR(cidr)[0].toString();
      assertRefused(await send("https://hooks.receiver.example/in", { addresses: [address] }), cidr);
    }
  },
);

Deno.test(
  needs("every listed URL is refused at creation and at every attempt, with http and https", RECORDED),
  async () => {
    for (const { url, expect } of cases.urls) {
      const verdict = DECIDED[url] ?? expect;
      for (const [text, allowHttp] of [[url, true], [url.replace(/^http:/i, "https:"), false]] as const) {
        const addresses = verdict === "block_at_resolve" ? ["127.0.0.1"] : PUBLIC;
        const sent = await send(text, { addresses, allowHttp });
        if (verdict !== "allow") assertRefused(sent, text);
        else assert.deepEqual([sent.outcome.delivered, sent.mayBe], [true, true], text);
      }
    }
  },
);

/**
 * For each listed DNS scenario, what the lookup gives, and whether the attempt is refused, fails, or uses these
 * addresses.
 */
const NAMES: Record<string, { gives: string[] | NetworkError; then: "refused" | "fails" | string[] }> = {
  "A=10.0.0.1": { gives: ["10.0.0.1"], then: "refused" },
  "A=1.1.1.1 + A=127.0.0.1 (mixed)": { gives: ["1.1.1.1", "127.0.0.1"], then: "refused" },
  "A=1.1.1.1 + AAAA=fc00::1": { gives: ["1.1.1.1", "fc00::1"], then: "refused" },
  "AAAA=64:ff9b::a9fe:a9fe": { gives: ["64:ff9b::a9fe:a9fe"], then: "refused" },
  "CNAME chain ending at 169.254.169.254": { gives: ["169.254.169.254"], then: "refused" },
  "NXDOMAIN / empty answer": { gives: new NetworkError("host name not found"), then: "fails" },
  "SERVFAIL / resolver unreachable": {
    gives: new NetworkError("the name servers do not respond"),
    then: "fails",
  },
  "more than 16 addresses": {
    gives: Array.from({ length: 20 }, (_, at) => `93.184.215.${at + 1}`),
    then: Array.from({ length: 16 }, (_, at) => `93.184.215.${at + 1}`),
  },
  "resolver returns own listening address": { gives: ["127.0.0.1"], then: "refused" },
  "0.0.0.0 answer": { gives: ["0.0.0.0"], then: "refused" },
};

/** Listed DNS scenarios that tests in other files cover. */
const ELSEWHERE: Record<string, string> = {
  "first answer public, second private (rebinding)": "guard_connections_test.ts",
  "public at create, private at delivery": "guard_connections_test.ts",
  "resolver hangs": "send_test.ts",
  "search-domain expansion ('kubernetes' -> kubernetes.default.svc.cluster.local)": "guard_test.ts",
};

Deno.test(
  needs("every listed DNS scenario is refused, fails, or connects, as expected", RECORDED),
  async () => {
    for (const { scenario } of cases.dns) {
      const row = NAMES[scenario];
      if (row === undefined) {
        assert.ok(Object.hasOwn(ELSEWHERE, scenario), `no test for: ${scenario}`);
        continue;
      }
      const sent = await send("https://hooks.receiver.example/in", { addresses: row.gives });
      if (row.then === "refused") assertRefused(sent, scenario);
      else if (row.then === "fails") {
        assert.deepEqual([sent.outcome.delivered, sent.connected], [false, []], scenario);
        assert.match(sent.outcome.problem ?? "", /not found|do not respond/);
        assert.equal(sent.mayBe, true, "a name that cannot be resolved now is accepted");
      } else assert.deepEqual(sent.connected, [row.then], scenario);
    }
  },
);
