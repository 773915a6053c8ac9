// Tests of src/platform/resolver.ts. They stay on this machine: no name server is asked.
import assert from "node:assert/strict";
import { isIP } from "node:net";
import { NetworkError } from "../../src/domain/ports.ts";
import { createResolver } from "../../src/platform/resolver.ts";

const resolver = createResolver();
const { signal } = new AbortController();

Deno.test("resolve() knows the hosts file, and gives each address once", async () => {
  const addresses = await resolver.resolve("localhost", signal);
  assert.ok(addresses.some((address) => address === "127.0.0.1" || address === "::1"), String(addresses));
  assert.ok(addresses.every((address) => isIP(address) > 0));
  assert.equal(new Set(addresses).size, addresses.length);
});

Deno.test("resolve() says in words without the name that there is no such host", async () => {
  // A label of more than 63 characters is no host name (RFC 1035, section 2.3.4): no name server is asked.
  await assert.rejects(
    resolver.resolve(`${"a".repeat(64)}.invalid`, signal),
    (error: unknown) => error instanceof NetworkError && error.reason === "host name not found",
  );
});

Deno.test("resolve() rejects with the reason of a signal that aborted", async () => {
  await assert.rejects(resolver.resolve("localhost", AbortSignal.abort(new Error("stop"))), /stop/);
});
