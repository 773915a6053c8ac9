// Types for the parts of OpenAPI 3.1 that Regfeed uses.

/** A JSON Schema (2020-12), or a reference to one. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
}

/** A reference to a component: `#/components/KIND/NAME`. */
export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: Schema;
  /** With `explode`, a list is sent by repeating the parameter. */
  style?: "form";
  explode?: true;
}

export interface Header {
  description: string;
  schema: Schema;
}

export interface Example {
  summary: string;
  value: unknown;
}

export interface MediaType {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, Reference | Example>;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, Reference | Header>;
  content?: Record<string, MediaType>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  /** Empty if neither a key nor a signature is required. */
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; description: string; content: Record<string, MediaType> };
  /** The responses by status, `2XX` or `default`. */
  responses: Record<string, Reference | ResponseObject>;
}

export type Method = "get" | "post" | "patch" | "delete";

export interface DocumentedOperation {
  method: Method;
  path: string;
  operation: Operation;
}

export type PathItem = { [M in Method]?: Operation };

export type SecurityScheme =
  | { type: "http"; scheme: "bearer"; description: string }
  | { type: "apiKey"; in: "header"; name: string; description: string };

export interface OpenApi {
  openapi: "3.1.1";
  info: {
    title: string;
    version: string;
    summary: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, PathItem>;
  webhooks: Record<string, PathItem>;
  /** Responses that belong to no operation, for unknown paths (404) and unsupported methods (405). */
  "x-other-responses": Record<"404" | "405", ResponseObject>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, ResponseObject>;
    headers: Record<string, Header>;
    examples: Record<string, Example>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}
