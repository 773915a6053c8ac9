// TLS certificates in `serve`, `check`, `doctor` and `healthcheck`.
import assert from "node:assert/strict";
import { join } from "node:path";
import { checkCertificate } from "../../src/server/checks/certificate.ts";
import { checkKeyFile } from "../../src/server/checks/rights.ts";
import {
  makeAuthority,
  makeCertificate,
  makeSelfSigned,
  readPair,
  shownName,
} from "../support/peers/certificates.ts";
import { freePort } from "../support/loopback.ts";
import { assertFails, regfeed, serve, withFolder, writeConfig } from "../support/process.ts";

const CONFIG = `
[server]
listen = "127.0.0.1:0"
tls_cert = "live.pem"
tls_key = "live.key"
`;

async function install(folder: string, cert: string, key: string): Promise<void> {
  await Deno.copyFile(join(folder, `${cert}.pem`), join(folder, "live.pem"));
  await Deno.copyFile(join(folder, `${key}.key`), join(folder, "live.key"));
}

Deno.test("serve uses TLS, renews its certificate, and keeps it if the next is invalid", () =>
  withFolder(async (folder) => {
    const caCerts = [await makeAuthority(folder)];
    await makeCertificate(folder, "first", 5);
    await makeCertificate(folder, "second");
    await install(folder, "first", "first");
    await writeConfig(folder, CONFIG);
    const checked = await regfeed(folder, "check");
    assert.equal(checked.code, 0, checked.stderr);
    assert.match(checked.stdout, /^server .*public URL https:\/\/127\.0\.0\.1/m);

    const server = await serve(folder);
    const port = Number(new URL(server.address).port);
    using client = Deno.createHttpClient({ caCerts });
    const ask = async () => {
      const response = await fetch(`${server.address}/v1/sources`, { client });
      await response.body?.cancel();
      return response.status;
    };
    assert.match(server.address, /^https:/);
    assert.deepEqual([await ask(), await shownName(port)], [200, "first"]);
    await install(folder, "second", "second");
    while (await shownName(port) !== "second") await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(await ask(), 200);
    await install(folder, "first", "second"); // certificate and key do not match
    await new Promise((resolve) => setTimeout(resolve, 12_000)); // longer than two checks
    assert.deepEqual([await ask(), await shownName(port)], [200, "second"]);
    const { code, log } = await server.end("SIGTERM");
    assert.equal(code, 0);
    assert.match(log, /WARN +tls +the certificate expires on \S+, in less than 14 days: renew it/);
    assert.match(log, /new certificate in use/);
    assert.match(log, /new certificate not used.*do not match/);
    assert.doesNotMatch(log, /PRIVATE KEY/);

    await assertFails(folder, "check", 2, /tls_key: the certificate and the key do not match/);
  }));

Deno.test("healthcheck accepts any certificate, but only of the server in its config", () =>
  withFolder(async (folder) => {
    await makeSelfSigned(folder, "live", "feed.example.org");
    await writeConfig(folder, CONFIG.replace("127.0.0.1:0", `127.0.0.1:${freePort()}`));
    const server = await serve(folder);
    const healthy = await regfeed(folder, "healthcheck");
    const named = await regfeed(folder, `healthcheck --url ${server.address}`);
    await server.end("SIGTERM");
    const gone = await regfeed(folder, "healthcheck");
    assert.deepEqual([healthy.code, healthy.stderr], [0, ""]);
    assert.match(healthy.stdout, /^(ok|degraded)\n$/);
    assert.equal(named.code, 1);
    assert.match(named.stderr, /does not respond: the certificate is not/);
    assert.deepEqual([gone.code, /^regfeed healthcheck: https:.*connection refused/.test(gone.stderr)], [
      1,
      true,
    ]);
  }));

Deno.test("check and serve warn of a key and a config that others can read", () =>
  withFolder(async (folder) => {
    await makeSelfSigned(folder, "live", "feed.example.org");
    await writeConfig(folder, `${CONFIG}[metrics]\nlisten = "127.0.0.1:0"\ntoken = "${"k".repeat(32)}"\n`);
    const config = join(folder, "regfeed.toml");
    await Deno.chmod(config, 0o644);
    await Deno.chmod(join(folder, "live.key"), 0o644);
    const checked = await regfeed(folder, "check");
    assert.equal(checked.code, 0, checked.stderr);
    const server = await serve(folder);
    const { log } = await server.end("SIGTERM");
    for (const said of [checked.stderr, log]) {
      assert.match(said, /live\.key has mode 644: others can read it: chmod 640/);
      assert.match(said, /has mode 644: others can read metrics\.token: chmod 6[04]0/);
    }
    await Deno.chmod(config, 0o600);
    await Deno.chmod(join(folder, "live.key"), 0o600);
    assert.doesNotMatch((await regfeed(folder, "check")).stderr, /others can read/);
  }));

Deno.test("doctor reports expiring certificates, certificates for other names, and readable keys", () =>
  withFolder(async (folder) => {
    await makeAuthority(folder);
    const pair = await readPair(await makeCertificate(folder, "one", 30));
    const dayMs = 86_400_000;
    const nowMs = Date.now();
    const check = (inDays: number, host = "localhost") =>
      checkCertificate(pair, host, nowMs + inDays * dayMs);
    const seen = (inDays: number, host?: string) => check(inDays, host)[0] ?? assert.fail();
    assert.equal(seen(1).level, "good");
    assert.deepEqual([seen(17).level, /less than 14 days/.test(seen(17).seen)], ["warning", true]);
    assert.deepEqual([seen(31).level, /expired on/.test(seen(31).seen)], ["problem", true]);
    assert.match(seen(-2).seen, /not valid yet/);
    assert.match(seen(1, "feed.example.org").seen, /is not valid for feed\.example\.org/);
    // One fault does not hide the others.
    for (
      const [inDays, when] of [[17, /less than 14 days/], [31, /expired on/], [-2, /not valid yet/]] as const
    ) {
      const [first, second, ...more] = check(inDays, "feed.example.org");
      assert.match(first?.seen ?? "", when);
      assert.match(second?.seen ?? "", /is not valid for feed\.example\.org/);
      assert.deepEqual(more, []);
    }
    const [broken] = checkCertificate({ cert: "x", key: pair.key }, "localhost", nowMs);
    assert.equal(broken?.level, "problem");
    const key = (mode: number) =>
      checkKeyFile("k", {
        isFolder: false,
        mode,
        isRoots: false,
        mayRead: true,
        mayWrite: true,
        isReadOnly: false,
      }).level;
    assert.deepEqual([0o600, 0o640, 0o400, 0o644, 0o660, 0o604].map(key), [
      ...["good", "good", "good"],
      ...["problem", "problem", "problem"],
    ]);
  }));
