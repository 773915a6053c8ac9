// /livez and /readyz, which supervisors and load balancers request.
import assert from "node:assert/strict";
import { createWorld } from "../support/world.ts";

Deno.test("/livez and /readyz respond with 200 without a key, to GET and HEAD only", async () => {
  await using world = await createWorld();
  const ask = async (path: string, method = "GET") =>
    await world.app.fetch(new Request(`http://regfeed.example${path}`, { method }), "127.0.0.1");
  for (const [path, status] of [["/livez", "alive"], ["/readyz?verbose", "ready"]] as const) {
    const response = await ask(path);
    assert.deepEqual([response.status, await response.json()], [200, { status }]);
    assert.equal(response.headers.get("x-content-type-options"), "nosniff");
    assert.match(response.headers.get("x-request-id") ?? "", /^req_/);
    assert.equal((await ask(path, "HEAD")).status, 200);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      const refused = await ask(path, method);
      assert.deepEqual([refused.status, refused.headers.get("allow")], [405, "GET, HEAD"]);
      assert.equal((await refused.json()).code, "method_not_allowed");
    }
  }
  assert.equal((await ask("/livez/")).status, 404);
});
