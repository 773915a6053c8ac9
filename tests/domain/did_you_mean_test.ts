// Which known word is suggested.
import assert from "node:assert/strict";
import { findNearest } from "../../src/domain/did_you_mean.ts";

Deno.test("findNearest() finds the word that was probably meant", () => {
  const known = ["listen", "public_url", "trusted_proxies", "warn", "id"];
  const rows: [string, string | null][] = [
    ["listen", "listen"],
    ["lisen", "listen"],
    ["lsiten", "listen"],
    ["Listen", "listen"],
    ["publicUrl", "public_url"],
    ["public-url", "public_url"],
    ["pubilc_ulr", "public_url"],
    ["trusted_proxy", "trusted_proxies"],
    ["trusted", "trusted_proxies"],
    ["warning", "warn"],
    ["ids", "id"],
    ["banana", null],
    ["", null],
  ];
  for (const [word, nearest] of rows) assert.equal(findNearest(word, known), nearest, word);
  assert.equal(findNearest("a", []), null);
});
