// Validates the query or form of a page without refusing it.
import type * as z from "zod";
import { readQuery } from "../http/input.ts";
import type { SentParameter } from "../http/request_url.ts";
import type { Given } from "./page_route.ts";

export const NOTHING_GIVEN: Given<Record<never, never>> = { value: {}, good: {}, errors: [] };

/** Empty values count as absent, because browsers send every field of a form. Without a schema, the input is ignored. */
export function given(
  sent: readonly SentParameter[],
  schema: z.ZodType | undefined,
  options: { hasLines?: boolean } = {},
): Given<object> {
  if (schema === undefined) return NOTHING_GIVEN;
  const filled = sent.filter(({ value }) => value !== "");
  const { value, good, errors } = readQuery(filled, schema, options);
  return { value: errors.length === 0 ? value as object : null, good, errors };
}
