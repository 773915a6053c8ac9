// The response of a handler.

/** A response: a status and its JSON, as text if it is already text. */
export interface ResponseBody {
  status: number;
  json: string;
  headers?: Record<string, string>;
  /** A short name of what it says, of letters, digits, `-` and `_`, for its entity tag; without one it is hashed. */
  contentName?: string;
}

/** A response with this value as JSON. */
export function responseBody(status: number, value: unknown): ResponseBody {
  return { status, json: JSON.stringify(value) };
}
