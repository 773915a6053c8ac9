// The response of a handler, and the pages of a list.

/** A response's status and body. The body is JSON unless the route has another content type. */
export interface ResponseBody {
  status: number;
  json: string;
  headers?: Record<string, string>;
  /** Identifies the content in the entity tag (letters, digits, `-`, `_`). If absent, the content is hashed. */
  contentName?: string;
}

export function responseBody(status: number, value: unknown): ResponseBody {
  return { status, json: JSON.stringify(value) };
}

/** Returns a page of `limit` entries from a list with one more, and the page's last entry if another page follows. */
export function pageOf<T>(listed: readonly T[], limit: number): { page: readonly T[]; last: T | null } {
  const page = listed.slice(0, limit);
  return { page, last: listed.length > page.length ? page.at(-1) ?? null : null };
}

/** Returns the `Link` header (RFC 8288) to the next page, which has the same URL with these parameters set. */
export function nextLink(address: string, parameters: Record<string, string>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return `<${url.href}>; rel="next"`;
}
