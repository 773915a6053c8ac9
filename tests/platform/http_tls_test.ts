// The HTTP client checks certificates, and accepts responses without a close_notify.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

function serveTls(certificate: string): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    cert: Deno.readTextFileSync(here(`tls/${certificate}`)),
    key: Deno.readTextFileSync(here("tls/server.key")),
    onListen: () => {},
  }, (request) => new Response(`hello from ${request.headers.get("host")?.split(":")[0]}`));
}

/** Starts a TLS server that sends `answer` to every client and closes the connection without a close_notify. */
function serveCutOff(answer: string): Disposable & { port: number } {
  const server = Deno.listenTls({
    hostname: "127.0.0.1",
    port: 0,
    cert: Deno.readTextFileSync(here("tls/server.pem")),
    key: Deno.readTextFileSync(here("tls/server.key")),
  });
  // Deno's server sends a close_notify, which this proxy removes.
  const between = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  (async () => {
    for await (const connection of server) {
      await connection.read(new Uint8Array(1_000));
      await connection.write(new TextEncoder().encode(answer));
      await connection.closeWrite();
      while (await connection.read(new Uint8Array(1_000)).catch(() => null) !== null);
      connection.close();
    }
  })();
  (async () => {
    for await (const near of between) {
      const far = await Deno.connect({ hostname: "127.0.0.1", port: server.addr.port });
      const asking = near.readable.pipeTo(far.writable).catch(() => {});
      const out = near.writable.getWriter();
      for await (const record of recordsOf(far)) if (!isCloseNotify(record)) await out.write(record);
      await out.close();
      await asking;
    }
  })();
  return {
    port: between.addr.port,
    [Symbol.dispose]() {
      server.close();
      between.close();
    },
  };
}

/** Yields TLS records, each with its header of five bytes: type, version and length. */
async function* recordsOf(connection: Deno.TcpConn): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  let bytes: number[] = [];
  for await (const chunk of connection.readable) {
    bytes.push(...chunk);
    for (let size = sizeOf(bytes); bytes.length >= size; size = sizeOf(bytes)) {
      yield Uint8Array.from(bytes.slice(0, size));
      bytes = bytes.slice(size);
    }
  }
}

function sizeOf([, , , high = Infinity, low = Infinity]: readonly number[]): number {
  return 5 + high * 256 + low;
}

/** In TLS 1.3, an encrypted alert looks like data: it contains two bytes, their type, and a tag of 16 bytes. */
function isCloseNotify([type, , , high, low]: Uint8Array): boolean {
  return type === 23 && high === 0 && low === 2 + 1 + 16;
}

async function ask(trusted: readonly string[], urls: readonly string[]): Promise<string[]> {
  const certificates = trusted.map((name) => `--cert=${here(`tls/${name}`)}`);
  const output = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "--allow-net",
      "--allow-env",
      "--allow-read",
      ...certificates,
      here("tls_probe.ts"),
      ...urls,
    ],
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(output.stdout).trim().split("\n");
}

Deno.test("request() checks the certificate against the host name and the authorities", async () => {
  const [good, expired] = [serveTls("server.pem"), serveTls("expired.pem")];
  try {
    const urls = [
      `https://feed.test:${good.addr.port}/`,
      `https://other.test:${good.addr.port}/`,
      `https://127.0.0.1:${good.addr.port}/`,
      `https://feed.test:${expired.addr.port}/`,
    ];
    const notValid = "the certificate is not valid for the host";
    const [whole, otherName, otherAddress, old] = await ask(["ca.pem"], urls);
    assert.equal(whole, "hello from feed.test");
    assert.equal(otherName, notValid);
    assert.equal(otherAddress, notValid);
    assert.match(old ?? "", /^the certificate .*has expired/);
    const [untrusted] = await ask([], urls);
    assert.match(untrusted ?? "", /^the certificate is not trusted/);
  } finally {
    await Promise.all([good.shutdown(), expired.shutdown()]);
  }
});

Deno.test("request() trusts additional authorities for one request only", async () => {
  const server = serveTls("server.pem");
  try {
    const urls = [`https://feed.test:${server.addr.port}/`, `https://other.test:${server.addr.port}/`];
    assert.deepEqual(await ask([], [here("tls/ca.pem"), ...urls]), [
      "hello from feed.test",
      "the certificate is not valid for the host",
    ]);
    const [without] = await ask([], urls);
    assert.match(without ?? "", /^the certificate is not trusted/);
  } finally {
    await server.shutdown();
  }
});

Deno.test("a response without a close_notify is complete unless its length differs", async () => {
  const rows: [answer: string, heard: string][] = [
    ["HTTP/1.0 200 OK\r\n\r\nthanks", "thanks"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 6\r\nconnection: close\r\n\r\nthanks", "thanks"],
    ["HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nthanks", "the response was cut off"],
    ["HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nthanks\r\n", "the response was cut off"],
    ["HTTP/1.1 200 OK\r\n", "connection reset"],
  ];
  for (const [answer, heard] of rows) {
    using server = serveCutOff(answer);
    assert.deepEqual(await ask(["ca.pem"], [`https://feed.test:${server.port}/`]), [heard], answer);
  }
});
