// Each operation returns the errors that its description lists and that any request can cause. World.ask() compares
// every response with the description.
import assert from "node:assert/strict";
import type { ErrorCode } from "../../src/domain/error_codes.ts";
import { description } from "../support/openapi.ts";
import { boardConfig } from "../support/samples.ts";
import { withWorld } from "../support/world.ts";

const CONFIG = `[tiers.indie]\napi_requests_per_day = 1\n${boardConfig()}`;

interface Wrong {
  code: ErrorCode;
  /** Whether an operation can return the error. */
  applies(operation: { method: string; path: string; hasKey: boolean; hasBody: boolean }): boolean;
  key?: "none" | "ended" | "used up";
  query?: string;
  headers?: Record<string, string>;
  body?: string;
}

const WRONGS: readonly Wrong[] = [
  { code: "unauthenticated", applies: ({ hasKey }) => hasKey, key: "none" },
  { code: "access_ended", applies: ({ hasKey }) => hasKey, key: "ended" },
  { code: "quota_exceeded", applies: ({ hasKey }) => hasKey, key: "used up" },
  { code: "invalid_input", applies: () => true, query: "?unknown=1" },
  { code: "uri_too_long", applies: () => true, query: `?unknown=${"x".repeat(10_000)}` },
  {
    code: "precondition_failed",
    applies: ({ method, hasKey }) => hasKey && method !== "GET",
    headers: { "if-match": '"x"' },
  },
  {
    code: "unsupported_media_type",
    applies: ({ hasBody }) => hasBody,
    headers: { "content-type": "text/plain" },
    body: "x",
  },
  { code: "body_too_large", applies: ({ hasBody }) => hasBody, body: `"${"x".repeat(70_000)}"` },
  { code: "not_found", applies: ({ hasKey, path }) => hasKey && path.includes("{id}") },
];

Deno.test("each operation returns the errors that any request can cause, as documented", () =>
  withWorld(CONFIG, async (world) => {
    const ended = await world.addCustomer({ enabled: false, email: "ended@example.org" });
    const usedUp = await world.addCustomer({ tier: "indie", email: "used@example.org" });
    await world.ask("/v1/events", { key: usedUp.key });
    const { key } = await world.addCustomer();
    const keys = { ended: ended.key, "used up": usedUp.key };
    const { paths } = await description();
    let count = 0;
    for (const [template, item] of Object.entries(paths)) {
      if (template === "/v1/webhooks/payment") continue;
      for (const [name, operation] of Object.entries(item)) {
        const method = name.toUpperCase();
        const hasKey = operation.security?.length !== 0;
        const hasBody = operation.requestBody !== undefined;
        const path = template.replace("{id}", "unknown");
        for (const { code, applies, key: state, query = "", headers = {}, body } of WRONGS) {
          if (!applies({ method, path: template, hasKey, hasBody })) continue;
          const own = state === undefined ? key : state === "none" ? undefined : keys[state];
          const sent = body ?? (hasBody ? sampleOf(template, method) : undefined);
          const reply = await world.ask(path + query, {
            method,
            headers,
            ...(own === undefined ? {} : { key: own }),
            ...(sent === undefined ? {} : { body: sent }),
          });
          assert.equal(reply.json?.code, code, `${method} ${path} ${reply.text.slice(0, 300)}`);
          count++;
        }
      }
    }
    assert.ok(count > 120, `only ${count} requests were sent`);
  }));

/** Returns a valid body. */
function sampleOf(template: string, method: string): string {
  if (template.endsWith("/replay")) return '{"since":0}';
  if (method === "PATCH") return '{"language":"de"}';
  return template.endsWith("/test") ? "{}" : '{"webhook_url":"https://hooks.example.org/ai"}';
}
