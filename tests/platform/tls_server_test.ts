// Tests of src/platform/tls_server.ts and certificate.ts: real certificates, real clients.
import assert from "node:assert/strict";
import { examineCertificate } from "../../src/platform/certificate.ts";
import { listenTls } from "../../src/platform/tls_server.ts";
import { makeAuthority, makeCertificate, readPair, shownName } from "../support/certificates.ts";
import { withFolder } from "../support/process.ts";

Deno.test("examineCertificate() tells good pairs from what cannot be used", () =>
  withFolder(async (folder) => {
    await makeAuthority(folder);
    const one = await readPair(await makeCertificate(folder, "one", 5));
    const two = await readPair(await makeCertificate(folder, "two"));
    const state = examineCertificate(one);
    assert.ok(state.kind === "good");
    assert.ok(Math.abs(state.expiresAtMs - Date.now() - 5 * 86_400_000) < 3_600_000);
    assert.deepEqual([state.fitsHost("localhost"), state.fitsHost("feed.example.org")], [true, false]);
    const rows: [cert: string, key: string, reason: string][] = [
      [one.cert, two.key, "the certificate and the key do not belong together"],
      ["junk", one.key, "the certificate is no PEM certificate"],
      [one.cert, "junk", "the key is no PEM private key, or it is encrypted"],
      [one.cert, one.cert, "the key is no PEM private key, or it is encrypted"],
    ];
    for (const [cert, key, reason] of rows) {
      assert.deepEqual(examineCertificate({ cert, key }), { kind: "bad", reason });
    }
  }));

Deno.test("a new certificate takes over while clients ask: none is refused, and old connections go on", () =>
  withFolder(async (folder) => {
    const caCerts = [await makeAuthority(folder)];
    const pairs = [
      await readPair(await makeCertificate(folder, "first")),
      await readPair(await makeCertificate(folder, "second")),
    ] as const;
    const released = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const server = await listenTls({
      hostname: "127.0.0.1",
      port: 0,
      pair: pairs[0],
      async handler(request, { remoteAddress }) {
        if (new URL(request.url).pathname === "/slow") {
          asked.resolve();
          await released.promise;
        }
        return new Response(`hello ${remoteAddress} ${await request.text()}`);
      },
    });
    assert.equal(server.address, `https://127.0.0.1:${server.port}`);
    using client = Deno.createHttpClient({ caCerts });
    const ask = async (path: string, init: RequestInit = {}, by = client) =>
      await (await fetch(`${server.address}${path}`, { client: by, ...init })).text();
    assert.equal(
      await ask("/", { method: "POST", body: "x".repeat(300_000) }),
      `hello 127.0.0.1 ${"x".repeat(300_000)}`,
    );
    assert.equal(await shownName(server.port), "first");
    const slow = ask("/slow");
    await asked.promise;
    let isOver = false;
    let answered = 0;
    const asking = (async () => {
      while (!isOver) {
        using fresh = Deno.createHttpClient({ caCerts, poolMaxIdlePerHost: 0 });
        assert.equal(await ask("/", {}, fresh), "hello 127.0.0.1 ");
        answered += 1;
      }
    })();
    for (const pair of [pairs[1], pairs[0], pairs[1]]) {
      const before = answered;
      await server.renew(pair);
      while (answered < before + 5) await new Promise((resolve) => setTimeout(resolve, 20));
    }
    assert.equal(await shownName(server.port), "second");
    isOver = true;
    await asking;
    await assert.rejects(server.renew({ cert: pairs[0].cert, key: pairs[1].key }));
    assert.equal(await shownName(server.port), "second");
    released.resolve();
    assert.equal(await slow, "hello 127.0.0.1 ");
    await server.shutdown(5_000);
  }));

Deno.test("who says nothing is let go, and the port belongs to one process", () =>
  withFolder(async (folder) => {
    const caCerts = [await makeAuthority(folder)];
    const pair = await readPair(await makeCertificate(folder, "first"));
    const patience = { firstMs: 300, idleMs: 900 };
    const options = { hostname: "127.0.0.1", pair, patience, handler: () => new Response("hello") };
    const server = await listenTls({ ...options, port: 0 });
    await assert.rejects(listenTls({ ...options, port: server.port }), {
      message: `cannot listen on 127.0.0.1 port ${server.port}: another program listens there already`,
    });
    const silent = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    assert.equal(await silent.read(new Uint8Array(1)).catch(() => null), null);
    silent.close();
    const dribbling = await Deno.connectTls({ hostname: "127.0.0.1", port: server.port, caCerts });
    let isGone = false;
    const gone = dribbling.read(new Uint8Array(1)).catch(() => null).then(() => isGone = true);
    for (let bytes = 0; !isGone; bytes++) {
      assert.ok(bytes < 200, "who never gets to the end of a request is let go");
      await dribbling.write(new TextEncoder().encode(bytes === 0 ? "GET / HTTP/1.1\r\nx: " : "a")).catch(
        () => {},
      );
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await gone;
    dribbling.close();
    await server.shutdown(1_000);
  }));

Deno.test("a head without end is refused, and the refusal arrives", () =>
  withFolder(async (folder) => {
    const caCerts = [await makeAuthority(folder)];
    const pair = await readPair(await makeCertificate(folder, "first"));
    const server = await listenTls({
      hostname: "127.0.0.1",
      port: 0,
      pair,
      handler: () => new Response("hello"),
    });
    for (let turn = 0; turn < 10; turn++) {
      const client = await Deno.connectTls({ hostname: "127.0.0.1", port: server.port, caCerts });
      await client.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: x\r\nx: "));
      const piece = new TextEncoder().encode("x".repeat(16_384));
      const sending = (async () => {
        for (let pieces = 0; pieces < 200; pieces++) await client.write(piece);
      })().catch(() => {}); // it is cut off at some time
      let text = "";
      const buffer = new Uint8Array(4_096);
      for (let read: number | null = 1; read !== null;) {
        read = await client.read(buffer).catch(() => null);
        text += new TextDecoder().decode(buffer.subarray(0, read ?? 0));
      }
      assert.match(text, /^HTTP\/1\.1 4\d\d /);
      client.close();
      await sending;
    }
    await server.shutdown(1_000);
  }));
