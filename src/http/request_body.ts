// Reads a request body. Checks its media type, and limits its size and the time to read it.
import { Buffer } from "node:buffer";
import { AppError } from "../domain/error_codes.ts";
import { type Clock, DeadlineError } from "../domain/ports/ports.ts";
import { invalid } from "./invalid_fields.ts";

export const MAX_BODY_BYTES = 65_536;
const BODY_DEADLINE_MS = 10_000;

type BodyType = "application/json" | "application/x-www-form-urlencoded";

/**
 * Reads the bytes of a body of type `type`, by default JSON. Throws `unsupported_media_type` for another media type or encoding, `body_too_large`,
 * or `invalid_input` if the body does not arrive completely. An optional body that is empty needs no media type.
 */
export async function receiveBody(
  request: Request,
  clock: Clock,
  { type = "application/json", maxBytes = MAX_BODY_BYTES, isOptional = false }: {
    type?: BodyType;
    maxBytes?: number | undefined;
    isOptional?: boolean | undefined;
  } = {},
): Promise<Uint8Array> {
  if (!isOptional) requireType(request.headers, type);
  const bytes = await readBytes(request, clock, maxBytes);
  if (isOptional && bytes.length > 0) requireType(request.headers, type);
  return bytes;
}

async function readBytes(request: Request, clock: Clock, maxBytes: number): Promise<Uint8Array> {
  const announced = Number(request.headers.get("content-length") ?? 0);
  if (announced > maxBytes) throw bodyTooLarge(maxBytes);
  const reader = request.body?.getReader();
  if (reader === undefined) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    await clock.within(BODY_DEADLINE_MS, async (signal) => {
      while (!signal.aborted) {
        const { done, value } = await reader.read();
        if (done) return;
        length += value.length;
        if (length > maxBytes) throw bodyTooLarge(maxBytes);
        chunks.push(value);
      }
    });
  } catch (error) {
    // The runtime discards the rest. Reading it here would delay the response, perhaps endlessly.
    reader.releaseLock();
    if (error instanceof AppError) throw error;
    const message = error instanceof DeadlineError
      ? `did not arrive within ${BODY_DEADLINE_MS / 1000} s`
      : "ended early";
    throw invalid([{ field: "body", message }]);
  }
  return new Uint8Array(Buffer.concat(chunks, length));
}

function requireType(headers: Headers, wanted: BodyType): void {
  const [type, ...parameters] = (headers.get("content-type") ?? "").toLowerCase().split(";")
    .map((part) => part.trim());
  if (type !== wanted) throw unsupportedMedia("Content-Type", `must be ${wanted}`);
  const charsets = parameters.filter((parameter) => parameter.startsWith("charset"));
  if (charsets.some((charset) => !/^charset *= *"?utf-?8"?$/.test(charset))) {
    throw unsupportedMedia("Content-Type", `must be ${wanted} in UTF-8; other charsets are not supported`);
  }
  const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
  if (coding !== "" && coding !== "identity") {
    throw unsupportedMedia("Content-Encoding", "must be left out; compressed bodies are not supported");
  }
}

export function unsupportedMedia(field: string, message: string): AppError {
  return new AppError("unsupported_media_type", `${field}: ${message}`, [{ field, message }]);
}

export function bodyTooLarge(maxBytes: number): AppError {
  const message = `may have at most ${maxBytes} bytes`;
  return new AppError("body_too_large", `body: ${message}`, [{ field: "body", message }]);
}
