// Answers kept while they are hot: their bytes, their entity tags, their compressed form.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** What is kept at most, bytes of bodies in both forms. */
const MAX_KEPT_BYTES = 64 * 1024 * 1024;
/** What is below is not worth compressing, bytes. */
const MIN_GZIP_BYTES = 1_024;

/** A body with what conditional and compressed answers need of it. */
export interface KeptAnswer {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** A weak entity tag (RFC 9110, 8.8.3): both forms of the body share it. */
  etag(): string;
  /** The body under gzip, made when it is first asked for; null when it is too short for it. */
  gzip(): Uint8Array<ArrayBuffer> | null;
}

/** Prepares a body. */
export function prepareAnswer(body: string): KeptAnswer {
  const bytes = new TextEncoder().encode(body);
  let etag: string | undefined;
  let compressed: Uint8Array<ArrayBuffer> | null | undefined;
  return {
    bytes,
    etag: () => etag ??= `W/"${createHash("sha1").update(bytes).digest("base64url")}"`,
    gzip: () =>
      compressed ??= bytes.length < MIN_GZIP_BYTES ? null : new Uint8Array(gzipSync(bytes, { level: 4 })),
  };
}

/** An answer with the headers of its own. */
export interface KeptEntry {
  readonly answer: KeptAnswer;
  readonly headers: Record<string, string>;
}

/** Answers by address; one stands as long as what it depends on (its `state`) stays the same. */
export interface KeptAnswers {
  get(address: string, state: string): KeptEntry | null;
  put(address: string, state: string, entry: KeptEntry): void;
}

/** An empty memory of answers; the one that was asked for longest ago goes first. */
export function createKeptAnswers(maxBytes: number = MAX_KEPT_BYTES): KeptAnswers {
  const kept = new Map<string, { state: string; entry: KeptEntry; size: number }>();
  let size = 0;

  const drop = (address: string): void => {
    size -= kept.get(address)?.size ?? 0;
    kept.delete(address);
  };

  return {
    get(address, state) {
      const found = kept.get(address);
      if (found === undefined) return null;
      if (found.state !== state) {
        drop(address);
        return null;
      }
      kept.delete(address);
      kept.set(address, found);
      return found.entry;
    },
    put(address, state, entry) {
      drop(address);
      // Room for the compressed form too, which is always shorter than the other.
      const added = { state, entry, size: 2 * (entry.answer.bytes.length + address.length) };
      kept.set(address, added);
      size += added.size;
      for (const oldest of kept.keys()) {
        if (size <= maxBytes) break;
        drop(oldest);
      }
    },
  };
}

/** Whether an `If-None-Match` names the tag, compared weakly (RFC 9110, 13.1.2). */
export function namesTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = etag.replace(/^W\//, "");
  return ifNoneMatch.split(",").some((candidate) => {
    const tag = candidate.trim();
    return tag === "*" || tag.replace(/^W\//, "") === opaque;
  });
}

/** Whether an `Accept-Encoding` takes gzip (RFC 9110, 12.5.3). */
export function takesGzip(acceptEncoding: string | null): boolean {
  for (const part of (acceptEncoding ?? "").toLowerCase().split(",")) {
    const [coding, ...parameters] = part.split(";").map((text) => text.trim());
    if (coding !== "gzip" && coding !== "*") continue;
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    return Number(weight) > 0;
  }
  return false;
}
