// The HTTPS server, whose certificate can be renewed while the server runs.
import type { CertificatePair } from "./certificate.ts";
import { listen, type ListenOptions, type RunningServer } from "../http/http_server.ts";

interface TlsListenOptions extends ListenOptions {
  pair: CertificatePair;
}

interface RunningTlsServer extends Omit<RunningServer, "retire"> {
  /** Uses a new certificate for new connections. If it cannot be used, rejects and changes nothing. */
  renew(pair: CertificatePair): Promise<void>;
}

/**
 * Starts to listen over TLS. A listener's certificate cannot be changed, so a renewal starts a second listener on the
 * same port and retires the first. Requests on open connections do not fail. Idle connections are closed.
 */
export async function listenTls(options: TlsListenOptions): Promise<RunningTlsServer> {
  // Only a listener that does not share its port can detect that another program uses the port.
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
