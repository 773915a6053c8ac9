// Paths to which a redirect may lead.
import assert from "node:assert/strict";
import { localPath } from "../../src/web/session/local_path.ts";

Deno.test("localPath() accepts paths of this service and nothing else", () => {
  for (const path of ["/", "/console?q=a%20b&x=//y", "/docs#errors", "/console/events/evt_1"]) {
    assert.equal(localPath(path), path);
  }
  const others = [
    "",
    null,
    "console",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https:evil.example",
    "https://evil.example",
    "/\t/evil.example",
    "/..//evil.example",
    "/.//evil.example",
    "javascript:alert(1)",
    " /console",
    "/a b",
    "/\ud800",
  ];
  for (const path of others) assert.equal(localPath(path, "/x"), "/x", String(path));
  assert.equal(localPath("/%2F/evil.example"), "/%2F/evil.example", "which browsers do not decode");
});
