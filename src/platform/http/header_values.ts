// Limits the length of response headers: longer values are not parsed.
import { NetworkError } from "../../domain/ports/ports.ts";
import { FAULT } from "./network_errors.ts";

/** Maximum length of a header value, characters; a longer value counts as absent. */
export const MAX_HEADER_VALUE = 1_024;
/** The same for `Location`, which only the runtime's URL parser reads. */
const MAX_LOCATION = 4_096;

/** Headers that determine how the body is read: a longer value is an error. */
const NEEDED: ReadonlySet<string> = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "transfer-encoding",
]);

/**
 * Removes the values that are too long; of `set-cookie`, which has one value per line, those lines. Throws a {@link
 * NetworkError} if the response cannot be read without the value.
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
