// Which IP addresses are reachable. tests/delivery/send/guard_test.ts covers whole ranges and known tricks.
import assert from "node:assert/strict";
import { isReachable, literalAddress, parseNetwork } from "../../src/domain/ip_address.ts";

Deno.test("isReachable() permits public addresses and configured ranges, but no form that embeds a private address", () => {
  const opened = [parseNetwork("10.0.0.0/8"), parseNetwork("64:ff9b::/96")];
  const rows: [address: string, alone: boolean, opened: boolean][] = [
    ["93.184.215.14", true, true],
    ["2606:4700::1111", true, true],
    ["127.0.0.1", false, false],
    ["169.254.169.254", false, false],
    ["10.1.2.3", false, true],
    ["::ffff:10.1.2.3", false, false],
    ["64:ff9b::8.8.8.8", false, true],
    ["64:ff9b::192.168.0.1", false, false],
    ["fe80::1%eth0", false, false],
    ["0x7f.1", false, false],
    ["board.example", false, false],
  ];
  for (const [address, alone, withRanges] of rows) {
    assert.equal(isReachable(address, []), alone, address);
    assert.equal(isReachable(address, opened), withRanges, `${address}, opened`);
  }
});

Deno.test("literalAddress() returns the address in a URL", () => {
  assert.equal(literalAddress(new URL("http://127.1/feed")), "127.0.0.1");
  assert.equal(literalAddress(new URL("http://[::1]:8080/feed")), "::1");
  assert.equal(literalAddress(new URL("http://board.example")), null);
});
