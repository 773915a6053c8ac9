// Where methods and paths lead: the table of destinations.
import assert from "node:assert/strict";
import { z } from "zod";
import { responseBody } from "../../src/api/http/response_body.ts";
import { createRouter } from "../../src/api/router.ts";
import { keyRoute, publicRoute, type Route } from "../../src/api/route.ts";

const row = (method: Route["method"], path: string) => ({
  method,
  path,
  operationId: `${method} ${path}`,
  tag: "Events" as const,
  summary: "",
  description: "",
  response: z.unknown(),
  status: 200,
  handle: () => Promise.resolve(responseBody(200, {})),
});

const ROUTES: Route[] = [
  publicRoute(row("GET", "/v1/topics")),
  keyRoute(row("GET", "/v1/things")),
  keyRoute(row("POST", "/v1/things")),
  keyRoute(row("GET", "/v1/things/{id}")),
  keyRoute(row("GET", "/v1/things/{id}/parts/{part}")),
  publicRoute(row("GET", "/v1/openapi.json")),
  publicRoute(row("POST", "/v1/mixed")),
  keyRoute(row("GET", "/v1/mixed")),
];

Deno.test("createRouter() leads a method and a path to their route, with what stands for the parameters", () => {
  const find = createRouter(ROUTES);
  const rows: [method: string, path: string, route: string, params: Record<string, string>][] = [
    ["GET", "/v1/topics", "GET /v1/topics", {}],
    ["HEAD", "/v1/topics", "GET /v1/topics", {}],
    ["POST", "/v1/things", "POST /v1/things", {}],
    ["GET", "/v1/things/a", "GET /v1/things/{id}", { id: "a" }],
    ["GET", "/v1/things/a/parts/b", "GET /v1/things/{id}/parts/{part}", { id: "a", part: "b" }],
    ["GET", "/v1/%74opics", "GET /v1/topics", {}], // an escape of a plain letter is that letter
    ["GET", "/v1/things/%C3%A4%20b", "GET /v1/things/{id}", { id: "ä b" }],
    ["GET", "/v1/things/a%2Fb", "GET /v1/things/{id}", { id: "a/b" }],
    ["GET", "/v1/things/100%25", "GET /v1/things/{id}", { id: "100%" }],
    ["GET", "/v1/things/%2541", "GET /v1/things/{id}", { id: "%41" }], // decoded once, not twice
    ["GET", "/v1/things/%FF", "GET /v1/things/{id}", { id: "%FF" }],
    ["GET", "/v1/things/%", "GET /v1/things/{id}", { id: "%" }],
    ["GET", "/v1/things/__proto__", "GET /v1/things/{id}", { id: "__proto__" }],
  ];
  for (const [method, path, route, params] of rows) {
    const found = find(method, path);
    assert.ok(found.kind === "route", path);
    assert.deepEqual([found.route.operationId, found.params], [route, params], path);
  }
});

Deno.test("createRouter() leads a request where it belongs wherever the one before it went", () => {
  const routes = [
    ...ROUTES,
    ...["/v1/words/{id}", "/v1/words/known", "/v1/words/known/{id}", "/v1/words/{id}/parts"].map((path) =>
      keyRoute(row("GET", path))
    ),
  ];
  const paths = [
    "/v1/things",
    "/v1/things/",
    "/v1/things/a",
    "/v1/things/b%2Fc",
    "/v1/things/b%2",
    "/v1/%74hings/a",
    "/v1/things/a/",
    "/v1/things/a/parts/b",
    "/v1/things/a/parts",
    "/v1/thingsa",
    "/v1/words/known",
    "/v1/words/known/",
    "/v1/words/known/a",
    "/v1/words/a",
    "/v1/words/a/parts",
    "/v1/words/known/parts",
    "v1/things/a",
    "",
  ];
  const find = createRouter(routes);
  for (const before of paths) {
    for (const path of paths) {
      for (const method of ["GET", "HEAD", "PUT"]) {
        find("GET", before);
        assert.deepEqual(
          find(method, path),
          createRouter(routes)(method, path),
          `${method} ${path} after ${before}`,
        );
      }
    }
  }
});

Deno.test("createRouter() tells a path that takes other methods from one that is nowhere", () => {
  const find = createRouter(ROUTES);
  const rows: [method: string, path: string, allow: string | null, isPublic?: boolean][] = [
    ["PUT", "/v1/things", "GET, HEAD, POST", false],
    ["DELETE", "/v1/topics", "GET, HEAD", true],
    ["get", "/v1/topics", "GET, HEAD", true], // methods are case-sensitive (RFC 9110, 9.1)
    ["constructor", "/v1/topics", "GET, HEAD", true],
    ["HEAD", "/v1/mixed", null],
    ["DELETE", "/v1/mixed", "GET, HEAD, POST", false],
    ["GET", "/v1/topics/", null],
    ["GET", "//v1/topics", null],
    ["GET", "/v1/things/", null],
    ["GET", "/v1/things/a/", null],
    ["GET", "/v1/things/a/b", null],
    ["GET", "/v1/openapixjson", null],
    ["GET", "/__proto__", null],
    ["GET", "/constructor", null],
    ["GET", "", null],
  ];
  for (const [method, path, allow, isPublic] of rows) {
    const found = find(method, path);
    if (path === "/v1/mixed" && allow === null) assert.equal(found.kind, "route");
    else if (allow === null) assert.equal(found.kind, "nowhere", path);
    else {
      const { route: _, ...told } = { route: null, ...found };
      assert.deepEqual(told, { kind: "other_method", path, allow, isPublic }, `${method} ${path}`);
    }
  }
});
