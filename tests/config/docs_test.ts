// The config examples in the guides are valid.
import assert from "node:assert/strict";
import { FETCH_STRATEGIES } from "../../src/domain/source/source.ts";
import { configOf } from "./given.ts";

const SECRETS = {
  "/run/secrets/stripe": "whsec_0123456789abcdef",
  "/run/secrets/oidc": "hush",
  "/run/secrets/smtp": "smtp://user:password@mail.example.org:587",
  "/etc/regfeed/metrics-token": "0123456789abcdef".repeat(2),
};

/** Returns the TOML blocks of a page, including those in lists. */
function examplesOf(text: string): string[] {
  return [...text.matchAll(/^( *)```toml\n([^]*?)^\1```$/gm)].map(([, indent = "", example = ""]) =>
    example.replaceAll(new RegExp(`^${indent}`, "gm"), "")
  );
}

Deno.test("every config example of the guides is valid", async () => {
  let count = 0;
  for (const folder of ["../../docs/run/", "../../docs/use/"]) {
    for await (const { name } of Deno.readDir(new URL(folder, import.meta.url))) {
      const text = await Deno.readTextFile(new URL(`${folder}${name}`, import.meta.url));
      for (const example of examplesOf(text)) {
        count++;
        await configOf(example, { files: SECRETS });
      }
    }
  }
  assert.ok(count > 15, `only ${count} examples`);
});

Deno.test("every example of docs/run/sources.md is a valid config, and every strategy has one", async () => {
  const text = await Deno.readTextFile(new URL("../../docs/run/sources.md", import.meta.url));
  const strategies = new Set<string>();
  for (const example of examplesOf(text)) {
    for (const { fetchStrategy } of (await configOf(example)).sources) strategies.add(fetchStrategy);
  }
  assert.deepEqual([...strategies].sort(), FETCH_STRATEGIES.toSorted());
});
