// Renders JSON Schemas as lists of fields.
import type { Schema } from "../../wire/openapi.ts";
import { type Html, markup, type Part } from "../html.ts";
import { inline } from "../markdown.ts";

export function nameOf(reference: string): string {
  return reference.split("/").at(-1) ?? reference;
}

/** A type in words: "integer, 1 to 200", "list of Event", "string or null". */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return markup`<a href="#schema-${name}">${name}</a>`;
  }
  if (schema.anyOf !== undefined) return markup`${joined(schema.anyOf.map(typeOf), " or ")}`;
  if (schema.enum !== undefined) return markup`one of ${joined(schema.enum.map(code), ", ")}`;
  if (schema.items?.enum !== undefined) return markup`any of ${joined(schema.items.enum.map(code), ", ")}`;
  if (schema.type === "array") return markup`list of ${typeOf(schema.items ?? {})}`;
  if (schema.type === "object" && typeof schema.additionalProperties === "object") {
    return markup`map of ${typeOf(schema.additionalProperties)}`;
  }
  return markup`${typeName(schema)}${boundsOf(schema)}`;
}

/** Renders an object's fields with their types and descriptions. Returns null if there are no fields. */
export function fieldsOf(schema: Schema): Html | null {
  const alternatives = (schema.anyOf ?? []).map(fieldsOf).filter((fields) => fields !== null);
  if (alternatives.length > 0) return markup`${joined(alternatives, markup`<p>or</p>`)}`;
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return null;
  return markup`<dl>${
    fields.map(([name, field]) => fieldRow(name, field, schema.required?.includes(name) ?? false))
  }</dl>`;
}

export function fieldRow(name: string, schema: Schema, isRequired: boolean): Html {
  const description = schema.description ?? "";
  return markup`<div>
<dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${
    isRequired ? null : markup` <span class="optional">optional</span>`
  }</dt>
<dd>${inline(description)}${defaultOf(schema)}${fieldsOf(schema)}</dd>
</div>`;
}

function defaultOf(schema: Schema): Html | null {
  if (schema.default === undefined) return null;
  return markup` <span class="default">Default: ${code(schema.default)}</span>`;
}

function typeName({ type, format }: Schema): string {
  if (format === "uri") return "URL";
  return type ?? "any value";
}

function boundsOf({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined && Math.abs(minimum) !== maximum) {
    return `, ${minimum} to ${maximum}`;
  }
  return minimum !== undefined && minimum > 0 ? `, ${minimum} or more` : "";
}

function code(value: unknown): Html {
  return markup`<code>${typeof value === "string" ? value : JSON.stringify(value)}</code>`;
}

function joined(parts: readonly Part[], separator: Part): Part[] {
  return parts.flatMap((part, index) => (index === 0 ? [part] : [separator, part]));
}
