// Which IP addresses and URLs the guard permits, and how it looks up hosts.
import assert from "node:assert/strict";
import fc from "npm:fast-check@4.10.2";
import ipaddr from "ipaddr.js";
import {
  type AddressPolicy,
  checkAddress,
  checkWebhookUrl,
  createAddressPolicy,
  resolveTarget,
} from "../../../src/delivery/send/guard.ts";
import type { Resolver } from "../../../src/domain/ports/ports.ts";

const strict = createAddressPolicy({ allowHttp: false, allowNetworks: [], allowPorts: [] });
const withHttp = createAddressPolicy({ allowHttp: true, allowNetworks: [], allowPorts: [] });
const opening = (...allowNetworks: string[]): AddressPolicy =>
  createAddressPolicy({ allowHttp: false, allowNetworks, allowPorts: [] });
const resolvingTo = (...addresses: string[]): Resolver => ({ resolve: () => Promise.resolve(addresses) });
const never = new AbortController().signal;

// deno-fmt-ignore
const REFUSED_RANGES = [
  "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
  "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
  "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4", "255.255.255.255/32",
  "168.63.129.16/32",
  "::/8", "100::/64", "100:0:0:1::/64", "64:ff9b::/96", "64:ff9b:1::/48", "200::/7", "400::/6", "800::/5", "1000::/4",
  "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "4000::/2", "5f00::/16", "8000::/2",
  "c000::/3", "e000::/4", "f000::/5", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
];

/** Returns an address of a range, chosen by random bytes. */
function inside(cidr: string, random: Uint8Array): string {
  const [base, bits] = ipaddr.parseCIDR(cidr);
  const bytes = base.toByteArray().map((byte, at) => {
    const free = Math.min(8, Math.max(0, (at + 1) * 8 - bits));
    const mask = (1 << free) - 1;
    return (byte & ~mask) | ((random[at] ?? 0) & mask);
  });
  return ipaddr.fromByteArray(bytes).toString();
}

const random16 = fc.uint8Array({ minLength: 16, maxLength: 16 });

Deno.test("checkAddress() permits public unicast addresses", () => {
  const ipv4 = ["1.1.1.1", "8.8.8.8", "93.184.215.14", "223.255.255.255"];
  for (const address of [...ipv4, "2606:4700::1111", "2a00:1450:4001::5"]) {
    assert.equal(checkAddress(address, strict), true, address);
  }
});

Deno.test("checkAddress() refuses every address of every range that is not public", () => {
  for (const range of REFUSED_RANGES) {
    fc.assert(
      fc.property(random16, (random) => {
        const address = inside(range, random);
        assert.equal(checkAddress(address, strict), false, `${address} of ${range}`);
      }),
      { numRuns: 50, examples: [[new Uint8Array(16)], [new Uint8Array(16).fill(255)]] },
    );
  }
});

Deno.test("checkAddress() refuses every IPv6 form of every IPv4 address", () => {
  fc.assert(fc.property(fc.ipV4(), (v4) => {
    const [a = 0, b = 0, c = 0, d = 0] = v4.split(".").map(Number);
    const high = (a * 256 + b).toString(16);
    const low = (c * 256 + d).toString(16);
    const inverted = `${((a * 256 + b) ^ 0xffff).toString(16)}:${((c * 256 + d) ^ 0xffff).toString(16)}`;
    for (
      const form of [
        `::ffff:${v4}`,
        `::ffff:${high}:${low}`,
        `0:0:0:0:0:FFFF:${high}:${low}`,
        `::${v4}`,
        `::${high}:${low}`,
        `::ffff:0:${v4}`,
        `64:ff9b::${v4}`,
        `64:ff9b:1::${high}:${low}`,
        `2002:${high}:${low}::1`,
        `2001:0:4136:e378:8000:63bf:${inverted}`,
        `::5efe:${v4}`,
      ]
    ) assert.equal(checkAddress(form, strict), false, form);
  }));
});

Deno.test("checkAddress() refuses text that is not an IP address", () => {
  // deno-fmt-ignore
  const rows = [
    "", " ", "8.8.8.8 ", " 8.8.8.8", "8.8.8.8\n", "8.8.8", "8.8.8.8.8", "134744072", "0x8.8.8.8", "08.8.8.8", "010.8.8.8",
    "8.8.8.256", "8.8.8.-8", "2606:4700::1111%eth0", "2606:4700::1111%1", "[2606:4700::1111]", "2606:4700::1111/64",
    "2606:4700::1.2.3.256", "2606:4700::01.2.3.4", ":::", "2606:4700:::1", "example.com", "localhost", "8.8.8.8:443",
  ];
  for (const text of rows) {
    assert.equal(checkAddress(text, opening("0.0.0.0/0", "::/0")), false, JSON.stringify(text));
  }
});

Deno.test("checkAddress() permits exactly the networks of the policy", () => {
  const rows: [policy: AddressPolicy, address: string, permitted: boolean][] = [
    [opening("10.0.0.0/8"), "10.255.255.255", true],
    [opening("10.0.0.0/8"), "11.0.0.0", true],
    [opening("10.0.0.0/8"), "127.0.0.1", false],
    [opening("10.0.0.0/8"), "::ffff:10.1.2.3", false],
    [opening("10.0.0.0/8"), "64:ff9b::a01:203", false],
    [opening("10.0.0.0/8"), "2002:a01:203::1", false],
    [opening("10.0.0.0/8"), "::10.1.2.3", false],
    [opening("192.168.7.9/32"), "192.168.7.9", true],
    [opening("192.168.7.9/32"), "192.168.7.8", false],
    [opening("127.0.0.1/32", "::1/128"), "::1", true],
    [opening("127.0.0.1/32", "::1/128"), "::2", false],
    [opening("fd12::/16"), "fd12::9", true],
    [opening("fd12::/16"), "fd13::9", false],
    [opening("fd12::/16"), "fd12::9%eth0", false],
    // An IPv6 address that contains an IPv4 address is permitted only if both addresses are.
    [opening("64:ff9b::/96"), "64:ff9b::808:808", true],
    [opening("64:ff9b::/96"), "64:ff9b::a00:1", false],
    [opening("64:ff9b::/96"), "64:ff9b::a9fe:a9fe", false],
    [opening("64:ff9b::/96", "10.0.0.0/8"), "64:ff9b::a00:1", true],
    [opening("::ffff:0:0/96", "10.0.0.0/8"), "::ffff:10.0.0.1", true],
    [opening("::ffff:0:0/96", "10.0.0.0/8"), "::10.0.0.1", false],
    [opening("2002::/16"), "2002:808:808::7f00:1", true],
    [opening("2002::/16"), "2002:7f00:1::808:808", false],
    [opening("::/0"), "::ffff:127.0.0.1", false],
    [opening("::/0"), "2002:7f00:1::", false],
    [opening("::/0"), "2001:0:4136:e378:8000:63bf:80ff:fffe", false], // Teredo around 127.0.0.1
    [opening("::/0"), "fd00:ec2::254", true],
    [opening("0.0.0.0/0"), "::ffff:127.0.0.1", false],
    [opening("0.0.0.0/0"), "fd00::1", false],
    [opening("0.0.0.0/0"), "169.254.169.254", true],
  ];
  for (const [policy, address, permitted] of rows) {
    assert.equal(checkAddress(address, policy), permitted, address);
  }
});

Deno.test("checkAddress() permits exactly the addresses of a network", () => {
  fc.assert(fc.property(fc.integer({ min: 8, max: 32 }), random16, random16, (bits, base, other) => {
    const cidr = `10.${base[0]}.${base[1]}.${base[2]}/${bits}`;
    const policy = opening(cidr);
    assert.equal(checkAddress(inside(cidr, other), policy), true, cidr);
    const address = `10.${other[0]}.${other[1]}.${other[2]}`;
    const within = ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parseCIDR(cidr));
    assert.equal(checkAddress(address, policy), within, `${address} of ${cidr}`);
  }));
});

Deno.test("createAddressPolicy() names an invalid range", () => {
  // deno-fmt-ignore
  for (const text of ["10.0.0.0", "10.0.0.0/33", "10.0.0.0/-1", "10.0/8", "::/129", "fe80::%1/64", "/8", "x/8", "10.0.0.0/8/8", "10.0.0.0/ 8", ""]) {
    assert.throws(() => opening(text), (error: Error) => error.message.includes(`"${text}"`), text);
  }
});

Deno.test("checkWebhookUrl() permits https URLs of public hosts", () => {
  const rows: [text: string, href: string][] = [
    ["https://example.com", "https://example.com/"],
    ["HTTPS://Example.COM/Path?q=1", "https://example.com/Path?q=1"],
    ["https://example.com/in#part", "https://example.com/in"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://a_b.example.com/", "https://a_b.example.com/"],
    ["https://example.com:443/", "https://example.com/"],
    ["https://example.com:8443/in", "https://example.com:8443/in"],
    ["https://example.com:49152/", "https://example.com:49152/"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    ["https://example.com/a@b", "https://example.com/a@b"],
    ["https://notlocalhost.com/", "https://notlocalhost.com/"],
    ["https://internal.example.com/", "https://internal.example.com/"],
  ];
  for (const [text, href] of rows) {
    const checked = checkWebhookUrl(text, strict);
    assert.equal(checked.ok && checked.url.href, href, text);
  }
});

Deno.test("checkWebhookUrl() refuses other URLs", () => {
  // deno-fmt-ignore
  const rows = [
    "", "example.com", "//example.com/", "https:", "https://", "https:///", "https:example.com", "https:///example.com",
    "http://example.com/", "ftp://example.com/", "file:///etc/passwd", "data:text/plain,x", "wss://example.com/",
    "https://user@example.com/", "https://user:word@example.com/", "https://@example.com/", "https://:@example.com/",
    "https://example.com\\@127.0.0.1/", "https://example.com\t/", " https://example.com/", "https://example.com/\n",
    "https://exam\u0000ple.com/", "https://example.com/a b",
    "https://localhost/", "https://LOCALHOST/", "https://a.localhost/", "https://localhost./", "https://intranet/",
    "https://db.internal/", "https://printer.local/", "https://x.onion/", "https://x.home.arpa/", "https://x.arpa/",
    "https://x.test/", "https://x.invalid/", "https://x.alt/", "https://a.b.svc/", "https://nas.lan/", "https://x.corp/",
    "https://example.com./", "https://example..com/", "https://-example.com/", "https://example-.com/",
    "https://exa*mple.com/", `https://${"a".repeat(64)}.com/`, `https://${"abcdefg.".repeat(32)}com/`,
    "https://127.0.0.1/", "https://127.1/", "https://0x7f000001/", "https://2130706433/", "https://017700000001/",
    "https://10.0.0.1./", "https://[::1]/", "https://[::]/", "https://[::ffff:8.8.8.8]/", "https://[fe80::1%25eth0]/",
    "https://１２７.0.0.1/", "https://%31%32%37.0.0.1/", "https://[2606:4700::1111/", "https://1.2.3.4.5/",
    "https://example.com:0/", "https://example.com:22/", "https://example.com:25/", "https://example.com:587/",
    "https://example.com:6379/", "https://example.com:6667/", "https://example.com:65536/", "https://8.8.8.8:53/",
    `https://example.com/${"a".repeat(2_048)}`, `https://example.com/${"é".repeat(1_000)}`,
  ];
  for (const text of rows) {
    assert.deepEqual(checkWebhookUrl(text, strict), { ok: false }, JSON.stringify(text));
  }
});

Deno.test("checkWebhookUrl() permits exactly the schemes and ports of the policy", () => {
  const only = createAddressPolicy({ allowHttp: true, allowNetworks: [], allowPorts: [443, 5432] });
  const rows: [policy: AddressPolicy, url: string, permitted: boolean][] = [
    [only, "https://hooks.example.org/", true],
    [only, "https://hooks.example.org:443/", true],
    [only, "https://hooks.example.org:5432/", true],
    [only, "https://hooks.example.org:8443/", false],
    [only, "http://hooks.example.org/", false],
    [only, "http://hooks.example.org:443/", true],
    [only, "https://10.0.0.1:5432/", false],
    [withHttp, "http://example.com/", true],
    [withHttp, "http://127.0.0.1/", false],
    [withHttp, "ws://example.com/", false],
  ];
  for (const [policy, url, permitted] of rows) assert.equal(checkWebhookUrl(url, policy).ok, permitted, url);
});

Deno.test("checkWebhookUrl() permits local names if the policy has networks, because addresses are checked later", async () => {
  const policy = opening("10.0.0.0/8");
  const local = "https://hooks.internal/ https://receiver:8080/ https://localhost/ https://x.home.arpa/"
    .split(" ");
  for (const text of local) {
    const checked = checkWebhookUrl(text, policy);
    assert.ok(checked.ok, text);
    const near = await resolveTarget(checked.url, resolvingTo("10.0.0.7"), policy, never);
    assert.deepEqual(near, { ok: true, addresses: ["10.0.0.7"] });
    const metadata = await resolveTarget(checked.url, resolvingTo("169.254.169.254"), policy, never);
    assert.deepEqual(metadata, { ok: false });
  }
  for (const text of ["https://x.onion/", "https://1.0.0.10.in-addr.arpa/"]) {
    assert.equal(checkWebhookUrl(text, policy).ok, false, text);
  }
  assert.equal(checkWebhookUrl("https://127.0.0.1/", policy).ok, false);
});

Deno.test("checkWebhookUrl() refuses the service's own URL in any notation, and no other", () => {
  const rows: { ownUrl: string; refused: string[]; permitted: string[] }[] = [{
    ownUrl: "https://feed.example.org",
    refused: [
      "https://feed.example.org/v1/events",
      "https://FEED.example.org:443/",
      "http://feed.example.org/v1",
    ],
    permitted: [
      "https://feed.example.org:8443/in",
      "https://hooks.feed.example.org/in",
      "https://example.org/",
    ],
  }, {
    ownUrl: "http://127.0.0.1:8787",
    refused: ["http://127.0.0.1:8787/", "http://127.1:8787/", "http://0x7f000001:8787/in"],
    permitted: ["http://127.0.0.1:8788/in", "http://127.0.0.2:8787/in"],
  }];
  for (const { ownUrl, refused, permitted } of rows) {
    const settings = { allowHttp: true, allowNetworks: ["127.0.0.0/8"], allowPorts: [] };
    const [policy, without] = [createAddressPolicy({ ...settings, ownUrl }), createAddressPolicy(settings)];
    for (const url of refused) {
      assert.equal(checkWebhookUrl(url, without).ok, true, url);
      assert.equal(checkWebhookUrl(url, policy).ok, false, url);
    }
    for (const url of permitted) assert.equal(checkWebhookUrl(url, policy).ok, true, url);
  }
});

Deno.test("checkWebhookUrl() refuses literal addresses that checkAddress() refuses", () => {
  fc.assert(fc.property(fc.oneof(fc.ipV4Extended(), fc.ipV6().map((v6) => `[${v6}]`)), (host) => {
    const checked = checkWebhookUrl(`https://${host}/`, strict);
    if (!checked.ok) return;
    assert.equal(checkAddress(checked.url.hostname.replace(/[[\]]/g, ""), strict), true, host);
  }));
});

Deno.test("resolveTarget() refuses a host if one of its addresses is refused", async () => {
  const url = new URL("https://hooks.example.com/");
  const rows: [addresses: string[], ok: boolean][] = [
    [["1.1.1.1"], true],
    [["1.1.1.1", "2606:4700::1111"], true],
    [["10.0.0.1"], false],
    [["1.1.1.1", "127.0.0.1"], false],
    [["1.1.1.1", "fc00::1"], false],
    [["64:ff9b::a9fe:a9fe"], false],
    [["0.0.0.0"], false],
    [[...Array(30).fill("1.1.1.1"), "10.0.0.1"], false],
    [["not an address"], false],
    [[], false],
  ];
  for (const [addresses, ok] of rows) {
    const target = await resolveTarget(url, resolvingTo(...addresses), strict, never);
    assert.deepEqual(target, ok ? { ok, addresses } : { ok }, addresses.join(" "));
  }
});

Deno.test("resolveTarget() checks literal addresses without a lookup", async () => {
  const resolver: Resolver = { resolve: () => Promise.reject(new Error("looked up")) };
  const target = (text: string) => resolveTarget(new URL(text), resolver, strict, never);
  assert.deepEqual(await target("https://8.8.8.8/"), { ok: true, addresses: ["8.8.8.8"] });
  assert.deepEqual(await target("https://[2606:4700::1111]/"), { ok: true, addresses: ["2606:4700::1111"] });
  assert.deepEqual(await target("https://[::1]/"), { ok: false });
});

Deno.test("resolveTarget() returns at most sixteen addresses", async () => {
  const many = Array.from({ length: 40 }, (_, at) => `1.1.1.${at}`);
  const target = await resolveTarget(new URL("https://a.example/"), resolvingTo(...many), strict, never);
  assert.deepEqual(target, { ok: true, addresses: many.slice(0, 16) });
});
