// The shape of the API's description: the part of OpenAPI 3.1 that Regfeed's own document uses.

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
  /** With `explode` false: the values of a list stand in one parameter, with commas between them. */
  style?: "form";
  explode?: false;
}

/** A header of an answer. */
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

/** An answer. */
export interface ResponseObject {
  description: string;
  headers?: Record<string, Reference | Header>;
  content?: Record<string, MediaType>;
}

/** A request and its answers. */
export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  /** Empty: no key is needed. */
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; description: string; content: Record<string, MediaType> };
  /** By status, `2XX` or `default`. */
  responses: Record<string, Reference | ResponseObject>;
}

/** A method of a path, as the description writes it. */
export type Method = "get" | "post" | "patch" | "delete";

/** The operations of one path. */
export type PathItem = { [M in Method]?: Operation };

/** How a request shows who it is from. */
export type SecurityScheme =
  | { type: "http"; scheme: "bearer"; description: string }
  | { type: "apiKey"; in: "header"; name: string; description: string };

/** The description. */
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
  /** Answers that belong to no operation: to unknown paths (404), and to methods that a path does not take (405). */
  "x-other-responses": Record<"404" | "405", ResponseObject>;
  components: {
    schemas: Record<string, Schema>;
    responses: Record<string, ResponseObject>;
    headers: Record<string, Header>;
    examples: Record<string, Example>;
    securitySchemes: Record<string, SecurityScheme>;
  };
}
