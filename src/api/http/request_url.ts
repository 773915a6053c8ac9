// The path and query of a request, as sent in its request line.
import { AppError } from "../../domain/error_codes.ts";
import { invalid } from "../input/field_problems.ts";

/** Maximum length of path and query, characters. */
export const MAX_ADDRESS_LENGTH = 8_192;

/** A host name or literal address, with or without a port (RFC 9110, 7.2), and no sign that begins a path. */
const AUTHORITY = /^(?:[\w.~!$&'()*+,;=%-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** The path and the query of a request, as they were sent; without a path they begin with what stands in its place. */
export function addressOf({ url }: Request): string {
  // The path begins after the authority.
  for (let at = url.indexOf("//") + 2; at < url.length; at++) {
    const sign = url[at];
    if (sign === "/" || sign === "?" || sign === "#" || sign === "\\") return url.slice(at);
  }
  return "";
}

/** The path of a URL. */
export function pathOf(address: string): string {
  const query = address.indexOf("?");
  const path = query === -1 ? address : address.slice(0, query);
  const fragment = path.indexOf("#");
  return fragment === -1 ? path : path.slice(0, fragment);
}

/** A parameter of a query. */
export interface SentParameter {
  name: string;
  /** Null if name or value is not valid percent-encoded UTF-8 (RFC 3986, 2.1 and 2.5). */
  value: string | null;
}

const NO_PARAMETERS: readonly SentParameter[] = [];

/** The query's parameters of an address, each as often as it was sent. */
export function parametersOf(address: string): readonly SentParameter[] {
  const begin = address.indexOf("?");
  if (begin === -1) return NO_PARAMETERS;
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
    return null; // the only thing that it throws for is what is no text
  }
}

/** Whether a `Host` header holds a host and no more; most requests have the one that the request before them had. */
export function createHostCheck(): (host: string) => boolean {
  let lastGood = "";
  return (host) => {
    if (host === lastGood) return true;
    const isGood = AUTHORITY.test(host);
    if (isGood) lastGood = host;
    return isGood;
  };
}

/**
 * What is wrong with where a request wants to go, null when nothing is: the address is too long; the `Host` header
 * holds more than a host, as the runtime puts it before the path to make the request's URL; the address has no path, or
 * a fragment, which belongs to no request (RFC 9110, 4.2.5).
 */
export function findAddressError(
  address: string,
  headers: Headers,
  isHost: (host: string) => boolean,
): AppError | null {
  if (address.length > MAX_ADDRESS_LENGTH) {
    return new AppError("uri_too_long", `The URL may have at most ${MAX_ADDRESS_LENGTH} characters.`);
  }
  if (!isHost(headers.get("host") ?? "")) {
    return invalid([{ field: "Host", message: "must be a host name or IP address, optionally with a port" }]);
  }
  if (!address.startsWith("/")) {
    return invalid([{ field: "address", message: "must have a path, which begins with /" }]);
  }
  if (address.includes("#")) {
    return invalid([{ field: "address", message: "must not contain #: write it as %23" }]);
  }
  return null;
}
