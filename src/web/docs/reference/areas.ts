// The areas of the reference: the groups of operations in the API description, each a page.
import type { DocumentedOperation, Method, OpenApi, PathItem } from "../../../wire/openapi.ts";

const METHODS: readonly Method[] = ["get", "post", "patch", "delete"];
export const REFERENCE_PATH = "/docs/reference";
export const SCHEMAS_PATH = `${REFERENCE_PATH}/schemas`;

export interface Area {
  name: string;
  description: string;
  /** `/docs/reference/events` */
  path: string;
  operations: DocumentedOperation[];
  /** Requests of the service to its subscribers. */
  webhooks: DocumentedOperation[];
}

/** Returns the areas in the order of the description. */
export function areasOf({ paths, webhooks, tags }: OpenApi): Area[] {
  const within = (items: Record<string, PathItem>, tag: string) =>
    operationsOf(items).filter(({ operation }) => operation.tags.includes(tag));
  return tags.map(({ name, description }) => ({
    name,
    description,
    path: `${REFERENCE_PATH}/${name.toLowerCase()}`,
    operations: within(paths, name),
    webhooks: within(webhooks, name),
  }));
}

function operationsOf(items: Record<string, PathItem>): DocumentedOperation[] {
  return Object.entries(items).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation === undefined ? [] : [{ method, path, operation }];
    })
  );
}

/** The id of an operation's section. */
export function anchorOf({ operation }: DocumentedOperation): string {
  return `op-${operation.operationId}`;
}

/** Returns a function that finds the URL of an operation such as `GET /v1/events/{id}`. */
export function operationUrls(areas: readonly Area[]): (operation: string) => string | null {
  const urls = new Map(
    areas.flatMap((area) =>
      area.operations.map((one) => [
        `${one.method.toUpperCase()} ${one.path}`,
        `${area.path}#${anchorOf(one)}`,
      ])
    ),
  );
  return (operation) => urls.get(operation) ?? null;
}
