// HTTP to somewhere else: one request, one answer, bounded while it is read.
import { Readable } from "node:stream";
import type { Client } from "undici";
import {
  type HttpClient,
  type IncomingResponse,
  NetworkError,
  type OutgoingRequest,
} from "../domain/ports.ts";
import type { Connections, Trust } from "./connections.ts";
import { GatheredBody, isPlain, readBody } from "./http_body.ts";
import { toNetworkError } from "./network_errors.ts";

/** A client of this process. */
export interface RealHttpClient extends HttpClient {
  /**
   * Loads what requests need. The first request does that too, but it takes a part of the time that the request has:
   * who has short bounds prepares first. Loading is done once, whoever asks for it.
   */
  prepare(): Promise<void>;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * An HTTP/1.1 client. It takes no proxy from the environment and follows no redirect. It asks for no compression
 * unless the request's headers do, and inflates gzip and deflate. Over TLS it believes whom the system's authorities
 * vouch for, unless told otherwise.
 */
export function createHttpClient(trust: Trust = "authorities"): RealHttpClient {
  // Loading undici costs as much as all the rest of a start, and many a command asks nobody.
  let loading: Promise<Connections> | null = null;
  const load = () =>
    loading ??= import("./connections.ts").then(({ createConnections }) => createConnections(trust));
  return {
    async request(outgoing) {
      const { url, addresses, authorities, signal } = outgoing;
      signal.throwIfAborted();
      if (addresses?.length === 0) throw new NetworkError("host name not found");
      const target = { origin: `${url.protocol}//${url.host}`, addresses, authorities };
      const connections = await load();
      signal.throwIfAborted();
      const connection = connections.take(target);
      try {
        const { response, isWhole } = await exchange(connection.client, outgoing);
        if (isWhole) connections.giveBack(connection);
        else connections.drop(connection);
        return response;
      } catch (error) {
        connections.drop(connection);
        throw error;
      }
    },
    async prepare() {
      await load();
    },
    async close() {
      await (await loading)?.close();
    },
  };
}

/** An answer, and whether it was read to its end: only then the connection serves another request. */
interface Exchange {
  response: IncomingResponse;
  isWhole: boolean;
}

/** Answers that end with their head, whatever length it names (RFC 9112, section 6.3). */
const BODILESS: ReadonlySet<number> = new Set([204, 304]);
const NO_BODY = { body: new Uint8Array(), truncated: false };

/**
 * Sends and reads; rejects with the signal's reason as soon as that aborts. A plain body is gathered as it comes: a
 * stream for each answer costs more than the rest of it.
 */
function exchange(
  client: Client,
  { method, url, headers, body, maxBodyBytes, signal }: OutgoingRequest,
): Promise<Exchange> {
  return new Promise((settle, refuse) => {
    const abort = (): void => refuse(signal.reason);
    signal.addEventListener("abort", abort);
    const resolve = (exchanged: Exchange): void => {
      signal.removeEventListener("abort", abort);
      settle(exchanged);
    };
    const reject = (error: unknown): void => {
      signal.removeEventListener("abort", abort);
      refuse(error);
    };
    let status = 0;
    let received: Record<string, string> = {};
    let plain: GatheredBody | null = null;
    let coded: Readable | null = null;
    client.dispatch({ method, path: url.pathname + url.search, headers, body: body ?? null }, {
      onRequestStart() {}, // undici takes a handler without it for one of its older kind
      onResponseStart(controller, statusCode, given) {
        if (statusCode < 200) return; // informational: the answer follows
        status = statusCode;
        received = joinValues(given);
        const coding = received["content-encoding"] ?? "";
        if (isPlain(coding)) {
          plain = new GatheredBody(maxBodyBytes);
          return;
        }
        const stream = coded = new Readable({ read: () => controller.resume() });
        readBody(stream, coding, maxBodyBytes).then(
          (read) =>
            resolve({ response: { status, headers: received, ...read }, isWhole: stream.readableEnded }),
          reject,
        );
      },
      onResponseData(controller, chunk) {
        if (coded?.push(chunk) === false) controller.pause();
        if (plain === null || plain.add(chunk)) return;
        // Whoever asked drops the connection: nothing more is read.
        controller.pause();
        resolve({ response: { status, headers: received, ...plain.read() }, isWhole: false });
      },
      onResponseEnd() {
        coded?.push(null);
        if (plain !== null) {
          resolve({ response: { status, headers: received, ...plain.read() }, isWhole: true });
        }
      },
      onResponseError(_controller, error) {
        // What follows such a head, against the rule, is no part of the answer.
        if (BODILESS.has(status)) {
          resolve({ response: { status, headers: received, ...NO_BODY }, isWhole: false });
        } else if (coded !== null) coded.destroy(error);
        else reject(toNetworkError(error, status === 0 ? "connecting" : "reading"));
      },
    });
  });
}

/** A header that came more than once is one text; a cookie's date holds a comma. */
function joinValues(given: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name in given) {
    const value = given[name] ?? "";
    joined[name] = typeof value === "string" ? value : value.join(name === "set-cookie" ? "\n" : ", ");
  }
  return joined;
}
