// Paths of this service, to which a redirect may lead.

const ORIGIN = "http://local.invalid";

/** Returns the path and query if they lead to this service, otherwise `otherwise`. */
export function localPath(text: string | null | undefined, otherwise = "/"): string {
  // Browsers read "/\host" as "//host", and drop tabs and line breaks.
  // deno-lint-ignore no-control-regex
  if (!text || !/^\/(?!\/)[^\\\x00-\x20\x7f]*$/.test(text) || !text.isWellFormed()) return otherwise;
  const url = URL.parse(text, ORIGIN);
  if (url === null || url.origin !== ORIGIN || url.pathname.startsWith("//")) return otherwise;
  return `${url.pathname}${url.search}${url.hash}`;
}
