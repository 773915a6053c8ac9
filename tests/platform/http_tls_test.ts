// Tests of both HTTP clients over TLS: the certificate counts for the host's name, whatever address is dialled.
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

type Kind = "any" | "endpoint";
const KINDS: readonly Kind[] = ["any", "endpoint"];

async function ask(kind: Kind, trusted: readonly string[], urls: readonly string[]): Promise<string[]> {
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
      kind,
      ...urls,
    ],
    stderr: "inherit",
  }).output();
  return new TextDecoder().decode(output.stdout).trim().split("\n");
}

Deno.test("request() over TLS checks the certificate against the host's name and the authorities", async () => {
  const [good, expired] = [serveTls("server.pem"), serveTls("expired.pem")];
  try {
    const urls = [
      `https://feed.test:${good.addr.port}/`,
      `https://other.test:${good.addr.port}/`,
      `https://127.0.0.1:${good.addr.port}/`,
      `https://feed.test:${expired.addr.port}/`,
    ];
    const notValid = "the certificate is not valid for the host";
    for (const kind of KINDS) {
      const [whole, otherName, otherAddress, old] = await ask(kind, ["ca.pem"], urls);
      assert.equal(whole, "hello from feed.test", kind);
      assert.equal(otherName, notValid, kind);
      assert.equal(otherAddress, notValid, kind);
      assert.match(old ?? "", /^the certificate .*has expired/, kind);
      const [untrusted] = await ask(kind, [], urls);
      assert.match(untrusted ?? "", /^the certificate is not trusted/, kind);
    }
  } finally {
    await Promise.all([good.shutdown(), expired.shutdown()]);
  }
});

Deno.test("request() trusts the authorities that come with a request, for that request alone", async () => {
  const server = serveTls("server.pem");
  try {
    const urls = [`https://feed.test:${server.addr.port}/`, `https://other.test:${server.addr.port}/`];
    for (const kind of KINDS) {
      assert.deepEqual(await ask(kind, [], [here("tls/ca.pem"), ...urls]), [
        "hello from feed.test",
        "the certificate is not valid for the host",
      ], kind);
      const [without] = await ask(kind, [], urls);
      assert.match(without ?? "", /^the certificate is not trusted/, kind);
    }
  } finally {
    await server.shutdown();
  }
});
