// Which IP address counts as the client's if a request comes through proxies.
import assert from "node:assert/strict";
import { clientAddress, limitedAs, looksLikeProxy, readRanges } from "../../src/http/client_address.ts";

Deno.test("clientAddress() believes only trusted proxies, each about the previous hop", () => {
  const trusted = readRanges(["10.0.0.0/8", "::1/128"]);
  const rows: [remote: string, forwardedFor: string | null, expected: string][] = [
    ["203.0.113.9", null, "203.0.113.9"],
    ["203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["10.0.0.1", null, "10.0.0.1"],
    ["10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["10.0.0.1", "1.2.3.4, 198.51.100.1", "198.51.100.1"],
    ["10.0.0.1", "1.2.3.4, 10.9.9.9", "1.2.3.4"],
    ["10.0.0.1", "10.9.9.9", "10.9.9.9"],
    ["::ffff:10.0.0.1", "198.51.100.1", "198.51.100.1"],
    ["::1", "2001:db8::5", "2001:db8::5"],
    ["10.0.0.1", "nonsense", "10.0.0.1"],
    ["10.0.0.1", "1.2.3.4, nonsense", "10.0.0.1"],
    ["10.0.0.1", " , ,198.51.100.1, ", "198.51.100.1"],
    ["", "198.51.100.1", ""],
    ["10.0.0.1", "198.51.100.1:50000", "198.51.100.1"],
    ["10.0.0.1", "[2001:db8::5]:50000", "2001:db8::5"],
    ["10.0.0.1", "[2001:db8::5]", "2001:db8::5"],
    ["10.0.0.1", "2001:DB8:0:0::5", "2001:db8::5"],
    ["10.0.0.1", "::ffff:198.51.100.1", "198.51.100.1"],
    ["::ffff:203.0.113.9", "198.51.100.1", "203.0.113.9"],
    ["10.0.0.1", "1.2.3.4, ::ffff:10.2.2.2", "1.2.3.4"],
    ["10.0.0.1", "1.2.3.4, 10.2.2.2:443", "1.2.3.4"],
    // Forms that other parsers accept: octal, hexadecimal, short forms, integers, zones, quotes, suffixes.
    ["10.0.0.1", "0x7f.1", "10.0.0.1"],
    ["10.0.0.1", "010.1.1.1", "10.0.0.1"],
    ["10.0.0.1", "127.1", "10.0.0.1"],
    ["10.0.0.1", "2130706433", "10.0.0.1"],
    ["10.0.0.1", "fe80::1%eth0", "10.0.0.1"],
    ["10.0.0.1", '"198.51.100.1"', "10.0.0.1"],
    ["10.0.0.1", "198.51.100.1:", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.1:123456", "10.0.0.1"],
    ["10.0.0.1", "198.51.100.1 1.2.3.4", "10.0.0.1"],
    ["10.0.0.1", "for=198.51.100.1", "10.0.0.1"],
    ["10.0.0.1", "unknown", "10.0.0.1"],
    ["10.0.0.1", "2001:db8::5:443:1:2:3:4:5", "10.0.0.1"],
    // Only the last 20 hops are read.
    ["10.0.0.1", `${"10.0.0.2, ".repeat(500)}198.51.100.1`, "198.51.100.1"],
    ["10.0.0.1", `1.2.3.4${", 10.0.0.2".repeat(500)}`, "10.0.0.2"],
  ];
  for (const [remote, forwardedFor, expected] of rows) {
    assert.equal(clientAddress(remote, forwardedFor, trusted), expected, `${remote} ${forwardedFor}`);
  }
});

Deno.test("repeated X-Forwarded-For headers form one list in their order", () => {
  const headers = new Headers([["x-forwarded-for", "1.2.3.4"], ["X-Forwarded-For", "198.51.100.1"]]);
  const trusted = readRanges(["10.0.0.0/8"]);
  assert.equal(clientAddress("10.0.0.1", headers.get("x-forwarded-for"), trusted), "198.51.100.1");
});

Deno.test("limitedAs() returns the IPv4 address or the IPv6 network, and null for this machine", () => {
  const rows: [client: string, remote: string, expected: string | null][] = [
    ["198.51.100.1", "198.51.100.1", "198.51.100.1"],
    ["2001:db8:1:2:3:4:5:6", "10.0.0.1", "2001:db8:1:2::/64"],
    ["2001:db8:1:2::", "10.0.0.1", "2001:db8:1:2::/64"],
    ["2001:db8:1:3::1", "10.0.0.1", "2001:db8:1:3::/64"],
    ["127.0.0.1", "127.0.0.1", null],
    ["127.0.0.1", "::ffff:127.0.0.1", null],
    ["::1", "::1", null],
    ["127.0.0.1", "10.0.0.1", "127.0.0.1"],
    ["127.0.0.2", "127.0.0.1", "127.0.0.2"],
    ["::1", "10.0.0.1", "::/64"],
    ["", "", null],
  ];
  for (const [client, remote, expected] of rows) {
    assert.equal(limitedAs(client, remote), expected, `${client} ${remote}`);
  }
});

Deno.test("looksLikeProxy() detects untrusted proxies in private networks", () => {
  const trusted = readRanges(["10.0.0.0/8"]);
  const forwards = new Headers({ "x-forwarded-for": "198.51.100.1" });
  const rows: [remote: string, headers: Headers, expected: boolean][] = [
    ["127.0.0.1", forwards, true],
    ["::1", new Headers({ forwarded: "for=198.51.100.1" }), true],
    ["192.168.0.4", new Headers({ "x-real-ip": "198.51.100.1" }), true],
    ["127.0.0.1", new Headers(), false],
    ["10.0.0.1", forwards, false],
    ["203.0.113.9", forwards, false], // a public client can forge the header
    ["", forwards, false],
  ];
  for (const [remote, headers, expected] of rows) {
    assert.equal(looksLikeProxy(remote, headers, trusted), expected, remote);
  }
});
