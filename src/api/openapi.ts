// Builds the OpenAPI 3.1 description from the routes and from the schemas that validate requests.
import type * as z from "zod";
import type {
  MediaType,
  Method,
  OpenApi,
  Operation,
  Parameter,
  PathItem,
  Schema,
  SecurityScheme,
} from "../wire/openapi.ts";
import { deliveryPayload } from "../wire/delivery.ts";
import { problem } from "../wire/health_sources_topics.ts";
import { otherResponses, responsesOf, sharedResponses } from "./openapi/responses.ts";
import { HEADERS, REQUEST_HEADERS, type RequestHeaderName } from "./openapi/headers.ts";
import { problemExamples, problemTable } from "./openapi/problems.ts";
import { queryParameters, requestSchemas, responseSchemas, type Schemas } from "./openapi/schemas.ts";
import { OVERVIEW, SUMMARY, TAGS } from "./openapi/texts.ts";
import { webhooks } from "./openapi/webhooks.ts";
import type { Route, RouteAccess } from "./route.ts";

/** The parts of the description that do not come from the routes. */
export interface DescriptionOptions {
  version: string;
  publicUrl: string;
}

/** Describes the routes. Throws if two different schemas have the same name. */
export function describeApi(routes: readonly Route[], { version, publicUrl }: DescriptionOptions): OpenApi {
  const named = new NamedSchemas();
  const [payload = {}] = named.take(responseSchemas([deliveryPayload, problem]));
  const paths: Record<string, PathItem> = {};
  for (const route of routes) {
    const item = paths[route.path] ??= {};
    item[route.method.toLowerCase() as Method] = operationOf(route, named);
  }
  const responses = referenced("responses", sharedResponses(), paths);
  return {
    openapi: "3.1.1",
    info: {
      title: "Regfeed",
      version,
      summary: SUMMARY,
      description: `${OVERVIEW.trim()}\n${problemTable()}`,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: publicUrl, description: "This service" }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: webhooks(payload),
    "x-other-responses": otherResponses(),
    components: {
      schemas: named.all(),
      responses,
      headers: referenced("headers", HEADERS, { paths, responses }),
      examples: referenced("examples", problemExamples(), { paths, responses }),
      securitySchemes: {
        key: {
          type: "http",
          scheme: "bearer",
          description: "An API key: `rgf_` and 64 hexadecimal characters",
        },
        ...(routes.some((route) => route.access === "signature")
          ? { paymentSignature: PAYMENT_SIGNATURE }
          : {}),
      },
    },
  };
}

/** Returns the components that a part of the description refers to. */
function referenced<T>(kind: string, components: Record<string, T>, part: unknown): Record<string, T> {
  const text = JSON.stringify(part);
  return Object.fromEntries(
    Object.entries(components).filter(([name]) => text.includes(`"#/components/${kind}/${name}"`)),
  );
}

class NamedSchemas {
  readonly #named = new Map<string, Schema>();

  take({ roots, named }: Schemas): Schema[] {
    for (const [name, schema] of Object.entries(named)) {
      const known = this.#named.get(name);
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
        throw new Error(`two different schemas are both named ${name}`);
      }
      this.#named.set(name, schema);
    }
    return roots;
  }

  /** Returns a media type with this schema and its first example, because tools expect examples in media types. */
  bodyOf(schema: Schema): MediaType {
    const target = this.#named.get(schema.$ref?.split("/").at(-1) ?? "") ?? schema;
    const example = target.examples?.[0];
    return { schema, ...(example === undefined ? {} : { example }) };
  }

  /** Returns the schemas by name, without their examples, which {@link bodyOf} moves to the media types. */
  all(): Record<string, Schema> {
    const sorted = [...this.#named].sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted.map(([name, { examples: _, ...schema }]) => [name, schema]));
  }
}

const PAYMENT_SIGNATURE: SecurityScheme = {
  type: "apiKey",
  in: "header",
  name: "Stripe-Signature",
  description:
    "Stripe's signature of the time and the raw body: `t=SECONDS,v1=HEX`. HEX is an HMAC-SHA256 with the " +
    "endpoint's signing secret; SECONDS must be within five minutes of the current time",
};

const SECURITY: Readonly<Record<RouteAccess, Record<string, string[]>[]>> = {
  public: [],
  key: [{ key: [] }],
  signature: [{ paymentSignature: [] }],
};

function operationOf(route: Route, named: NamedSchemas): Operation {
  const [response = {}] = named.take(responseSchemas([route.response]));
  const parameters = parametersOf(route, named);
  const sent = route.body ?? route.signedBody;
  const [body] = sent === undefined ? [] : named.take(requestSchemas([sent]));
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: route.description,
    security: SECURITY[route.access],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : {
      requestBody: {
        required: route.bodyIsOptional !== true,
        description: sent?.description ?? "JSON in UTF-8",
        content: { "application/json": named.bodyOf(body) },
      },
    }),
    responses: responsesOf(route, named.bodyOf(response)),
  };
}

function parametersOf(route: Route, named: NamedSchemas): Parameter[] {
  const headers: RequestHeaderName[] = [
    ...(route.method === "GET" ? ["If-None-Match" as const] : []),
    ...(route.repeatable === true ? ["Idempotency-Key" as const] : []),
  ];
  return [
    ...Object.entries(route.params ?? {}).map(([name, schema]) => pathParameter(name, schema, named)),
    ...(route.query === undefined ? [] : queryOf(route.query, named)),
    ...headers.map((name): Parameter => ({ name, in: "header", required: false, ...REQUEST_HEADERS[name] })),
  ];
}

function pathParameter(name: string, zod: z.ZodType, named: NamedSchemas): Parameter {
  const [{ description = name, ...schema } = {}] = named.take(requestSchemas([zod]));
  return { name, in: "path", required: true, description, schema };
}

function queryOf(zod: z.ZodType, named: NamedSchemas): Parameter[] {
  const { parameters, named: found } = queryParameters(zod);
  named.take({ roots: [], named: found });
  return parameters.map(({ name, required, schema: { description = name, ...schema } }): Parameter => ({
    name,
    in: "query",
    required,
    description,
    ...(schema.type === "array" ? { style: "form" as const, explode: true as const } : {}),
    schema,
  }));
}
