// What a handler answers.

/** An answer: a status and its JSON, as text where it exists as text already. */
export interface ResponseBody {
  status: number;
  json: string;
  headers?: Record<string, string>;
  /** A short name of what it says, of letters, digits, `-` and `_`, for its entity tag; without one it is hashed. */
  contentName?: string;
}

/** An answer with this value as its JSON. */
export function responseBody(status: number, value: unknown): ResponseBody {
  return { status, json: JSON.stringify(value) };
}
