// Which route handles a method and a path.
import assert from "node:assert/strict";
import { z } from "zod";
import { responseBody } from "../../src/api/response_body.ts";
import { createRouter } from "../../src/http/router.ts";
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
  keyRoute(row("GET", "/v1/things/known")),
  publicRoute(row("GET", "/v1/openapi.json")),
  publicRoute(row("POST", "/v1/mixed")),
  keyRoute(row("GET", "/v1/mixed")),
];

Deno.test("createRouter() finds the route of a method and a path, with its parameters", () => {
  const find = createRouter(ROUTES);
  const rows: [method: string, path: string, route: string, params: Record<string, string>][] = [
    ["GET", "/v1/topics", "GET /v1/topics", {}],
    ["HEAD", "/v1/topics", "GET /v1/topics", {}],
    ["POST", "/v1/things", "POST /v1/things", {}],
    ["GET", "/v1/things/a", "GET /v1/things/{id}", { id: "a" }],
    ["GET", "/v1/things/known", "GET /v1/things/known", {}],
    ["GET", "/v1/things/a/parts/b", "GET /v1/things/{id}/parts/{part}", { id: "a", part: "b" }],
    ["GET", "/v1/%74opics", "GET /v1/topics", {}], // an escaped letter matches the letter
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

Deno.test("createRouter() distinguishes paths with other methods from unknown paths", () => {
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
