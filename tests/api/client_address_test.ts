// Tests of src/api/client_address.ts.
import assert from "node:assert/strict";
import { clientAddress, readRanges } from "../../src/api/client_address.ts";

Deno.test("clientAddress() believes trusted proxies, each for the hop before it, and nobody else", () => {
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
  ];
  for (const [remote, forwardedFor, expected] of rows) {
    assert.equal(clientAddress(remote, forwardedFor, trusted), expected, `${remote} ${forwardedFor}`);
  }
});
