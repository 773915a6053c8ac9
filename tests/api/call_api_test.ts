// The API within the process, as the console uses it.
import assert from "node:assert/strict";
import * as z from "zod";
import { createCallApi } from "../../src/api/call_api.ts";
import { createIdempotency } from "../../src/api/idempotency.ts";
import { nextLink, responseBody } from "../../src/api/response_body.ts";
import { keyRoute, publicRoute } from "../../src/api/route.ts";
import { AppError } from "../../src/domain/error_codes.ts";
import { listParameter } from "../../src/http/parameters.ts";
import { withWorld } from "../support/world.ts";

const common = {
  operationId: "",
  tag: "Events" as const,
  summary: "",
  description: "",
  response: z.unknown(),
  status: 200,
};

Deno.test("callApi() validates, acts and fails as the API does, as the given customer and without counting", () =>
  withWorld("", async ({ addCustomer, store, platform: { clock }, newId }) => {
    const { customer } = await addCustomer();
    const routes = [
      publicRoute({
        ...common,
        method: "GET",
        path: "/v1/things",
        query: z.strictObject({ topics: listParameter("").optional(), q: z.string().optional() }),
        handle: ({ query, address }) =>
          Promise.resolve({
            ...responseBody(200, query),
            headers: { link: nextLink(`http://x.example${address}`, { after: "a&b" }) },
          }),
      }),
      keyRoute({
        ...common,
        method: "POST",
        path: "/v1/things/{id}",
        body: z.strictObject({ name: z.string().max(3) }),
        handle: ({ params, body, customer: { id }, allowance }) =>
          Promise.resolve(responseBody(201, { ...params, ...body, id, left: allowance.remaining })),
      }),
    ];
    const call = createCallApi({
      routes,
      newId,
      idempotency: createIdempotency({ store, clock }),
      allowanceOf: () => Promise.resolve({ limit: 10, remaining: 7, resetMs: 0 }),
    });
    const listed = await call(customer, {
      method: "GET",
      path: "/v1/things",
      query: { topics: ["a", "b"], q: "x&y", absent: null },
    });
    assert.deepEqual(listed, {
      status: 200,
      json: { topics: ["a", "b"], q: "x&y" },
      next: { topics: "a,b", q: "x&y", after: "a&b" },
    });
    const made = await call(customer, { method: "POST", path: "/v1/things/7", body: { name: "abc" } });
    assert.deepEqual(made, { status: 201, json: { id: customer.id, name: "abc", left: 7 }, next: null });
    const rows: [request: Parameters<typeof call>[1], code: string, field?: string][] = [
      [{ method: "POST", path: "/v1/things/7", body: { name: "abcd" } }, "invalid_input", "name"],
      [{ method: "GET", path: "/v1/things", query: { unknown: 1 } }, "invalid_input", "unknown"],
      [{ method: "GET", path: "/v1/nothing" }, "not_found"],
      [{ method: "PATCH", path: "/v1/things/7" }, "not_found"],
    ];
    for (const [request, code, field] of rows) {
      await assert.rejects(call(customer, request), (error) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual([error.code, error.fields[0]?.field], [code, field]);
        return true;
      });
    }
  }));
