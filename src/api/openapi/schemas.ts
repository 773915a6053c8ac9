// JSON Schemas for the description, made from the zod schemas that check the requests.
import * as z from "zod";
import type { Schema } from "../../wire/openapi.ts";

/** Schemas made from zod's, and the named ones that they refer to. */
export interface Schemas {
  /** In the order of what was given. */
  roots: Schema[];
  /** By `.meta({ id })`; references to them begin with `#/components/schemas/`. */
  named: Record<string, Schema>;
}

/** The schemas of what clients send. */
export function requestSchemas(schemas: readonly z.ZodType[]): Schemas {
  return convert(schemas, "input");
}

/** The schemas of what they are sent. Objects are open in them: fields may be added, clients must not refuse them. */
export function answerSchemas(schemas: readonly z.ZodType[]): Schemas {
  return convert(schemas, "output");
}

/** A parameter of a query. */
export interface QueryParameter {
  name: string;
  required: boolean;
  schema: Schema;
}

/**
 * The parameters of a query's schema. They arrive as text, so that the schema's input is text; what they mean (a number
 * in bounds, a list) is its output. Required is what the input requires.
 */
export function queryParameters(
  schema: z.ZodType,
): { parameters: QueryParameter[]; named: Schemas["named"] } {
  const meaning = convert([schema], "output");
  const sent = convert([schema], "input").roots[0];
  const parameters = Object.entries(meaning.roots[0]?.properties ?? {}).map(([name, property]) => ({
    name,
    required: sent?.required?.includes(name) ?? false,
    schema: property,
  }));
  return { parameters, named: meaning.named };
}

function convert(schemas: readonly z.ZodType[], io: "input" | "output"): Schemas {
  // A tuple holds them in order, and makes every one with an id a definition, the given ones too.
  const tuple = z.tuple(schemas as [z.ZodType, ...z.ZodType[]]);
  const json = z.toJSONSchema(tuple, { io, override: ({ jsonSchema }) => simplify(jsonSchema, io) });
  const text = JSON.stringify(json).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/');
  const { prefixItems, $defs } = JSON.parse(text) as {
    prefixItems?: Schema[];
    $defs?: Record<string, Schema>;
  };
  return { roots: prefixItems ?? [], named: $defs ?? {} };
}

function simplify(schema: z.core.JSONSchema.BaseSchema, io: "input" | "output"): void {
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
  // Every integer of JSON is safe in this sense; as bounds the numbers tell a reader nothing.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  delete schema.propertyNames;
}
