// The User-Agent header includes the configured contact.
import assert from "node:assert/strict";
import { userAgentOf } from "../../src/config/config.ts";
import { configOf } from "./given.ts";

Deno.test("userAgentOf() includes the contact at the placeholder or as a comment", async () => {
  const rows: [lines: string, expected: string][] = [
    ["", "Regfeed/1 (+http://127.0.0.1:8080)"],
    ['contact = "a@b.example"', "Regfeed/1 (+http://127.0.0.1:8080; a@b.example)"],
    ['contact = "a@b.example"\nuser_agent = "Mine ({contact}) x"', "Mine (a@b.example) x"],
    ['user_agent = "Mine ({contact})"', "Mine (http://127.0.0.1:8080)"],
  ];
  for (const [lines, expected] of rows) {
    assert.equal(userAgentOf(await configOf(`[ingest]\n${lines}`), "1"), expected);
  }
});
