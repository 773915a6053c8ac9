// The HTTP server over TLS. Its certificate can be renewed while it runs.
import type { CertificatePair } from "./certificate.ts";
import { listen, type ListenOptions, type RunningServer } from "../http/http_server.ts";

/** Where to listen, and with which certificate. */
export interface TlsListenOptions extends ListenOptions {
  pair: CertificatePair;
}

/** A server over TLS. */
export interface RunningTlsServer extends Omit<RunningServer, "retire"> {
  /** Uses a new certificate for new connections. Rejects when it cannot be used; the server goes on unchanged then. */
  renew(pair: CertificatePair): Promise<void>;
}

/**
 * Starts to listen over TLS. The runtime cannot change the certificate of a listener. So a renewal starts a second
 * listener on the same port and retires the first. Requests on kept connections do not fail. When the first listener
 * closes, a connection that it has accepted and that has sent no request yet is closed.
 */
export async function listenTls(options: TlsListenOptions): Promise<RunningTlsServer> {
  // Only a listener that does not share its port notices that another program uses the port.
  const probe = await listen({ ...options, reusePort: false });
  await probe.shutdown(0);
  const { port, address } = probe;
  let current = await listen({ ...options, port, reusePort: true });
  const retired: RunningServer[] = [];
  return {
    address,
    port,
    async renew(pair) {
      const next = await listen({ ...options, pair, port, reusePort: true });
      current.retire();
      retired.push(current);
      current = next;
    },
    async shutdown(graceMs) {
      await Promise.all([current, ...retired].map((server) => server.shutdown(graceMs)));
    },
  };
}
