// Renders JSON Schemas as lists of fields.
import type { Schema } from "../../../wire/openapi.ts";
import { type Html, markup, type Part } from "../../html.ts";
import type { Markdown } from "../markdown.ts";
import { SCHEMAS_PATH } from "./areas.ts";

export function nameOf(reference: string): string {
  return reference.split("/").at(-1) ?? reference;
}

export function schemaAnchor(name: string): string {
  return `schema-${name}`;
}

/** A part of a type in words: text, code, or the name of a schema. */
type TypePart = string | { code: string } | { schema: string };

/** A type in words: "integer, 1 to 200", "list of Event", "string or null". */
export function typeParts(schema: Schema): TypePart[] {
  if (schema.$ref !== undefined) return [{ schema: nameOf(schema.$ref) }];
  if (schema.anyOf !== undefined) return joined(schema.anyOf.map(typeParts), " or ");
  if (schema.enum !== undefined) return ["one of ", ...joined(schema.enum.map(codePart), ", ")];
  if (schema.items?.enum !== undefined) {
    return ["any of ", ...joined(schema.items.enum.map(codePart), ", ")];
  }
  if (schema.type === "array") return ["list of ", ...typeParts(schema.items ?? {})];
  if (schema.type === "object" && typeof schema.additionalProperties === "object") {
    return ["map of ", ...typeParts(schema.additionalProperties)];
  }
  return [`${typeName(schema)}${boundsOf(schema)}`];
}

function codePart(value: unknown): TypePart[] {
  return [{ code: typeof value === "string" ? value : JSON.stringify(value) }];
}

function joined<T>(parts: readonly (readonly T[])[], separator: T): T[] {
  return parts.flatMap((part, index) => (index === 0 ? [...part] : [separator, ...part]));
}

export function typeOf(schema: Schema): Html {
  const parts = typeParts(schema).map((part): Part => {
    if (typeof part === "string") return part;
    if ("code" in part) return markup`<code>${part.code}</code>`;
    return markup`<a href="${SCHEMAS_PATH}#${schemaAnchor(part.schema)}">${part.schema}</a>`;
  });
  return markup`${parts}`;
}

/** Renders an object's fields with their types and descriptions. Returns null if there are no fields. */
export function fieldsOf(schema: Schema, markdown: Markdown): Html | null {
  const alternatives = (schema.anyOf ?? []).flatMap((one) => fieldsOf(one, markdown) ?? []);
  if (alternatives.length > 0) {
    return markup`${alternatives.map((one, index) => (index === 0 ? one : markup`<p>or</p>${one}`))}`;
  }
  const fields = Object.entries(schema.properties ?? {});
  if (fields.length === 0) return null;
  return markup`<dl class="fields">${
    fields.map(([name, field]) =>
      fieldRow({ name, schema: field, isRequired: isRequired(schema, name) }, markdown)
    )
  }</dl>`;
}

export function isRequired(schema: Schema, name: string): boolean {
  return schema.required?.includes(name) ?? false;
}

interface Field {
  name: string;
  schema: Schema;
  isRequired: boolean;
}

export function fieldRow({ name, schema, isRequired }: Field, markdown: Markdown): Html {
  return markup`<div>
<dt><code>${name}</code> <span class="type">${typeOf(schema)}</span>${
    isRequired ? null : markup` <span class="optional">optional</span>`
  }</dt>
<dd>${markdown.inline(schema.description ?? "")}${defaultOf(schema)}${fieldsOf(schema, markdown)}</dd>
</div>`;
}

function defaultOf(schema: Schema): Html | null {
  if (schema.default === undefined) return null;
  return markup` <span class="default">Default: <code>${defaultText(schema)}</code></span>`;
}

/** The default as text; empty if there is none. */
export function defaultText({ default: value }: Schema): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
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
