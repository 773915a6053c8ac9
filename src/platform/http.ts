// HTTP to somewhere else: one request, one answer, bounded while it is read.
import { Buffer } from "node:buffer";
import { Readable } from "node:stream";
import {
  type HttpClient,
  type IncomingResponse,
  NetworkError,
  type OutgoingRequest,
} from "../domain/ports.ts";
import type { Connections } from "./connections.ts";
import { GatheredBody, isPlain, readBody } from "./http_body.ts";
import type { HttpConnection, Trust } from "./http_connection.ts";

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
  // Many a command asks nobody, and loading TLS takes its time.
  let loading: Promise<Connections> | null = null;
  const load = () =>
    loading ??= import("./connections.ts").then(({ createConnections }) => createConnections(trust));
  return {
    async request(outgoing) {
      const { url, addresses, authorities, signal } = outgoing;
      signal.throwIfAborted();
      if (addresses?.length === 0) throw new NetworkError("host name not found");
      const request = writeRequest(outgoing);
      const target = { url, addresses, authorities };
      const connections = await load();
      signal.throwIfAborted();
      const connection = connections.take(target);
      try {
        const { response, isWhole } = await exchange(connection, request, outgoing);
        if (isWhole) connections.giveBack(target, connection);
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

/** Of a head's value: a line break in it would be a header more, or a request more. */
const NOT_IN_HEAD = /[^\t\x20-\x7e\x80-\xff]/;
/** A body of so many bytes goes out with its head, in one piece. */
const SMALL_BODY_BYTES = 65_536;

/** A request's bytes. Throws {@link NetworkError} when its head cannot be written. */
function writeRequest({ method, url, headers, body }: OutgoingRequest): Uint8Array[] {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  let head =
    `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n`;
  for (const name in headers) {
    const value = headers[name] ?? "";
    if (NOT_IN_HEAD.test(value)) {
      throw new NetworkError("the request cannot be sent as it is");
    }
    head += `${name}: ${value}\r\n`;
  }
  if (bytes !== undefined) head += `content-length: ${bytes.length}\r\n`;
  head += "\r\n";
  if (bytes === undefined || bytes.length > SMALL_BODY_BYTES) {
    return bytes === undefined ? [Buffer.from(head, "latin1")] : [Buffer.from(head, "latin1"), bytes];
  }
  const whole = Buffer.allocUnsafe(head.length + bytes.length);
  whole.write(head, 0, "latin1");
  whole.set(bytes, head.length);
  return [whole];
}

/**
 * Sends and reads; rejects with the signal's reason as soon as that aborts. A plain body is gathered as it comes: a
 * stream for each answer costs more than the rest of it.
 */
function exchange(
  connection: HttpConnection,
  request: readonly Uint8Array[],
  { maxBodyBytes, signal }: OutgoingRequest,
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
    let headers: Record<string, string> = {};
    const plain = new GatheredBody(maxBodyBytes);
    let coded: Readable | null = null;
    let isReusable = false;
    connection.exchange(request, {
      onHead(head) {
        ({ status, headers } = head);
        const coding = headers["content-encoding"] ?? "";
        if (isPlain(coding)) return;
        const stream = coded = new Readable({ read: () => connection.resume() });
        readBody(stream, coding, maxBodyBytes).then(
          (read) => {
            const isWhole = stream.readableEnded && isReusable;
            resolve({ response: { status, headers, ...read }, isWhole });
          },
          reject,
        );
      },
      onBody(bytes) {
        if (coded !== null) {
          if (!coded.push(bytes)) connection.pause();
        } else if (!plain.add(bytes)) {
          // Whoever asked drops the connection: nothing more is read.
          connection.pause();
          resolve({ response: { status, headers, ...plain.read() }, isWhole: false });
        }
      },
      onEnd(isOpen) {
        isReusable = isOpen;
        if (coded !== null) coded.push(null);
        else resolve({ response: { status, headers, ...plain.read() }, isWhole: isOpen });
      },
      onError(error) {
        if (coded !== null) coded.destroy(error);
        else reject(error);
      },
    });
  });
}
