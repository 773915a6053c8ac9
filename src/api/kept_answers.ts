// Answers kept while they are hot: their bytes, their entity tags, their compressed form.
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";

/** What is kept at most, bytes of bodies in both forms. */
const MAX_KEPT_BYTES = 40 * 1024 * 1024;
/** Places for the addresses that were asked for, of which each has one, and the longest of them, characters. */
const ASKED_PLACES = 8_192;
const MAX_ASKED_LENGTH = 300;
/** What is below is not worth compressing, bytes. */
const MIN_GZIP_BYTES = 1_024;

/** A body with what conditional and compressed answers need of it. */
export interface KeptAnswer {
  /**
   * What is sent. A text of ASCII alone goes out fastest as it is; any other is encoded when it is asked for again:
   * the runtime encodes what is sent a single time no slower.
   */
  content(): string | Uint8Array<ArrayBuffer>;
  /** A weak entity tag (RFC 9110, 8.8.3): both forms of the body share it. */
  etag(): string;
  /** The body under gzip, made when it is first asked for; null when it is too short for it. */
  gzip(): Uint8Array<ArrayBuffer> | null;
  /** The most that it takes, bytes: with room for the compressed form, which is always shorter than the other. */
  size(): number;
}

/** Prepares a body. `tag` names what it says (base64url characters), where its maker knows a name for that. */
export function prepareAnswer(body: string, tag?: string): KeptAnswer {
  return new Prepared(body, tag);
}

class Prepared implements KeptAnswer {
  #content: string | Uint8Array<ArrayBuffer>;
  #etag: string | undefined;
  #compressed: Uint8Array<ArrayBuffer> | null | undefined;
  #sent = 0;

  constructor(body: string, tag: string | undefined) {
    this.#content = body;
    if (tag !== undefined) this.#etag = `W/"${tag}"`;
  }

  content(): string | Uint8Array<ArrayBuffer> {
    if (++this.#sent === 2 && typeof this.#content === "string") {
      const bytes = new TextEncoder().encode(this.#content);
      if (bytes.length !== this.#content.length) this.#content = bytes;
    }
    return this.#content;
  }

  etag(): string {
    return this.#etag ??= `W/"${createHash("sha1").update(this.#content).digest("base64url")}"`;
  }

  gzip(): Uint8Array<ArrayBuffer> | null {
    return this.#compressed ??= this.#content.length < MIN_GZIP_BYTES
      ? null
      : new Uint8Array(gzipSync(this.#content, { level: 4 }));
  }

  size(): number {
    return 2 * this.#content.length;
  }
}

/** An answer with the headers of its own. */
export interface KeptEntry {
  readonly answer: KeptAnswer;
  readonly headers: Record<string, string>;
}

/** Answers by address; one stands as long as what it depends on (its `state`) stays the same. */
export interface KeptAnswers {
  get(address: string, state: string): KeptEntry | null;
  /** Whether the address was asked for before, lately: keeping what nobody asks for again costs more than it gives. */
  wasAsked(address: string): boolean;
  put(address: string, state: string, entry: KeptEntry): void;
}

interface Kept {
  state: string;
  entry: KeptEntry;
  size: number;
}

/**
 * An empty memory of answers, in two halves: what is asked for is in the young one; when that is full, the old half,
 * which nobody has asked for since the last time, is forgotten and the young one is the old one. Both cost the same
 * however many answers there are, which a map in the order of use does not.
 */
export function createKeptAnswers(maxBytes: number = MAX_KEPT_BYTES): KeptAnswers {
  let old = new Map<string, Kept>();
  let young = new Map<string, Kept>();
  let youngSize = 0;
  const asked = new Uint32Array(ASKED_PLACES);

  const keep = (address: string, kept: Kept): void => {
    if (kept.size > maxBytes / 2) return;
    if (youngSize + kept.size > maxBytes / 2) {
      old = young;
      young = new Map();
      youngSize = 0;
    }
    young.set(address, kept);
    youngSize += kept.size;
  };
  const take = (address: string): Kept | undefined => {
    const kept = young.get(address);
    if (kept === undefined) {
      const known = old.get(address);
      old.delete(address);
      return known;
    }
    young.delete(address);
    youngSize -= kept.size;
    return kept;
  };

  return {
    get(address, state) {
      const hot = young.get(address);
      if (hot?.state === state && hot.size >= sizeOf(address, hot.entry)) return hot.entry;
      const kept = take(address);
      if (kept?.state !== state) return null;
      // Encoded, it may be larger than it was.
      keep(address, { ...kept, size: sizeOf(address, kept.entry) });
      return kept.entry;
    },
    wasAsked(address) {
      if (address.length > MAX_ASKED_LENGTH) return false;
      // Numbers in place of the addresses: these would outlive their requests, to be copied by each collection.
      const number = numberOf(address);
      const place = number % ASKED_PLACES;
      const was = asked[place] === number;
      asked[place] = number;
      return was;
    },
    put(address, state, entry) {
      take(address);
      keep(address, { state, entry, size: sizeOf(address, entry) });
    },
  };
}

/** A number that hardly another text has (FNV-1a, 32 bits). */
function numberOf(text: string): number {
  let number = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    number = Math.imul(number ^ text.charCodeAt(at), 0x01000193);
  }
  return number >>> 0;
}

function sizeOf(address: string, { answer }: KeptEntry): number {
  return answer.size() + 2 * address.length;
}

/** Whether an `If-None-Match` lists the tag, compared weakly (RFC 9110, 13.1.2); `*` lists none. */
export function namesTag(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const opaque = etag.replace(/^W\//, "");
  return ifNoneMatch.split(",").some((candidate) => candidate.trim().replace(/^W\//, "") === opaque);
}

/**
 * Whether an `Accept-Encoding` takes gzip, and no less gladly than the plain body: its own weight counts, else that of
 * `*` (RFC 9110, 12.5.3).
 */
export function takesGzip(acceptEncoding: string | null): boolean {
  if (acceptEncoding === null) return false;
  const weights = new Map<string, number>();
  for (const part of acceptEncoding.toLowerCase().split(",")) {
    const [coding = "", ...parameters] = part.split(";").map((text) => text.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    weights.set(coding, Number(weight));
  }
  const weight = weights.get("gzip") ?? weights.get("*") ?? 0;
  return weight > 0 && weight >= (weights.get("identity") ?? 0);
}
