// HTTP to somewhere else: pooled connections to addresses that were checked, answers bounded while they are read.
import { isIP, type LookupFunction, type Socket } from "node:net";
import { buildConnector, Pool, request as send } from "undici";
import {
  type HttpClient,
  type IncomingResponse,
  NetworkError,
  type OutgoingRequest,
} from "../domain/ports.ts";
import { orAborted } from "./abort.ts";
import { readBody } from "./http_body.ts";
import { toNetworkError } from "./network_errors.ts";

/** Pools of connections that are kept, the least recently used one goes first. */
const MAX_POOLS = 256;
/** Connections of one pool: to one origin at one set of addresses. */
const MAX_CONNECTIONS = 16;
/** How long one connection may take to stand, TLS included, ms. */
const CONNECT_TIMEOUT_MS = 10_000;
/** How long one of several addresses is tried before the next one is, ms. */
const ADDRESS_TIMEOUT_MS = 1_000;
/** How long a connection is kept open for the next request, ms. */
const KEEP_ALIVE_MS = 10_000;
/** The same where the other side asks for longer, ms. */
const MAX_KEEP_ALIVE_MS = 60_000;
/** The answer's headers, bytes. */
const MAX_HEADER_BYTES = 32_768;

/** A pool with the sockets of it that do not stand yet, which the pool cannot close by itself. */
interface Line {
  pool: Pool;
  connecting: Set<Socket>;
}

/**
 * An HTTP/1.1 client. It takes no proxy from the environment and follows no redirect. It asks for no compression
 * unless the request's headers do, and then inflates gzip and deflate.
 */
export function createHttpClient(): HttpClient & { close(): Promise<void> } {
  const lines = new Map<string, Line>();
  const closing = new Set<Line>();

  function retire(key: string, line: Line): void {
    lines.delete(key);
    closing.add(line);
    // Requests under way are finished first; close() below ends those that are not.
    line.pool.close().finally(() => closing.delete(line));
  }

  function lineFor({ url, addresses }: OutgoingRequest): Line {
    const key = [url.origin, ...[...addresses ?? []].sort()].join(" ");
    const line = lines.get(key) ?? openLine(url.origin, addresses);
    lines.delete(key);
    lines.set(key, line);
    if (lines.size > MAX_POOLS) {
      const [oldest] = lines;
      if (oldest !== undefined) retire(...oldest);
    }
    return line;
  }

  return {
    async request(outgoing) {
      outgoing.signal.throwIfAborted();
      if (outgoing.addresses?.length === 0) throw new NetworkError("host name not found");
      return await orAborted(exchange(lineFor(outgoing).pool, outgoing), outgoing.signal);
    },
    async close() {
      const open = [...lines.values(), ...closing];
      lines.clear();
      for (const { connecting } of open) for (const socket of connecting) socket.destroy();
      await Promise.all(open.map(({ pool }) => pool.destroy()));
    },
  };
}

async function exchange(pool: Pool, outgoing: OutgoingRequest): Promise<IncomingResponse> {
  const { method, url, headers, body, maxBodyBytes, signal } = outgoing;
  const answer = await send(url, { dispatcher: pool, method, headers, body: body ?? null, signal })
    .catch((error) => {
      throw toNetworkError(error, "connecting");
    });
  const received = Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
  const encoding = received["content-encoding"] ?? "";
  return {
    status: answer.statusCode,
    headers: received,
    ...await readBody(answer.body, encoding, maxBodyBytes),
  };
}

function openLine(origin: string, addresses: readonly string[] | undefined): Line {
  const connecting = new Set<Socket>();
  const pool = new Pool(origin, {
    connect: connectorTo(addresses, connecting),
    connections: MAX_CONNECTIONS,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // The caller's signal bounds the whole; undici's own timers are too coarse to help.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { pool, connecting };
}

/** Connects to one of the addresses and to nothing else; without addresses, to what the host name resolves to. */
function connectorTo(
  addresses: readonly string[] | undefined,
  connecting: Set<Socket>,
): buildConnector.connector {
  const connect = buildConnector({
    // 0 switches undici's own timer off: it is coarse, and it outlives the connection.
    timeout: 0,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    ...(addresses === undefined ? {} : { lookup: answerWith(addresses) }),
  } as buildConnector.BuildOptions) as ReturnsSocket;
  return (options, callback) => {
    const socket = connect(atChecked(options, addresses), (...outcome) => {
      clearTimeout(timer);
      connecting.delete(socket);
      callback(...outcome);
    });
    connecting.add(socket);
    const timer = setTimeout(
      () => socket.destroy(new NetworkError(`no connection within ${CONNECT_TIMEOUT_MS / 1000} s`)),
      CONNECT_TIMEOUT_MS,
    );
  };
}

/** undici's connector gives the socket back, which its types leave out. */
type ReturnsSocket = (...call: Parameters<buildConnector.connector>) => Socket;

/** A literal address is never looked up, so it is replaced here by one that was checked. */
function atChecked(
  options: buildConnector.Options,
  addresses: readonly string[] | undefined,
): buildConnector.Options {
  const [first] = addresses ?? [];
  return first === undefined || isIP(options.hostname) === 0 ? options : { ...options, hostname: first };
}

/** A look-up that knows these addresses for every name. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, { all }, callback) => {
    const [first] = found;
    if (all === true || first === undefined) callback(null, found);
    else callback(null, first.address, first.family);
  };
}
