// The description of the API: GET /v1/openapi.json for programs, GET /docs for people.
import * as z from "zod";
import type { OpenApi } from "../../wire/openapi.ts";
import type { DescriptionOptions } from "../openapi.ts";
import { publicRoute, type Route } from "../route.ts";

interface DocsPage {
  html: string;
  contentSecurityPolicy: string;
}

interface DescriptionRouteOptions extends DescriptionOptions {
  renderDocs(description: OpenApi): Promise<DocsPage>;
}

/**
 * Creates the routes that describe `routes` and themselves. To let the service start sooner, the code that builds a
 * response is loaded and run only when the response is first requested.
 */
export function descriptionRoutes(routes: readonly Route[], options: DescriptionRouteOptions): Route[] {
  const description = once(async () => {
    const { describeApi } = await import("../openapi.ts");
    return describeApi([...routes, ...own], options);
  });
  const page = once(async () => options.renderDocs(await description()));
  const own: Route[] = [
    publicRoute({
      method: "GET",
      path: "/v1/openapi.json",
      operationId: "getDescription",
      tag: "Description",
      summary: "Returns the API description",
      description: "OpenAPI 3.1, for example to generate clients, tests or mocks.",
      response: z.looseObject({
        openapi: z.string().meta({ description: "The version of OpenAPI" }),
      }).meta({ id: "OpenApi", description: "An OpenAPI document" }),
      status: 200,
      state: () => Promise.resolve(""),
      handle: async () => ({ status: 200, json: JSON.stringify(await description()) }),
    }),
    publicRoute({
      method: "GET",
      path: "/docs",
      operationId: "getDocs",
      tag: "Description",
      summary: "Returns the API documentation as a page",
      description: "A self-contained HTML page with a form to try each operation.",
      response: z.string().meta({ description: "The page" }),
      status: 200,
      contentType: "text/html; charset=utf-8",
      responseHeaders: ["Content-Security-Policy"],
      state: () => Promise.resolve(""),
      async handle() {
        const { html, contentSecurityPolicy } = await page();
        return { status: 200, json: html, headers: { "content-security-policy": contentSecurityPolicy } };
      },
    }),
  ];
  return own;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
