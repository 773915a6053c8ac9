// An operation of the API description with its method and path.
import type { Method, Operation } from "../../wire/openapi.ts";

/** An operation with its method and path. */
export interface DocumentedOperation {
  method: Method;
  path: string;
  operation: Operation;
}
