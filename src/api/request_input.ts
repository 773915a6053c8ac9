// Validates the query and the body of a request against the schemas of its route.
import { checkBody, NO_INPUT, readQuery } from "../http/input.ts";
import { invalid } from "../http/invalid_fields.ts";
import { parametersOf } from "../http/request_url.ts";
import type { Route } from "./route.ts";

/** What an absent optional body stands for. */
const NO_FIELDS = new TextEncoder().encode("{}");

/** Validates the query and the body. Throws an error that names each problem. */
export async function checkInput(
  route: Route,
  address: string,
  bytes: Uint8Array,
): Promise<{ query: unknown; body: unknown }> {
  const query = readQuery(parametersOf(address), route.query);
  const sent = bytes.length === 0 && route.bodyIsOptional === true ? NO_FIELDS : bytes;
  const body = route.body === undefined ? NO_INPUT : checkBody(sent, route.body);
  const found = await route.verify?.({ query: query.good, body: body.good }) ?? [];
  const errors = [...query.errors, ...body.errors, ...found];
  if (errors.length > 0) throw invalid(errors);
  return { query: query.value, body: body.value };
}
