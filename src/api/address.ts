// Where a request goes: its path and query, which its request line decides and nothing else.
import { AppError } from "../domain/errors.ts";
import { invalid } from "./input.ts";

/** The longest address (path and query) that is read, characters. */
export const MAX_ADDRESS_LENGTH = 8_192;

/** A host name or literal address, with or without a port (RFC 9110, 7.2), and no sign that begins a path. */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** The path and the query of a request, as they were sent. */
export function addressOf({ url }: Request): string {
  const begin = url.indexOf("/", url.indexOf("//") + 2);
  return begin === -1 ? "/" : url.slice(begin);
}

/** The path of an address. */
export function pathOf(address: string): string {
  const end = address.search(/[?#]/);
  return end === -1 ? address : address.slice(0, end);
}

/** The query's parameters of an address. */
export function parametersOf(address: string): URLSearchParams {
  const begin = address.indexOf("?");
  return new URLSearchParams(begin === -1 ? "" : address.slice(begin));
}

/**
 * What is wrong with where a request wants to go, null when nothing is: the address is too long; the `Host` header holds
 * more than a host, as the runtime puts it before the path to make the request's URL; the address has a fragment, which
 * belongs to no request (RFC 9110, 4.2.5).
 */
export function findAddressError(address: string, headers: Headers): AppError | null {
  if (address.length > MAX_ADDRESS_LENGTH) {
    return new AppError("uri_too_long", `The address may have at most ${MAX_ADDRESS_LENGTH} characters.`);
  }
  if (!AUTHORITY.test(headers.get("host") ?? "")) {
    return invalid([{ field: "Host", message: "must be a host name or address, with or without a port" }]);
  }
  if (address.includes("#")) {
    return invalid([{ field: "address", message: "must not hold a #: write %23 where it is meant" }]);
  }
  return null;
}
