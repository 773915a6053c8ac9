// The headers that the owner of a subscription adds to its deliveries. Their values are secrets.

/** Names in lower case and their values. */
export type CustomHeaders = Record<string, string>;

export const MAX_HEADERS = 10;
const MAX_NAME_LENGTH = 100;
export const MAX_VALUE_LENGTH = 1_024;

/** A token of RFC 9110 (5.6.2). */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;
/** Visible ASCII with spaces and tabs inside (RFC 9110, 5.5). Other characters would have no defined encoding. */
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;

/** Headers of HTTP itself, including those that apply to one connection. */
const HTTP_NAMES: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "date",
  "expect",
  "host",
  "http2-settings",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "user-agent",
  "via",
]);
/** The beginnings of the names that HTTP, Standard Webhooks or Regfeed define. */
const RESERVED = ["content-", "proxy-", "webhook-", "x-regfeed-"];

/** Returns why a header cannot be added to deliveries, without its value, or null if it can. */
export function headerProblem(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  if (name.length > MAX_NAME_LENGTH || !NAME.test(lower)) return "is not a valid header name";
  if (HTTP_NAMES.has(lower) || RESERVED.some((prefix) => lower.startsWith(prefix))) {
    return "is set by HTTP or by Regfeed, so you cannot set it";
  }
  if (value.length > MAX_VALUE_LENGTH || !VALUE.test(value)) {
    return `must have a value of 1 to ${MAX_VALUE_LENGTH} visible ASCII characters, with spaces only between them`;
  }
  return null;
}

/** Returns the headers with their names in lower case. */
export function toCustomHeaders(headers: Readonly<Record<string, string>>): CustomHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** The parts of a value that may be credentials. Shorter parts may be ordinary words. */
const CREDENTIAL = /[\w+/~-]{8,}/g;

/** Returns a text in which the credentials are redacted, because some endpoints return the headers of the request. */
export function withoutValues(headers: CustomHeaders, text: string): string {
  const credentials = new Set(Object.values(headers).flatMap((value) => value.match(CREDENTIAL) ?? []));
  return credentials.size === 0
    ? text
    : text.replace(CREDENTIAL, (word) => credentials.has(word) ? "[redacted]" : word);
}
