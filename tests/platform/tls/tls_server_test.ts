// The TLS server replaces its certificates while real clients send requests.
import assert from "node:assert/strict";
import { examineCertificate } from "../../../src/platform/tls/certificate.ts";
import { listenTls } from "../../../src/platform/tls/tls_server.ts";
import { makeAuthority, makeCertificate, readPair, shownName } from "../../support/peers/certificates.ts";
import { withFolder } from "../../support/process.ts";

Deno.test("examineCertificate() recognises valid and unusable pairs", () =>
  withFolder(async (folder) => {
    await makeAuthority(folder);
    const one = await readPair(await makeCertificate(folder, "one", 5));
    const two = await readPair(await makeCertificate(folder, "two"));
    const state = examineCertificate(one);
    assert.ok(state.kind === "good");
    assert.ok(Math.abs(state.expiresAtMs - Date.now() - 5 * 86_400_000) < 3_600_000);
    assert.deepEqual([state.fitsHost("localhost"), state.fitsHost("feed.example.org")], [true, false]);
    const rows: [cert: string, key: string, reason: string][] = [
      [one.cert, two.key, "the certificate and the key do not match"],
      ["junk", one.key, "the certificate is not a PEM certificate"],
      [one.cert, "junk", "the key is not a PEM private key, or it is encrypted"],
      [one.cert, one.cert, "the key is not a PEM private key, or it is encrypted"],
    ];
    for (const [cert, key, reason] of rows) {
      assert.deepEqual(examineCertificate({ cert, key }), { kind: "bad", reason });
    }
  }));

/** Sends requests on persistent connections until `isOver`. Rejects if one fails. */
async function keepAsking(
  url: string,
  { caCerts, http2, isOver }: { caCerts: string[]; http2: boolean; isOver: () => boolean },
): Promise<number> {
  using client = Deno.createHttpClient({ caCerts, http2, http1: !http2 });
  let count = 0;
  for (; !isOver(); count++) {
    const response = await fetch(url, { client, method: "POST", body: `${count}` });
    assert.equal(await response.text(), `hello 127.0.0.1 ${count}`);
  }
  return count;
}

Deno.test("renew() replaces the certificate under load without a failed request", () =>
  withFolder(async (folder) => {
    const caCerts = [await makeAuthority(folder)];
    const first = await readPair(await makeCertificate(folder, "first"));
    const second = await readPair(await makeCertificate(folder, "second"));
    const released = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const server = await listenTls({
      hostname: "127.0.0.1",
      port: 0,
      pair: first,
      retireMs: 1_000,
      async handler(request, { remoteAddress }) {
        if (new URL(request.url).pathname === "/slow") {
          asked.resolve();
          await released.promise;
        }
        return new Response(`hello ${remoteAddress} ${await request.text()}`);
      },
    });
    assert.equal(server.address, `https://127.0.0.1:${server.port}`);
    assert.equal(await shownName(server.port), "first");
    using client = Deno.createHttpClient({ caCerts });
    const slow = fetch(`${server.address}/slow`, { client }).then((response) => response.text());
    await asked.promise;
    let isOver = false;
    const clients = [false, true, false, true].map((http2) =>
      keepAsking(server.address, { caCerts, http2, isOver: () => isOver })
    );
    for (const [pair, name] of [[second, "second"], [first, "first"], [second, "second"]] as const) {
      await server.renew(pair);
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      for (let turn = 0; turn < 5; turn++) assert.equal(await shownName(server.port), name);
    }
    isOver = true;
    for (const count of await Promise.all(clients)) assert.ok(count > 10);
    await assert.rejects(server.renew({ cert: first.cert, key: second.key }));
    assert.equal(await shownName(server.port), "second");
    released.resolve();
    assert.equal(await slow, "hello 127.0.0.1 ", "a request in progress is completed");
    await server.shutdown(5_000);
  }));

Deno.test("listenTls() rejects for a port that another server uses", () =>
  withFolder(async (folder) => {
    await makeAuthority(folder);
    const pair = await readPair(await makeCertificate(folder, "first"));
    const options = { hostname: "127.0.0.1", pair, handler: () => new Response("hello") };
    const server = await listenTls({ ...options, port: 0 });
    await assert.rejects(listenTls({ ...options, port: server.port }), {
      message: `cannot listen on 127.0.0.1 port ${server.port}: another program is already listening there`,
    });
    await server.shutdown(1_000);
  }));
