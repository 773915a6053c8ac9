// Checks responses against the OpenAPI description.
import assert from "node:assert/strict";
import { Ajv2020, type ValidateFunction } from "npm:ajv@8.20.0/dist/2020.js";
import { createApp } from "../../src/app.ts";
import { findAdditionProblems } from "../../src/classify/check_configured_rules.ts";
import { parseConfig } from "../../src/config/config.ts";
import { openStore } from "../../src/store/sqlite/store.ts";
import type { Header, Method, OpenApi, Reference, ResponseObject, Schema } from "../../src/wire/openapi.ts";
import { fakePlatform } from "./platform.ts";
import { testVault } from "./vault.ts";

export interface Exchange {
  method: string;
  url: string;
  status: number;
  headers: Headers;
  text: string;
}

/**
 * Headers that the description omits: OpenAPI ignores Content-Type, and the others mean the same on every HTTP
 * server.
 */
const TRANSPORT = /^(content-(type|length|encoding)|vary|x-content-type-options|access-control-[a-z-]+)$/;
const PROBLEM = "application/problem+json";
const ROOT = "https://regfeed.example/openapi.json";

export const description: () => Promise<OpenApi> = once(async () => {
  const store = openStore(":memory:", testVault);
  const config = await parseConfig('[payment]\nwebhook_secret = "whsec_described"', {
    file: "regfeed.toml",
    folder: "/described",
    readSecret: { file: () => Promise.reject(new Error("no files here")), env: () => undefined },
    findAdditionProblems,
  });
  const app = createApp({ config, platform: fakePlatform(0), store, version: "0.0.0-test" });
  const response = await app.fetch(new Request("http://regfeed.example/v1/openapi.json"));
  assert.equal(response.status, 200);
  const document = await response.json();
  await store.close();
  return document;
});

/** Validates values against schemas of the description. Additional fields are errors. */
export const validator: () => Promise<(schema: Schema, value: unknown) => string | null> = once(async () => {
  const { components } = await description();
  const formats = { uri: (text: string) => URL.canParse(text), date: /^\d{4}-\d\d-\d\d$/ };
  const ajv = new Ajv2020({ allErrors: true, strict: false, formats });
  ajv.addSchema({ $id: ROOT, components: closed(components) });
  const compiled = new Map<string, ValidateFunction>();
  return (schema, value) => {
    const text = JSON.stringify(closed(schema)).replaceAll('"$ref":"#', `"$ref":"${ROOT}#`);
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate(value) ? null : ajv.errorsText(validate.errors, { dataVar: "body" });
  };
});

/** Fails if the description does not contain this response, or if the response differs from it. */
export async function checkAnswer(exchange: Exchange): Promise<void> {
  const { method, url, status } = exchange;
  const document = await description();
  const what = `${method} ${url.slice(0, 200)} returned ${status}, and the description`;
  const response = responseOf(exchange, document, what);
  if (response === null) return;
  await checkHeaders(exchange, response, { document, what });
  await checkBody(exchange, response, { document, what });
}

/** Whether a response is a page; /docs is described. */
function isPage(headers: Headers): boolean {
  return headers.get("referrer-policy") !== null;
}

/** Returns the description of this response, or null for responses that need none. */
function responseOf(
  { method, url, status, headers }: Exchange,
  document: OpenApi,
  what: string,
): ResponseObject | null {
  const path = new URL(url).pathname;
  if (!path.startsWith("/v1/") && isPage(headers)) return null;
  const item = Object.entries(document.paths).find(([template]) => formOf(template).test(path))?.[1];
  if (item !== undefined && method === "OPTIONS" && status === 204) return null; // the preflight request of a browser
  const operation = item?.[(method === "HEAD" ? "get" : method.toLowerCase()) as Method];
  if (operation === undefined && status === 414) return null; // detected before routing
  // The path may be that of a page.
  const isUnknown = item === undefined && !(status === 405 && !path.startsWith("/v1/"));
  const other = isUnknown ? "404" : "405";
  const responses: Record<string, Reference | ResponseObject> = operation?.responses ??
    { [other]: document["x-other-responses"][other] };
  const response = responses[status];
  assert.ok(response !== undefined, `${what} documents only ${Object.keys(responses).join(", ")}`);
  return "$ref" in response ? find(response, document) as ResponseObject : response;
}

interface Place {
  document: OpenApi;
  /** The beginning of the error message. */
  what: string;
}

async function checkHeaders({ headers }: Exchange, response: ResponseObject, place: Place): Promise<void> {
  const { document, what } = place;
  const described = new Map(
    Object.entries(response.headers ?? {}).map(([name, header]) => [name.toLowerCase(), header]),
  );
  const isValid = await validator();
  assert.ok(headers.has("x-request-id"), `${what}: no X-Request-Id`);
  for (const [name, value] of headers) {
    if (TRANSPORT.test(name)) continue;
    const found = described.get(name);
    assert.ok(found !== undefined, `${what} does not document the header ${name}`);
    const { schema } = "$ref" in found ? find(found, document) as Header : found;
    const read = schema.type === "integer" && /^\d+$/.test(value) ? Number(value) : value;
    assert.equal(isValid(schema, read), null, `${what}: ${name}: ${value}`);
  }
}

async function checkBody(exchange: Exchange, response: ResponseObject, place: Place): Promise<void> {
  const { method, headers, text } = exchange;
  const { what } = place;
  if (response.content === undefined || method === "HEAD") {
    assert.equal(text, "", `${what} documents no body`);
    return;
  }
  const type = (headers.get("content-type") ?? "").split(";")[0] ?? "";
  const media = response.content[type];
  assert.ok(
    media !== undefined,
    `${what} documents only ${Object.keys(response.content).join(", ")}, not ${type}`,
  );
  const body: unknown = type.endsWith("json") ? JSON.parse(text) : text;
  const problem = (await validator())(media.schema, body);
  assert.equal(problem, null, `${what}: ${problem}\n${text.slice(0, 2_000)}`);
  if (type !== PROBLEM) return;
  const { code } = body as { code: string };
  const codes = Object.keys(media.examples ?? {});
  assert.ok(codes.includes(code), `${what} documents only ${codes.join(", ")}, not ${code}`);
}

function formOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(".", "\\.").replace(/\{\w+\}/g, "[^/]+")}$`);
}

function find({ $ref }: Reference, document: OpenApi): unknown {
  let found: unknown = document;
  for (const name of $ref.split("/").slice(1)) found = (found as Record<string, unknown>)[name];
  assert.ok(found !== undefined, `${$ref} does not exist`);
  return found;
}

/** Closes the object schemas: clients must accept additional fields, but the tests do not. */
function closed<T>(part: T): T {
  if (Array.isArray(part)) return part.map(closed) as T;
  if (typeof part !== "object" || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, value]) => [name, closed(value)]));
  const isClosable = copy["type"] === "object" && "properties" in copy && !("additionalProperties" in copy);
  return (isClosable ? { ...copy, additionalProperties: false } : copy) as T;
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => made ??= make();
}
