// Removes long values of response headers, so that they are not parsed.
import { NetworkError } from "../../domain/ports/ports.ts";
import { FAULT } from "./network_errors.ts";

/** Maximum length of a header value, in characters. A longer value counts as absent. */
const MAX_HEADER_VALUE = 1_024;
/** Maximum length of `Location`, which only the runtime's URL parser reads, in characters. */
const MAX_LOCATION = 4_096;

/** Headers that determine how the body is read. For these, a value that is too long is an error. */
const NEEDED: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "transfer-encoding",
]);

/**
 * Removes the values that are too long. `set-cookie` has one value per line, so only the long lines are removed. Throws
 * a {@link NetworkError} if the response cannot be read without the value.
 */
export function removeLongValues(headers: Record<string, string>): void {
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (value.length <= MAX_HEADER_VALUE) continue;
    if (NEEDED.has(name)) throw new NetworkError(FAULT.tooLargeHead);
    if (name === "set-cookie") {
      headers[name] = value.split("\n").filter((line) => line.length <= MAX_HEADER_VALUE).join("\n");
    } else if (name !== "location" || value.length > MAX_LOCATION) delete headers[name];
  }
}
