// DNS lookups with a local name server.
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import dgram from "node:dgram";
import { isIP } from "node:net";
import { NetworkError } from "../../../src/domain/ports/ports.ts";
import { createResolver, type NameServer, parseHosts } from "../../../src/platform/http/resolver.ts";

const resolver = createResolver();
const { signal } = new AbortController();

/** More lookups than the runtime has threads for blocking calls. */
const LOOKUPS = 40;

/** Runs a name server that knows `good.example`, and ignores `dead…` and requests for IPv6 addresses of `half…`. */
async function withNameServer(work: (nameServer: NameServer) => Promise<void>): Promise<void> {
  const socket = dgram.createSocket("udp4");
  socket.on("message", (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    const question = query.subarray(12, end);
    const [name, type] = [question.toString("latin1"), query.readUInt16BE(end - 4)];
    if (name.includes("dead") || (name.includes("half") && type !== 1)) return;
    const isKnown = (name.includes("good") || name.includes("half")) && type === 1;
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(isKnown ? 1 : 0, 6);
    const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, 192, 0, 2, 1]);
    socket.send(Buffer.concat([head, question, ...(isKnown ? [answer] : [])]), port, address);
  });
  await new Promise<void>((bound) => socket.bind(0, "127.0.0.1", bound));
  try {
    await work({ ipAddr: "127.0.0.1", port: socket.address().port });
  } finally {
    await new Promise<void>((closed) => socket.close(() => closed()));
  }
}

Deno.test("unresponsive name servers delay neither other lookups nor files", () =>
  withNameServer(async (nameServer) => {
    const resolver = createResolver(nameServer);
    const end = new AbortController();
    const dead = Array.from(
      { length: LOOKUPS },
      (_, at) => assert.rejects(resolver.resolve(`dead${at}.example`, end.signal), /enough/),
    );
    const others = Promise.all([resolver.resolve("good.example", signal), Deno.stat(".")]);
    const timer = setTimeout(() => end.abort(new Error("enough")), 3_000);
    const first = await Promise.race([others, Promise.all(dead)]);
    assert.deepEqual(first[0], ["192.0.2.1"]);
    clearTimeout(timer);
    end.abort(new Error("enough"));
    await Promise.all(dead);
  }));

Deno.test("resolve() does not wait for IPv6 addresses until the name server times out", () =>
  withNameServer(async (nameServer) => {
    const signal = AbortSignal.timeout(8_000);
    assert.deepEqual(await createResolver(nameServer).resolve("half.example", signal), ["192.0.2.1"]);
  }));

Deno.test("resolve() reads the hosts file and returns each address once", async () => {
  const addresses = await resolver.resolve("localhost", signal);
  assert.ok(addresses.some((address) => address === "127.0.0.1" || address === "::1"), String(addresses));
  assert.ok(addresses.every((address) => isIP(address) > 0));
  assert.equal(new Set(addresses).size, addresses.length);
});

Deno.test("parseHosts() reads names, aliases and comments, and skips what is not an address", () => {
  const text =
    "127.0.0.1 localhost\n::1\tLocalhost ip6  # two names\n# 10.0.0.1 no\nnot-an-address x\n10.0.0.2\n";
  assert.deepEqual([...parseHosts(text)], [["localhost", ["127.0.0.1", "::1"]], ["ip6", ["::1"]]]);
});

Deno.test("resolve() rejects for an unknown host, and does not quote its name", async () => {
  // A label of more than 63 characters is invalid (RFC 1035, 2.3.4), so no name server is queried.
  await assert.rejects(
    resolver.resolve(`${"a".repeat(64)}.invalid`, signal),
    (error: unknown) => error instanceof NetworkError && error.reason === "host name not found",
  );
});

Deno.test("resolve() rejects with the reason of a signal that aborted", async () => {
  await assert.rejects(resolver.resolve("localhost", AbortSignal.abort(new Error("stop"))), /stop/);
});
