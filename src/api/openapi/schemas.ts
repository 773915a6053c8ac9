// Converts zod schemas to JSON Schemas for the API description.
import * as z from "zod";
import type { Schema } from "../../wire/openapi.ts";

/** Converted schemas and the named schemas that they refer to. */
export interface Schemas {
  /** The converted schemas, in the order of the arguments. */
  roots: Schema[];
  /** The named schemas by their `.meta({ id })`. References to them start with `#/components/schemas/`. */
  named: Record<string, Schema>;
}

export function requestSchemas(schemas: readonly z.ZodType[]): Schemas {
  return convert(schemas, "input");
}

/** Converts the schemas of responses. Objects allow additional properties, because fields may be added later. */
export function responseSchemas(schemas: readonly z.ZodType[]): Schemas {
  return convert(schemas, "output");
}

interface QueryParameter {
  name: string;
  required: boolean;
  schema: Schema;
}

/**
 * Returns the parameters of a query schema. They are described as parsed, because all are sent as strings, except those
 * that can be written in several ways.
 */
export function queryParameters(
  schema: z.ZodType,
): { parameters: QueryParameter[]; named: Schemas["named"] } {
  const meaning = convert([schema], "output");
  const sent = convert([schema], "input").roots[0];
  const parameters = Object.entries(meaning.roots[0]?.properties ?? {}).map(([name, property]) => ({
    name,
    required: sent?.required?.includes(name) ?? false,
    schema: sent?.properties?.[name]?.anyOf === undefined ? property : sent.properties[name],
  }));
  return { parameters, named: meaning.named };
}

function convert(schemas: readonly z.ZodType[], io: "input" | "output"): Schemas {
  // A tuple keeps the order of the schemas, and turns every schema with an id into a definition.
  const tuple = z.tuple(schemas as [z.ZodType, ...z.ZodType[]]);
  const json = z.toJSONSchema(tuple, {
    io,
    override({ zodSchema, jsonSchema }) {
      simplify(jsonSchema, io);
      // zod removes the examples of what is sent if any of its fields is converted.
      const examples = z.globalRegistry.get(zodSchema)?.["examples"];
      if (Array.isArray(examples)) jsonSchema.examples = examples;
    },
  });
  const text = JSON.stringify(json).replaceAll('"$ref":"#/$defs/', '"$ref":"#/components/schemas/');
  const { prefixItems, $defs } = JSON.parse(text) as {
    prefixItems?: Schema[];
    $defs?: Record<string, Schema>;
  };
  return { roots: prefixItems ?? [], named: $defs ?? {} };
}

function simplify(schema: z.core.JSONSchema.BaseSchema, io: "input" | "output"): void {
  if (io === "output" && schema.additionalProperties === false) delete schema.additionalProperties;
  // zod adds these bounds to every integer, but they do not help readers.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  delete schema.propertyNames;
  // openapi-typescript takes fields with a default as required, also in requests.
  if (io === "input" && schema.default !== undefined) {
    schema.description = `${schema.description ?? ""}. Default: \`${JSON.stringify(schema.default)}\``;
    delete schema.default;
  }
}
