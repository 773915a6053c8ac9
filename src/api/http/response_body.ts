// The response of a handler.

/** A response: a status and its JSON, as text if it is already text. */
export interface ResponseBody {
  status: number;
  json: string;
  headers?: Record<string, string>;
  /** Identifies the content in the entity tag (letters, digits, `-`, `_`); without one, the content is hashed. */
  contentName?: string;
}

/** A response with this value as JSON. */
export function responseBody(status: number, value: unknown): ResponseBody {
  return { status, json: JSON.stringify(value) };
}
