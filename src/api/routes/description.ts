// The description of the API for programs: GET /v1/openapi.json.
import * as z from "zod";
import type { OpenApi } from "../../wire/openapi.ts";
import type { DescriptionOptions } from "../openapi.ts";
import { publicRoute, type Route } from "../route.ts";

export interface DescribedRoutes {
  /** The routes and the route of their description. */
  routes: Route[];
  describe(): Promise<OpenApi>;
}

/**
 * Adds the route that describes `routes` and itself. To let the service start sooner, the code that builds the
 * description is loaded and run only when it is first requested.
 */
export function withDescription(routes: readonly Route[], options: DescriptionOptions): DescribedRoutes {
  const describe = once(async (): Promise<OpenApi> => {
    const { describeApi } = await import("../openapi.ts");
    return describeApi([...routes, own], options);
  });
  const own: Route = publicRoute({
    method: "GET",
    path: "/v1/openapi.json",
    operationId: "getDescription",
    tag: "Service",
    summary: "Returns the API description",
    description: "OpenAPI 3.1, for example to generate clients, tests or mocks.",
    response: z.looseObject({
      openapi: z.string().meta({ description: "The version of OpenAPI" }),
    }).meta({ id: "OpenApi", description: "An OpenAPI document" }),
    status: 200,
    state: () => Promise.resolve(""),
    handle: async () => ({ status: 200, json: JSON.stringify(await describe()) }),
  });
  return { routes: [...routes, own], describe };
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
