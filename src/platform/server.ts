// The HTTP server: listens, answers, and ends within a bound.

/** Where to listen and what answers. */
export interface ListenOptions {
  /** A literal address or a host name of this machine. */
  hostname: string;
  /** 0 takes a free one. */
  port: number;
  /** Answers a request; it does not throw. `remoteAddress` is that of the connection, not of a forwarded client. */
  handler(request: Request, client: { remoteAddress: string }): Response | Promise<Response>;
}

/** A server that listens. */
export interface RunningServer {
  /** Its address, such as "http://127.0.0.1:8080". */
  address: string;
  port: number;
  /** Takes no more connections, lets answers under way finish for up to `graceMs`, then cuts them off. */
  shutdown(graceMs: number): Promise<void>;
}

/** Starts to listen. Throws when that is not possible; the message names address, port and cause. */
export function listen({ hostname, port, handler }: ListenOptions): Promise<RunningServer> {
  const forced = new AbortController();
  const server = serveOrExplain(
    { hostname, port, signal: forced.signal, onListen: () => {} },
    (request, { remoteAddr }) =>
      handler(request, { remoteAddress: "hostname" in remoteAddr ? remoteAddr.hostname : "" }),
  );
  const bound = server.addr.port;
  const shownHost = hostname.includes(":") ? `[${hostname}]` : hostname;
  return Promise.resolve({
    address: `http://${shownHost}:${bound}`,
    port: bound,
    async shutdown(graceMs) {
      const timer = setTimeout(() => forced.abort(), graceMs);
      await server.shutdown();
      await server.finished;
      clearTimeout(timer);
    },
  });
}

function serveOrExplain(
  options: Deno.ServeTcpOptions,
  handler: Deno.ServeHandler<Deno.NetAddr>,
): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve(options, handler);
  } catch (error) {
    throw new Error(`cannot listen on ${options.hostname} port ${options.port}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Deno.errors.AddrInUse) return "another program listens there already";
  if (error instanceof Deno.errors.AddrNotAvailable) return "this machine has no such address";
  if (error instanceof Deno.errors.PermissionDenied) return "ports below 1024 need the right to use them";
  return (error as Error).message;
}
