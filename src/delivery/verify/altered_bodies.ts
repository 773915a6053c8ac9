// Reconstructs the bodies that may have been sent, in case a program changed the body before it was verified.
import { Buffer } from "node:buffer";
import { trimEndOf } from "../../domain/trim_end.ts";
import { deliveryPayload } from "../../wire/delivery.ts";

export interface BodyForm {
  bytes: Uint8Array;
  /** How the original was changed; null for the given body itself. */
  damage: string | null;
}

const RESERIALISED = "The body was parsed as JSON and serialised again";
const ADVICE = "verify the raw bytes of the request, before any JSON middleware";

/** Returns the possible originals without duplicates, starting with the given body. */
export function bodyForms(given: Uint8Array): BodyForm[] {
  const forms: BodyForm[] = [{ bytes: given, damage: null }];
  const add = (text: string | Uint8Array, damage: string): void => {
    const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
    if (!forms.some((form) => Buffer.compare(form.bytes, bytes) === 0)) forms.push({ bytes, damage });
  };
  const hasMark = given[0] === 0xef && given[1] === 0xbb && given[2] === 0xbf;
  const bytes = hasMark ? given.subarray(3) : given;
  const mark =
    "The body begins with a byte order mark (EF BB BF) that was not sent; an editor or a script added it";
  if (hasMark) add(bytes, mark);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const trimmed = trimEndOf(text, "\r\n");
  if (trimmed !== text) {
    add(
      trimmed,
      "The body ends with a line break that was not sent; an editor, `echo` or a here-document added it" +
        (hasMark ? `. ${mark}` : ""),
    );
  }
  add(text.trim(), "Whitespace was added around the body");
  const latin = misreadAsLatin1(trimmed);
  if (latin !== null) add(latin, `The body was read as ISO 8859-1 instead of UTF-8; ${ADVICE}`);
  for (const { bytes: wrapped, damage } of unwrapped(bytes, trimmed)) add(wrapped, damage);
  for (const { text: written, how } of rewritings(trimmed)) add(written, `${RESERIALISED}${how}; ${ADVICE}`);
  return forms;
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;
const UTF16_MARKS: Readonly<Record<string, string>> = { fffe: "utf-16le", feff: "utf-16be" };

/** Undoes UTF-16, base64 or a second JSON encoding of the whole body. Returns at most one form. */
function unwrapped(bytes: Uint8Array, text: string): { bytes: Uint8Array; damage: string }[] {
  const encoding = UTF16_MARKS[Buffer.from(bytes.subarray(0, 2)).toString("hex")];
  if (encoding !== undefined) {
    const plain = new TextEncoder().encode(trimEndOf(new TextDecoder(encoding).decode(bytes), "\r\n"));
    return [{
      bytes: plain,
      damage: "The body was saved as UTF-16, as PowerShell does; save the raw bytes",
    }];
  }
  if (text.length % 4 === 0 && BASE64.test(text)) {
    const damage =
      "The body is in base64, as some gateways pass it on (isBase64Encoded); decode it before you verify it";
    return [{ bytes: Buffer.from(text, "base64"), damage }];
  }
  const value = text.startsWith('"') ? readJson(text) : undefined;
  if (typeof value !== "string") return [];
  const damage = `The body was encoded as JSON twice (JSON.stringify of a string); ${ADVICE}`;
  return [{ bytes: new TextEncoder().encode(value), damage }];
}

/** Restores text that was misread as ISO 8859-1 and written as UTF-8. Returns null if that cannot have happened. */
function misreadAsLatin1(text: string): string | null {
  // deno-lint-ignore no-control-regex -- the range of ISO 8859-1
  if (!/[\u0080-\u00ff]/.test(text) || /[^\u0000-\u00ff]/.test(text)) return null;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(text, "latin1"));
  } catch {
    return null; // the original was not UTF-8
  }
}

/** Returns the forms in which Regfeed may have sent this JSON: without whitespace, and with Regfeed's field order. */
function rewritings(text: string): { text: string; how: string }[] {
  const value = readJson(text);
  if (value === undefined) return [];
  const found = [{ text: JSON.stringify(value), how: " with different whitespace or escapes" }];
  const ordered = deliveryPayload.safeParse(value);
  if (ordered.success) {
    const how = " with its fields in another order";
    found.push({ text: JSON.stringify(ordered.data), how });
    const { event } = ordered.data;
    const codes = [event.language, ...event.language_versions, ...Object.keys(event.translations)];
    const translations = Object.fromEntries(
      [...new Set(codes)].flatMap((code) =>
        code in event.translations ? [[code, event.translations[code]]] : []
      ),
    );
    found.push({ text: JSON.stringify({ ...ordered.data, event: { ...event, translations } }), how });
  }
  return found;
}

/** Parses JSON. Returns undefined if it is invalid. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
