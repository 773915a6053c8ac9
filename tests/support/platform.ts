// A fake platform, with internet, files, email and log in memory.
import {
  type Clock,
  type Files,
  type FolderListing,
  type HttpClient,
  type IncomingResponse,
  type Log,
  type LogFields,
  type Mailer,
  NetworkError,
  type OutgoingMail,
  type OutgoingRequest,
  type Platform,
} from "../../src/domain/ports/ports.ts";
import { NO_TRACER } from "../../src/domain/ports/tracer.ts";
import { type FakeClock, fakeClock } from "./clock.ts";
import { IN_PROCESS_WORKER } from "./workers/parse_worker.ts";

export type Answer = Partial<Omit<IncomingResponse, "body">> & { body?: string | Uint8Array };

export interface SeenRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  addresses: readonly string[] | undefined;
}

/** A fake internet. Functions from request to response serve its hosts and URLs. */
export interface FakeInternet extends HttpClient {
  knows(host: string): boolean;
  readonly requests: SeenRequest[];
  /** Serves a URL with any query, or all paths of an origin. */
  serve(url: string, answer: (request: SentRequest) => Answer | Promise<Answer>): void;
}

export type SentRequest = Omit<OutgoingRequest, "body"> & { body?: string };

export function fakeInternet(): FakeInternet {
  const hosts = new Map<string, (request: SentRequest) => Answer | Promise<Answer>>();
  const requests: SeenRequest[] = [];
  return {
    requests,
    knows: (host) => [...hosts.keys()].some((url) => new URL(url).hostname === host),
    serve: (url, answer) => void hosts.set(url, answer),
    async request(request) {
      const { body: sent, ...rest } = request;
      const { method, url, headers, addresses } = rest;
      const body = sent instanceof Uint8Array ? new TextDecoder().decode(sent) : sent;
      requests.push({ method, url: url.href, headers, body, addresses });
      const answer = hosts.get(url.origin + url.pathname) ?? hosts.get(url.origin);
      if (answer === undefined) throw new NetworkError("connection refused");
      const given = await answer(body === undefined ? rest : { ...rest, body });
      const bytes = typeof given.body === "string"
        ? new TextEncoder().encode(given.body)
        : given.body ?? new Uint8Array();
      const truncated = bytes.length > request.maxBodyBytes;
      return {
        status: given.status ?? 200,
        headers: given.headers ?? {},
        body: truncated ? bytes.slice(0, request.maxBodyBytes) : bytes,
        truncated: given.truncated ?? truncated,
      };
    },
  };
}

export interface FakeFiles extends Files {
  write(path: string, content: string | Uint8Array, modifiedAtMs: number): void;
  remove(path: string): void;
  spoil(path: string, reason: string): void;
}

export function fakeFiles(): FakeFiles {
  const files = new Map<string, { bytes: Uint8Array; modifiedAtMs: number }>();
  const spoiled = new Map<string, string>();
  const find = (path: string): Uint8Array => {
    const file = files.get(path);
    if (file === undefined) throw new Error(`no such file: ${path}`);
    return file.bytes;
  };
  return {
    spoil: (path, reason) => void spoiled.set(path, reason),
    write: (path, content, modifiedAtMs) => {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      files.set(path, { bytes, modifiedAtMs });
    },
    remove: (path) => {
      files.delete(path);
      spoiled.delete(path);
    },
    readIn: (folder, name) => Promise.resolve().then(() => find(`${folder}/${name}`)),
    readText: (path) => Promise.resolve().then(() => new TextDecoder().decode(find(path))),
    list: (folder) => {
      const listing: FolderListing = { files: [], unreadable: [] };
      const nameOf = (path: string) => path.slice(folder.length + 1);
      for (const [path, { bytes, modifiedAtMs }] of files) {
        if (!path.startsWith(`${folder}/`) || spoiled.has(path)) continue;
        listing.files.push({ name: nameOf(path), sizeBytes: bytes.length, modifiedAtMs });
      }
      for (const [path, reason] of spoiled) {
        if (path.startsWith(`${folder}/`)) listing.unreadable.push({ name: nameOf(path), reason });
      }
      if (listing.files.length + listing.unreadable.length === 0) {
        return Promise.reject(new Error(`no such folder: ${folder}`));
      }
      listing.files.sort((a, b) => (a.name < b.name ? -1 : 1));
      return Promise.resolve(listing);
    },
  };
}

export interface LogLine {
  area: string;
  level: "debug" | "info" | "warn" | "error";
  message: string;
  fields: LogFields;
}

export interface FakeMailer extends Mailer {
  readonly taken: OutgoingMail[];
  /** Handles an email, and throws to refuse it. A test can replace this function. */
  answer: (mail: OutgoingMail) => void | Promise<void>;
}

export function fakeMailer(): FakeMailer {
  const mailer: FakeMailer = {
    taken: [],
    answer: () => {},
    async send(mail) {
      await mailer.answer(mail);
      mailer.taken.push(mail);
    },
  };
  return mailer;
}

export interface FakePlatform extends Platform {
  clock: FakeClock & Clock;
  http: FakeInternet;
  files: FakeFiles;
  mailer: FakeMailer;
  readonly lines: LogLine[];
  /** IP addresses by host name. Other served hosts have one public IP address. */
  readonly hosts: Map<string, string[]>;
}

const PUBLIC_ADDRESS = "93.184.215.14";

/** Returns a platform whose clock shows the Unix time `nowMs`. The seed determines its random numbers. */
export function fakePlatform(nowMs: number, seed = 1): FakePlatform {
  const lines: LogLine[] = [];
  const hosts = new Map<string, string[]>();
  const http = fakeInternet();
  let state = seed;
  const nextRandom = (): number => {
    // The linear congruential generator of Numerical Recipes.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const log = (area: string): Log => {
    const keep = (level: LogLine["level"]) => (message: string, fields: LogFields = {}) =>
      void lines.push({ area, level, message, fields });
    return { debug: keep("debug"), info: keep("info"), warn: keep("warn"), error: keep("error") };
  };
  return {
    clock: fakeClock(nowMs),
    random: {
      bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(nextRandom() * 256)),
      fraction: nextRandom,
    },
    http,
    endpoints: http,
    resolver: {
      resolve: (host) => {
        const addresses = hosts.get(host) ?? (http.knows(host) ? [PUBLIC_ADDRESS] : undefined);
        return addresses === undefined
          ? Promise.reject(new NetworkError("host name not found"))
          : Promise.resolve(addresses);
      },
    },
    files: fakeFiles(),
    mailer: fakeMailer(),
    tracer: NO_TRACER,
    eventLoop: { begin: () => {}, longestPauseMs: () => 0 },
    parseWorker: IN_PROCESS_WORKER,
    log,
    lines,
    hosts,
  };
}
