// Pages of lists and the link to the next page.

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
