// The door: alive from the first moment, ready only when there is something behind it.
import assert from "node:assert/strict";
import { createDoor } from "../../src/api/door.ts";
import { createIds } from "../../src/domain/ids.ts";

function closedDoor() {
  return createDoor(createIds(() => 0, (count) => new Uint8Array(count)));
}

async function ask(door: ReturnType<typeof closedDoor>, path: string, method = "GET"): Promise<Response> {
  return await door.fetch(new Request(`http://regfeed.example${path}`, { method }), "127.0.0.1");
}

Deno.test("a closed door is alive and not ready, and tells everybody else when to come again", async () => {
  const door = closedDoor();
  assert.deepEqual(await (await ask(door, "/livez")).json(), { status: "alive" });
  const ready = await ask(door, "/readyz");
  assert.equal(ready.status, 503);
  assert.deepEqual(await ready.json(), { status: "starting" });
  const other = await ask(door, "/v1/events");
  assert.equal(other.status, 503);
  assert.equal(other.headers.get("retry-after"), "5");
  assert.equal(other.headers.get("content-type"), "application/problem+json; charset=utf-8");
  assert.equal((await other.json()).code, "unavailable");
});

Deno.test("an open door is ready and hands on everything but the two questions", async () => {
  const door = closedDoor();
  const seen: string[] = [];
  door.open({
    fetch(request, remoteAddress) {
      seen.push(`${request.method} ${new URL(request.url).pathname} ${remoteAddress}`);
      return Promise.resolve(new Response("behind"));
    },
    refuse: () => new Response("going", { status: 503 }),
  });
  assert.equal(await door.refuse(new Request("http://regfeed.example/livez")).text(), "going");
  assert.equal((await ask(door, "/readyz?verbose")).status, 200);
  assert.equal((await ask(door, "/livez")).status, 200);
  assert.equal(await (await ask(door, "/v1/health")).text(), "behind");
  assert.equal(await (await ask(door, "/livez/")).text(), "behind");
  assert.deepEqual(seen, ["GET /v1/health 127.0.0.1", "GET /livez/ 127.0.0.1"]);
});

Deno.test("the two questions take GET and HEAD alone, whether the door is open or closed", async () => {
  const door = closedDoor();
  const askBoth = async () => {
    for (const path of ["/livez", "/readyz"]) {
      for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
        const answer = await ask(door, path, method);
        assert.equal(answer.status, 405, `${method} ${path}`);
        assert.equal(answer.headers.get("allow"), "GET, HEAD");
        const { code, detail } = await answer.json();
        assert.deepEqual([code, detail], ["method_not_allowed", `${path} takes GET, HEAD, not ${method}.`]);
      }
      for (const method of ["GET", "HEAD"]) {
        const { headers } = await ask(door, path, method);
        assert.equal(headers.get("x-content-type-options"), "nosniff");
        assert.match(headers.get("x-request-id") ?? "", /^req_/);
      }
    }
  };
  await askBoth();
  door.open({ fetch: () => new Response("behind"), refuse: () => new Response("going") });
  await askBoth();
});
