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

/** A parameter in the path, the query or a header. */
export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: Schema;
  /** With `explode: false`, a list is one parameter with comma-separated values. */
  style?: "form";
  explode?: false;
}

/** A header of a response. */
export interface Header {
  description: string;
  schema: Schema;
}

/** A named example. */
export interface Example {
  summary: string;
  value: unknown;
}

/** A body of one media type. */
export interface MediaType {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, Reference | Example>;
}

/** A response. */
export interface ResponseObject {
  description: string;
  headers?: Record<string, Reference | Header>;
  content?: Record<string, MediaType>;
}

/** A request and its responses. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  /** Empty: no key required. */
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; description: string; content: Record<string, MediaType> };
  /** By status, `2XX` or `default`. */
  responses: Record<string, Reference | ResponseObject>;
}

/** A method in lower case. */
export type Method = "get" | "post" | "patch" | "delete";

/** An operation with its method and path. */
export interface DocumentedOperation {
  method: Method;
  path: string;
  operation: Operation;
}

/** The operations of one path. */
export type PathItem = { [M in Method]?: Operation };

/** How a request is authenticated. */
export type SecurityScheme =
  | { type: "http"; scheme: "bearer"; description: string }
  | { type: "apiKey"; in: "header"; name: string; description: string };

/** An OpenAPI document. */
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
  /** Responses that belong to no operation: for unknown paths (404) and unsupported methods (405). */
  "x-other-responses": Record<"404" | "405", ResponseObject>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, ResponseObject>;
    headers: Record<string, Header>;
    examples: Record<string, Example>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}
