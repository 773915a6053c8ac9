// What a release reports about targets that it could not build, and which licences it contains.
import assert from "node:assert/strict";
import { collectLicences, statedLicence } from "../../../tools/build/licences.ts";
import { assertFails, withFolder } from "../../support/process.ts";
import { whyLeftOut } from "../../../tools/build/left_out.ts";

const NO_BASE = `error: Writing deno compile executable to temporary file '/tmp/x'

Caused by:
    0: Setting up base binary.
    1: error sending request for url (https://dl.deno.land/release/v2.9.6/denort-aarch64-apple-darwin.zip): client error (Connect)
    2: dns error

Stack backtrace:
   0: <unknown>
`;

Deno.test("whyLeftOut() names the failure and where to put a runtime base", () => {
  const why = whyLeftOut(NO_BASE);
  assert.match(
    why,
    /fetch https:\/\/dl\.deno\.land\/release\/v2\.9\.6\/denort-aarch64-apple-darwin\.zip on a machine/,
  );
  assert.match(
    why,
    /at dl\/release\/v2\.9\.6\/denort-aarch64-apple-darwin\.zip in the folder that `deno info`/,
  );
  const cases: [string, string][] = [
    [
      "error: No such file\n\nCaused by:\n    0: first\n    1: second\n\nStack backtrace:\n   0: <unknown>\n",
      "No such file: first: second",
    ],
    ["dpkg-deb: one\ndpkg-deb: error: two\n", "dpkg-deb: error: two"],
    ["dpkg-deb is not installed", "dpkg-deb is not installed"],
    ["", "it failed silently"],
  ];
  for (const [said, wanted] of cases) assert.equal(whyLeftOut(said), wanted);
});

Deno.test("a package without a licence text is listed with its stated licence", () => {
  const cases: [string, string][] = [
    ['{"license": "ISC", "author": "Ana <ana@example.org>"}', "Licence: ISC; author: Ana <ana@example.org>"],
    ['{"license": "MIT", "author": {"name": "Ana"}}', "Licence: MIT; author: Ana"],
    ['{"license": "MIT"}', "Licence: MIT"],
    ["{}", "Licence: not stated"],
  ];
  for (const [manifest, wanted] of cases) assert.equal(statedLicence(manifest), wanted);
});

Deno.test("the licences include those of Regfeed, the runtime and every locked package", async () => {
  const text = await collectLicences();
  const [own = "", deno = "", ...packages] = text.split(`\n${"-".repeat(80)}\n`);
  assert.match(own, /^MIT License\n\nCopyright \(c\) \d+ the Regfeed authors\n/);
  assert.match(deno, /^deno \d+\.\d+\.\d+\n\n[^]*MIT/);
  const lock = JSON.parse(await Deno.readTextFile(new URL("../../../executable.lock", import.meta.url)));
  const names = Object.keys(lock.npm).map((key) => key.replace(/(?<=.)_.*/, "").replace(/(?<=.)@/, " "))
    .sort();
  assert.deepEqual(packages.map((part) => part.slice(0, part.indexOf("\n"))).sort(), names);
  for (const part of packages) assert.match(part, /licen[cs]e|permission|permitted/i, part.slice(0, 200));
  for (const name of names) assert.ok(own.includes(`  ${name}\n`), name);
});

Deno.test("version --licences, run from source, says where the licences are", () =>
  withFolder(async (folder) => {
    await assertFails(folder, "version --licences", 1, /only the executable contains the licences/);
    await assertFails(folder, "version --licences --json", 2, /either --licences or --json/);
  }));
