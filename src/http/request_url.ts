// The path and query of a request, as sent in its request line.
import { AppError } from "../domain/error_codes.ts";
import { invalid } from "./invalid_fields.ts";

/** Maximum length of path and query, in characters. */
export const MAX_ADDRESS_LENGTH = 8_192;

/** A host name or IP address, optionally with a port (RFC 9110, 7.2), without any character that begins a path. */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Returns the path and query of a request as sent. If there is no path, the result may begin with `?`, `#` or `\`. */
export function addressOf({ url }: Request): string {
  for (let at = url.indexOf("//") + 2; at < url.length; at++) {
    if ("/?#\\".includes(url.charAt(at))) return url.slice(at);
  }
  return "";
}

export function pathOf(address: string): string {
  const query = address.indexOf("?");
  const path = query === -1 ? address : address.slice(0, query);
  const fragment = path.indexOf("#");
  return fragment === -1 ? path : path.slice(0, fragment);
}

export interface SentParameter {
  name: string;
  /** The decoded value; null if the name or the value is not percent-encoded UTF-8 (RFC 3986, 2.1 and 2.5). */
  value: string | null;
}

/** Returns the query parameters, including repeated ones. */
export function parametersOf(address: string): SentParameter[] {
  const begin = address.indexOf("?");
  if (begin === -1) return [];
  return address.slice(begin + 1).split("&").filter((part) => part !== "").map((part) => {
    const [name = "", ...value] = part.split("=");
    const decoded = decode(name);
    return { name: decoded ?? name, value: decoded === null ? null : decode(value.join("=")) };
  });
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

export function urlTooLong(): AppError {
  return new AppError("uri_too_long", `The URL may have at most ${MAX_ADDRESS_LENGTH} characters.`);
}

/**
 * Returns the error in a request's URL, or null if there is none. A URL must not be too long, and must have a path and
 * no fragment (RFC 9110, 4.2.5). The `Host` header must not contain a path, because the runtime puts it before the path.
 */
export function findAddressError(address: string, headers: Headers): AppError | null {
  if (address.length > MAX_ADDRESS_LENGTH) return urlTooLong();
  if (!AUTHORITY.test(headers.get("host") ?? "")) {
    return invalid([{ field: "Host", message: "must be a host name or IP address, optionally with a port" }]);
  }
  if (!address.startsWith("/")) {
    return invalid([{ field: "address", message: "must have a path, which begins with /" }]);
  }
  if (address.includes("#")) {
    return invalid([{ field: "address", message: "must not contain #; write it as %23" }]);
  }
  return null;
}
