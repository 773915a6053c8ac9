// When a renewed certificate is used, and what is logged.
import assert from "node:assert/strict";
import { watchCertificate } from "../../src/server/certificate_watch.ts";
import type { CertificatePair } from "../../src/platform/tls/certificate.ts";
import { makeAuthority, makeCertificate, readPair } from "../support/peers/certificates.ts";
import { withFolder } from "../support/process.ts";

const DAY_MS = 86_400_000;

/** Returns the pairs that are used and the log, in order. `looks` contains what the files contain at each check. */
async function watch(
  looks: readonly (CertificatePair | "unreadable")[],
  nowMs: number,
  { mode = 0o600, dayALook = false }: { mode?: number; dayALook?: boolean } = {},
): Promise<string[]> {
  const ending = new AbortController();
  const seen: string[] = [];
  let look = -1;
  const read = (path: string): Promise<string> => {
    const found = looks[look] ?? assert.fail();
    if (found === "unreadable") return Promise.reject(new Error(`cannot read ${path}: permission denied`));
    return Promise.resolve(path === "cert" ? found.cert : found.key);
  };
  const log = (level: string) => (text: string, fields: Record<string, unknown> = {}) =>
    void seen.push([level, text, fields.cause ?? ""].join("|"));
  await watchCertificate({
    files: { readText: read },
    clock: {
      nowMs: () => nowMs + (dayALook ? look * DAY_MS : 0),
      sleep: () => {
        if (++look === looks.length) ending.abort();
        return Promise.resolve();
      },
    },
    log: { debug: log("debug"), info: log("info"), warn: log("warn"), error: log("error") },
    paths: { cert: "cert", key: "key" },
    inUse: { cert: "before", key: "before" },
    machine: {
      rightsOf: () => ({
        mode,
        isRoots: false,
        mayRead: true,
        mayWrite: true,
        isReadOnly: false,
        isFolder: false,
      }),
    },
    renew: (pair) => Promise.resolve(void seen.push(`renewed ${pair.cert.length > 0}`)),
  }, ending.signal);
  return seen;
}

Deno.test("a new pair is used after two identical reads, and an unusable one is logged once", () =>
  withFolder(async (folder) => {
    await makeAuthority(folder);
    const one = await readPair(await makeCertificate(folder, "one", 5));
    const two = await readPair(await makeCertificate(folder, "two", 90));
    const nowMs = Date.now();
    const used = ["renewed true", "info|new certificate in use|"];
    const refused = "error|new certificate not used; the old one stays in use|";
    assert.deepEqual(await watch([one], nowMs), [], "the file may be incomplete");
    assert.deepEqual(await watch([one, one, one], nowMs), used);
    assert.deepEqual(await watch([one, two, two, one, one], nowMs), [...used, ...used]);
    const wrong = { cert: one.cert, key: two.key };
    assert.deepEqual(await watch([wrong, wrong, wrong, two, two], nowMs), [
      `${refused}the certificate and the key do not match`,
      ...used,
    ]);
    assert.deepEqual(await watch(["unreadable", "unreadable", "unreadable"], nowMs), [
      `${refused}cannot read cert: permission denied`,
    ]);
    const [said = "", ...more] = await watch([one, one, one, two, two], nowMs + 10 * DAY_MS);
    assert.match(said, /not used; the old one stays in use\|it expired at 2\d{3}-\d\d-\d\dT/);
    assert.deepEqual(more, used);
  }));

Deno.test("a pair that is not valid yet is logged once, and used once it is valid", () =>
  withFolder(async (folder) => {
    await makeAuthority(folder);
    const one = await readPair(await makeCertificate(folder, "one", 90));
    const threeDaysAgo = Date.now() - 3 * DAY_MS;
    const waits =
      /^error\|new certificate not used; the old one stays in use\|it is not valid before 2\d{3}-/;
    const used = ["renewed true", "info|new certificate in use|"];
    const [said = "", ...more] = await watch(Array(4).fill(one), threeDaysAgo);
    assert.match(said, waits);
    assert.deepEqual(more, []);
    const [first = "", ...then] = await watch(Array(6).fill(one), threeDaysAgo, { dayALook: true });
    assert.match(first, waits);
    assert.deepEqual(then, used);
  }));

Deno.test("a new pair whose key others can read is used with a warning", () =>
  withFolder(async (folder) => {
    await makeAuthority(folder);
    const one = await readPair(await makeCertificate(folder, "one", 90));
    assert.deepEqual(await watch([one, one, one], Date.now(), { mode: 0o644 }), [
      "renewed true",
      "info|new certificate in use|",
      "warn|key has mode 644: others can read it: chmod 640 key|",
    ]);
  }));
