// The API description agrees with the routes, errors, examples and webhooks.
import assert from "node:assert/strict";
import { z } from "zod";
import { describeApi } from "../../src/api/openapi.ts";
import { sharedResponses } from "../../src/api/openapi/responses.ts";
import { responseBody } from "../../src/api/response_body.ts";
import { publicRoute, type Route } from "../../src/api/route.ts";
import { ERRORS } from "../../src/domain/error_codes.ts";
import type { MediaType, Operation, Parameter, ResponseObject, Schema } from "../../src/wire/openapi.ts";
import { guide } from "../support/guides.ts";
import { checkAnswer, description, validator } from "../support/openapi.ts";
import { boardConfig, PAYMENT_CONFIG } from "../support/samples.ts";
import type { World } from "../support/world.ts";
import { HOOK, publishFeed, subscribe, withHosts } from "./given.ts";

const withWorld = (work: (world: World) => Promise<void>) => withHosts(work, PAYMENT_CONFIG + boardConfig());

const operations = async (): Promise<[name: string, operation: Operation][]> =>
  Object.entries((await description()).paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation])
  );

const parameters = async (name: string): Promise<Record<string, Parameter>> => {
  const found = (await operations()).find(([given]) => given === name)?.[1].parameters ?? [];
  return Object.fromEntries(found.map((parameter) => [parameter.name, parameter]));
};

Deno.test("every documented path and method exists, and no other method does", () =>
  withWorld(async (world) => {
    const { paths } = await description();
    for (const [path, item] of Object.entries(paths)) {
      const filled = path.replace("{id}", "x");
      for (const method of ["GET", "POST", "PATCH", "DELETE", "PUT"]) {
        const reply = await world.ask(filled, { method });
        const isThere = method.toLowerCase() in item;
        assert.equal(reply.status !== 405, isThere, `${method} ${path}`);
        assert.notEqual(reply.json?.code, isThere ? "not_found" : "", `${method} ${path}`);
      }
    }
  }));

Deno.test("every operation has a unique id, a known tag, a summary and a description", async () => {
  const { tags } = await description();
  const names = new Set<string>();
  for (const [name, operation] of await operations()) {
    assert.ok(!names.has(operation.operationId), name);
    names.add(operation.operationId);
    for (const tag of operation.tags) assert.ok(tags.some((known) => known.name === tag), `${name}: ${tag}`);
    assert.ok(operation.summary !== "" && operation.description !== "", name);
    for (const parameter of operation.parameters ?? []) {
      assert.notEqual(parameter.description, parameter.name, `${name}: ${parameter.name} is not explained`);
    }
  }
});

Deno.test("query parameters are documented with the types of their values", async () => {
  const { limit, since, topics, latest, severity_min, event_type } = await parameters("get /v1/events");
  assert.deepEqual(limit?.schema, { default: 50, type: "integer", minimum: 1, maximum: 200 });
  assert.deepEqual(since?.schema.anyOf?.map(({ type }) => type), ["integer", "string"]);
  assert.deepEqual([topics?.schema.type, topics?.style, topics?.explode], ["array", "form", true]);
  assert.deepEqual([event_type?.schema.type, event_type?.explode], ["array", true]);
  assert.ok(event_type?.schema.items?.enum?.includes("guidance"));
  assert.equal(latest?.schema.type, "boolean");
  assert.equal(severity_min?.schema.$ref, "#/components/schemas/Severity");
  for (const parameter of Object.values(await parameters("get /v1/events"))) {
    assert.equal(parameter.required, false, parameter.name);
  }
  assert.equal((await parameters("get /v1/events/{id}"))["id"]?.required, true);
});

Deno.test("every search documents its limits, because a generated client shows only the description", async () => {
  const { q } = await parameters("get /v1/events");
  const { SubscriptionRequest, SubscriptionChange } = (await description()).components.schemas;
  const properties = [SubscriptionRequest, SubscriptionChange].map((schema) => schema?.properties?.["q"]);
  for (const text of [q?.description, ...properties.map((property) => property?.description)]) {
    assert.match(
      text ?? "",
      /At most 10 words, of which at most 3 with `\*`, each with at least 3 letters before it/,
    );
  }
});

Deno.test("operations that require a key document it, and their success responses document the quota and an example", async () => {
  const open = new Set([
    "/v1/sources",
    "/v1/topics",
    "/v1/event-types",
    "/v1/severities",
    "/v1/health",
    "/v1/openapi.json",
  ]);
  for (const [name, operation] of await operations()) {
    const path = name.split(" ")[1] ?? "";
    const isSigned = path === "/v1/webhooks/payment";
    const isOpen = isSigned || open.has(path);
    const expected = isSigned ? [{ paymentSignature: [] }] : isOpen ? [] : [{ key: [] }];
    assert.deepEqual(operation.security, expected, name);
    assert.equal("401" in operation.responses, !isOpen, name);
    assert.ok("429" in operation.responses, name);
    const success = operation.responses["200"] ?? operation.responses["201"] ?? operation.responses["202"];
    const { headers = {}, content = {} } = success as ResponseObject;
    const media = content["application/json"];
    assert.ok(path === "/v1/openapi.json" || media === undefined || media.example !== undefined, name);
    const sent = operation.requestBody?.content["application/json"];
    assert.ok(isSigned || sent === undefined || sent.example !== undefined, `${name}: no example of a body`);
    assert.equal("X-RateLimit-Reset" in headers, !isOpen, name);
    assert.ok("X-Request-Id" in headers, name);
  }
  const { responses, headers } = (await description()).components;
  assert.ok("Retry-After" in (responses["too_many_requests"]?.headers ?? {}));
  assert.ok("WWW-Authenticate" in (responses["unauthenticated"]?.headers ?? {}));
  assert.ok("ETag" in headers && "Link" in headers);
});

Deno.test("the response of every error with status 429 has Retry-After", () => {
  const responses = sharedResponses();
  for (const [code, { status }] of Object.entries(ERRORS)) {
    assert.equal("Retry-After" in (responses[code]?.headers ?? {}), status === 429, code);
  }
});

Deno.test("every error has an example and a row in the overview", async () => {
  const document = await description();
  const text = JSON.stringify([document.paths, document["x-other-responses"], document.components.responses]);
  const own = Object.values(document["x-other-responses"]).flatMap(({ content = {} }) =>
    Object.entries(content["application/problem+json"]?.examples ?? {})
  );
  const examples = new Map([...Object.entries(document.components.examples), ...own]);
  for (const [code, { status, title }] of Object.entries(ERRORS)) {
    const example = examples.get(code);
    assert.ok(example !== undefined && "value" in example, `${code} has no example`);
    const value = example.value as Record<string, unknown>;
    assert.deepEqual([value["code"], value["status"], value["title"]], [code, status, title]);
    assert.ok(text.includes(`"${code}"`) || text.includes(`examples/${code}"`), `no operation has ${code}`);
    assert.ok(document.info.description.includes(`| \`${code}\` | ${status} |`), `overview: ${code}`);
  }
});

Deno.test("the guide to errors has the table of the overview", async () => {
  const rowsOf = (text: string) =>
    text.split("\n").map((line) => line.replace(/ +/g, " ").trim()).filter((line) =>
      /^\| `\w+` \| \d{3} /.test(line)
    );
  const overview = rowsOf((await description()).info.description);
  assert.equal(overview.length, Object.keys(ERRORS).length);
  assert.deepEqual(rowsOf(guide("errors.md")), overview);
});

Deno.test("every example matches its schema", async () => {
  const document = await description();
  const isValid = await validator();
  let count = 0;
  const check = (schema: Schema, value: unknown, where: string) => {
    assert.equal(isValid(schema, value), null, where);
    count++;
  };
  const checkMedia = ({ schema, example, examples = {} }: MediaType, where: string) => {
    if (example !== undefined) check(schema, example, where);
    for (const [name, given] of Object.entries(examples)) {
      const found = "$ref" in given ? document.components.examples[name] : given;
      check(schema, found?.value, `${where} ${name}`);
    }
  };
  // Examples in schemas: of fields, parameters and headers.
  const walk = (part: unknown, where: string): void => {
    if (typeof part !== "object" || part === null) return;
    const { examples, ...schema } = part as Schema;
    for (const example of Array.isArray(examples) ? examples : []) check(schema, example, where);
    if ("schema" in part && ("example" in part || "examples" in part)) checkMedia(part as MediaType, where);
    for (const [name, inner] of Object.entries(part)) {
      if (!["example", "examples"].includes(name)) walk(inner, `${where}/${name}`);
    }
  };
  walk(document, "#");
  assert.ok(count > 60, `only ${count} examples were found`);
});

Deno.test("webhooks are documented with their headers, and sent as documented", () =>
  withWorld(async (world) => {
    const { key } = await world.addCustomer();
    const operation = (await description()).webhooks["delivery"]?.post;
    const names = operation?.parameters?.map(({ name }) => name);
    assert.deepEqual(names, [
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
      "X-Regfeed-Subscription",
    ]);
    world.platform.http.serve("https://hooks.example.org", () => ({ status: 204 }));
    const { subscription } = (await subscribe(world, key, { webhook_url: HOOK })).json;
    await world.ask(`/v1/subscriptions/${subscription.id}/test`, { method: "POST", key });
    publishFeed(world, { id: "1", title: "Guidelines on the AI Act, draft" });
    await world.app.tick();
    publishFeed(world, { id: "1", title: "Guidelines on the AI Act" });
    await world.platform.clock.advance(3_600_000);
    await world.app.tick();

    const isValid = await validator();
    const sent = world.platform.http.requests.filter(({ method }) => method === "POST");
    const schema = operation?.requestBody?.content["application/json"]?.schema ?? {};
    const types = sent.map(({ body = "", headers }) => {
      const payload = JSON.parse(body);
      assert.equal(isValid(schema, payload), null);
      for (const parameter of operation?.parameters ?? []) {
        assert.equal(isValid(parameter.schema, headers[parameter.name.toLowerCase()]), null, parameter.name);
      }
      assert.equal(headers["x-regfeed-subscription"], subscription.id);
      return payload.type;
    });
    assert.deepEqual(types, ["event.test", "event.published", "event.revised"]);
  }));

Deno.test("GET /v1/openapi.json contains the public URL and has a stable ETag", () =>
  withWorld(async (world) => {
    const first = await world.ask("/v1/openapi.json");
    assert.equal(first.headers.get("content-type"), "application/json; charset=utf-8");
    assert.equal(first.json.servers[0].url, world.config.server.publicUrl);
    assert.equal(first.json.info.version, "0.0.0-test");
    const again = await world.ask("/v1/openapi.json", {
      headers: { "if-none-match": first.headers.get("etag") ?? "" },
    });
    assert.equal(again.status, 304);
  }));

Deno.test("describeApi() refuses different schemas with the same name", () => {
  const route = (path: string, schema: z.ZodType): Route =>
    publicRoute({
      method: "GET",
      path,
      operationId: `get${path.slice(1)}`,
      tag: "Service",
      summary: "A route",
      description: "For this test.",
      response: schema,
      status: 200,
      handle: () => Promise.resolve(responseBody(200, {})),
    });
  const routes = [
    route("/a", z.object({ a: z.string() }).meta({ id: "SameName" })),
    route("/b", z.object({ b: z.string() })),
  ];
  const options = { version: "1.0.0", publicUrl: "https://feed.example.org" };
  assert.equal(describeApi(routes, options).paths["/a"]?.get?.operationId, "geta");
  const events = route("/c", z.object({ c: z.string() }).meta({ id: "Problem" }));
  assert.throws(() => describeApi([...routes, events], options), /Problem/);
});

Deno.test("checkAnswer() accepts documented responses only", async () => {
  const headers = { "content-type": "application/json", "x-request-id": "req_1" };
  const url = "http://regfeed.example/v1/topics?x=1";
  const text = '{"topics":[],"disclaimer":"Not legal advice"}';
  const check = ({ headers: own = {}, ...change }: Record<string, unknown> & { headers?: HeadersInit }) => {
    const all = new Headers({ ...headers, ...own });
    return checkAnswer({ method: "GET", url, status: 200, text, ...change, headers: all });
  };
  await check({});
  const rows: [change: Parameters<typeof check>[0], message: RegExp][] = [
    [{ status: 202 }, /documents only 200/],
    [{ text: '{"topics":[],"disclaimer":"","more":1}' }, /additional/],
    [{ text: '{"topics":[]}' }, /disclaimer/],
    [{ headers: { "content-type": "text/html" } }, /not text\/html/],
    [{ headers: { "x-secret": "1" } }, /header x-secret/],
    [{ url: "http://regfeed.example/v1/x" }, /documents only 404/],
    [{ method: "HEAD" }, /no body/],
  ];
  for (const [change, message] of rows) await assert.rejects(check(change), message, JSON.stringify(change));
});
