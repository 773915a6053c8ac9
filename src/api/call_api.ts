// Runs a route of the API within the process, as a customer who is signed in to the console.
import type { Customer } from "../domain/customer/customer.ts";
import { AppError } from "../domain/error_codes.ts";
import type { RequestAllowance } from "../domain/customer/remaining_requests.ts";
import type { NewId } from "../domain/event/ids.ts";
import type { ApiRequestOptions, CallApi } from "../http/api_call.ts";
import { createRouter } from "../http/router.ts";
import type { Idempotency, Repetition } from "./idempotency.ts";
import type { ResponseBody } from "./response_body.ts";
import { checkInput } from "./request_input.ts";
import type { KeyCall, Route } from "./route.ts";

export function createCallApi(
  { routes, newId, idempotency, allowanceOf }: {
    routes: readonly Route[];
    newId: NewId;
    idempotency: Idempotency;
    /** Returns the customer's daily quota without counting a request. */
    allowanceOf(customer: Customer): Promise<Pick<RequestAllowance, "limit" | "remaining" | "resetMs">>;
  },
): CallApi {
  const find = createRouter(routes);
  return async (customer, { method, path, query = {}, body, idempotencyKey }) => {
    const destination = find(method, path);
    if (destination.kind !== "route") throw new AppError("not_found", `${method} ${path} does not exist.`);
    const { route, params } = destination;
    if (route.access === "signature") throw new AppError("not_found", `${path} requires a signature.`);
    const address = path + queryOf(query);
    const bytes = body === undefined ? new Uint8Array() : new TextEncoder().encode(JSON.stringify(body));
    const headers = new Headers(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey });
    const act = async (repetition: Repetition | null): Promise<ResponseBody> => {
      const input = await checkInput(route, address, bytes);
      const allowance = await allowanceOf(customer);
      const call = { params, address, headers, requestId: newId("request"), customer, allowance, repetition };
      return await route.handle({ ...call, ...input } as KeyCall);
    };
    const { status, json, headers: answered = {} } = route.repeatable === undefined
      ? await act(null)
      : await idempotency
        .run({ customerId: customer.id, headers, address, body: bytes, status: route.status }, act);
    return { status, json: json === "" ? null : JSON.parse(json), next: nextOf(answered["link"]) };
  };
}

function queryOf(query: NonNullable<ApiRequestOptions["query"]>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === null || value === undefined) continue;
    parameters.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}

function nextOf(link: string | undefined): Record<string, string> | null {
  const [, href] = /^<([^>]*)>; rel="next"$/.exec(link ?? "") ?? [];
  return href === undefined ? null : Object.fromEntries(new URL(href).searchParams);
}
