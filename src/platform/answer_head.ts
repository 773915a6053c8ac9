// The head of an answer over HTTP/1.1, from its text to what it means for the body and the connection (RFC 9112).
import { NetworkError } from "../domain/ports.ts";
import { removeLongValues } from "./header_values.ts";
import { FAULT } from "./network_errors.ts";

/** Header fields that an answer may have. */
export const MAX_HEADERS = 256;
/**
 * How long a connection is kept for the next request when nothing is said of it, and when more is offered, ms. Many
 * servers end one after five seconds and say nothing of that: what goes out in that moment is lost, and made again.
 */
const KEEP_MS = 4_000;
const MAX_KEEP_MS = 60_000;
/** It is not used in the last moment that the other side names, ms. */
const KEEP_MARGIN_MS = 1_000;

/** How the end of a body is known: by its length in bytes, by its last chunk, or by the end of the connection. */
export type Framing = number | "chunked" | "close";

/** What a head says. */
export interface AnswerHead {
  status: number;
  /** Lower-case names; several values are joined by ", ", those of `set-cookie` by a line feed. */
  headers: Record<string, string>;
  framing: Framing;
  /**
   * How long the connection may serve another request after this answer, ms; 0 when it must not: the other side closes
   * it, or says two things of where the answer ends.
   */
  keepMs: number;
}

const STATUS_LINE = /^HTTP\/1\.(\d) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
const DIGITS = /^\d{1,15}$/;

/** Answers that end with their head, whatever they name (RFC 9112, section 6.3). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);

/** Reads a head, the text of its bytes without the empty line at its end. Throws a {@link NetworkError}. */
export function readAnswerHead(text: string): AnswerHead {
  const lines = text.split("\n");
  const [, minor, code] = STATUS_LINE.exec(withoutCr(lines[0] ?? "")) ?? [];
  if (minor === undefined || code === undefined) throw new NetworkError(FAULT.notHttp);
  const headers = readFields(lines);
  const status = Number(code);
  if (status < 200) return { status, headers, framing: 0, keepMs: 0 };
  const framing = BODILESS.has(status) ? 0 : framingOf(headers);
  return { status, headers, framing, keepMs: keepMsOf({ status, headers, framing }, minor === "0") };
}

function withoutCr(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

function readFields(lines: readonly string[]): Record<string, string> {
  if (lines.length > MAX_HEADERS + 1) throw new NetworkError(FAULT.tooLargeHead);
  const headers: Record<string, string> = Object.create(null); // a field may have the name of what objects have
  let last = "";
  for (let at = 1; at < lines.length; at++) {
    const line = withoutCr(lines[at] as string);
    if (line.startsWith(" ") || line.startsWith("\t")) {
      // A folded line, as nobody may send it any more and everybody has to read it (RFC 9112, section 5.2).
      if (last === "" || !FIELD_VALUE.test(line)) throw new NetworkError(FAULT.notHttp);
      headers[last] = `${headers[last]} ${line.trim()}`.trim();
      continue;
    }
    const colon = line.indexOf(":");
    const name = line.slice(0, Math.max(0, colon));
    const value = line.slice(colon + 1);
    if (!FIELD_NAME.test(name) || !FIELD_VALUE.test(value)) throw new NetworkError(FAULT.notHttp);
    last = name.toLowerCase();
    const own = value.trim();
    const known = headers[last];
    headers[last] = known === undefined ? own : `${known}${last === "set-cookie" ? "\n" : ", "}${own}`;
  }
  removeLongValues(headers);
  return headers;
}

/** RFC 9112, section 6.3. */
function framingOf(headers: Record<string, string>): Framing {
  const coding = headers["transfer-encoding"];
  if (coding !== undefined) return listOf(coding).at(-1) === "chunked" ? "chunked" : "close";
  const named = headers["content-length"];
  if (named === undefined) return "close";
  const lengths = listOf(named);
  const [length = ""] = lengths;
  if (!lengths.every((text) => DIGITS.test(text))) throw new NetworkError(FAULT.notHttp);
  if (new Set(lengths).size !== 1) throw new NetworkError(FAULT.notAsLong);
  return Number(length);
}

function keepMsOf(
  { status, headers, framing }: Pick<AnswerHead, "status" | "headers" | "framing">,
  isOld: boolean,
): number {
  const coding = headers["transfer-encoding"];
  const named = headers["content-length"];
  if (framing === "close" || (coding !== undefined && (isOld || named !== undefined))) return 0;
  // What follows a head that ends the answer would be taken for the next one.
  if (BODILESS.has(status) && (coding !== undefined || (named ?? "0") !== "0")) return 0;
  const options = headers["connection"] === undefined ? [] : listOf(headers["connection"]);
  if (options.includes("close") || (isOld && !options.includes("keep-alive"))) return 0;
  const [, seconds] = /(?:^|[\s,])timeout=(\d{1,9})/i.exec(headers["keep-alive"] ?? "") ?? [];
  if (seconds === undefined) return KEEP_MS;
  return Math.max(0, Math.min(Number(seconds) * 1_000 - KEEP_MARGIN_MS, MAX_KEEP_MS));
}

/** The members of a list, in lower case (RFC 9110, section 5.6.1). */
function listOf(value: string): string[] {
  return value.toLowerCase().split(",").map((text) => text.trim()).filter((text) => text !== "");
}
