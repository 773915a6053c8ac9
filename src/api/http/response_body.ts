// The response of a handler, and pages of lists.

/** A response: a status and its JSON, as text if it is already text. */
export interface ResponseBody {
  status: number;
  json: string;
  headers?: Record<string, string>;
  /** Identifies the content in the entity tag (letters, digits, `-`, `_`); without one, the content is hashed. */
  contentName?: string;
}

export function responseBody(status: number, value: unknown): ResponseBody {
  return { status, json: JSON.stringify(value) };
}

/** The page of a list that was read up to one more than `limit`; `last` is null without a next page. */
export function pageOf<T>(listed: readonly T[], limit: number): { page: readonly T[]; last: T | null } {
  const page = listed.slice(0, limit);
  return { page, last: listed.length > page.length ? page.at(-1) ?? null : null };
}

/** The `Link` (RFC 8288) to the same URL with these parameters set. */
export function nextLink(address: string, parameters: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return `<${url.href}>; rel="next"`;
}
