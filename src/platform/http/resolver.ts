// Resolves host names to IP addresses: in the hosts file, then with the system's name servers, then by the C library.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { NetworkError, type Resolver } from "../../domain/ports/ports.ts";
import { orAborted } from "../../domain/abort_work.ts";
import { toNetworkError } from "./network_errors.ts";

const HOSTS_FILE = "/etc/hosts";
/**
 * Maximum number of concurrent lookups by the C library. Each occupies one of the runtime's 32 threads for blocking
 * work for up to 10 s, and files and the database need these threads too.
 */
const MAX_SYSTEM_LOOKUPS = 4;
/** How long to wait for a host's IPv4 addresses once its IPv6 addresses are known, or vice versa, ms. */
const OTHER_FAMILY_MS = 1_000;

let systemLookups = 0;

export interface NameServer {
  ipAddr: string;
  port: number;
}

/**
 * Creates a resolver that queries the name servers without a thread per lookup, so that an unresponsive name server
 * delays no other work. If none knows a name, it is looked up through the C library, which may have other sources.
 */
export function createResolver(nameServer?: NameServer): Resolver {
  return {
    async resolve(host, signal) {
      signal.throwIfAborted();
      const listed = addressesInHostsFile(host);
      if (listed.length > 0) return listed;
      const found = await askNameServers(host, { signal, nameServer });
      return found.length > 0 ? found : await orAborted(askSystem(host), signal);
    },
  };
}

/** Queries the name servers. Returns no addresses if they have none. Rejects if they time out or the signal aborts. */
async function askNameServers(
  host: string,
  { signal, nameServer }: { signal: AbortSignal; nameServer: NameServer | undefined },
): Promise<string[]> {
  const enough = new AbortController();
  const options = {
    signal: AbortSignal.any([signal, enough.signal]),
    ...(nameServer === undefined ? {} : { nameServer }),
  };
  const found = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isTimeout = false;
  const ask = async (type: "A" | "AAAA"): Promise<void> => {
    try {
      for (const address of await Deno.resolveDns(host, type, options)) found.add(address);
      if (found.size > 0) timer ??= setTimeout(() => enough.abort(), OTHER_FAMILY_MS);
    } catch (error) {
      isTimeout ||= error instanceof Deno.errors.TimedOut;
    }
  };
  try {
    await Promise.all([ask("A"), ask("AAAA")]);
  } finally {
    clearTimeout(timer);
  }
  signal.throwIfAborted();
  if (found.size === 0 && isTimeout) throw new NetworkError("the name servers do not respond");
  return [...found];
}

async function askSystem(host: string): Promise<string[]> {
  if (systemLookups >= MAX_SYSTEM_LOOKUPS) throw new NetworkError("the name servers do not respond");
  systemLookups++;
  try {
    const found = await lookup(host, { all: true });
    return [...new Set(found.map(({ address }) => address))];
  } catch (error) {
    throw toNetworkError(error, "connecting");
  } finally {
    systemLookups--;
  }
}

let hosts: { modifiedAtMs: number; addresses: ReadonlyMap<string, string[]> } | null = null;

/** Returns the host's addresses in the hosts file, which is read again after a change. */
function addressesInHostsFile(host: string): string[] {
  try {
    const modifiedAtMs = Deno.statSync(HOSTS_FILE).mtime?.getTime() ?? 0;
    if (hosts?.modifiedAtMs !== modifiedAtMs) {
      hosts = { modifiedAtMs, addresses: parseHosts(Deno.readTextFileSync(HOSTS_FILE)) };
    }
    return [...hosts.addresses.get(host.toLowerCase()) ?? []];
  } catch {
    return []; // without the file, no host is listed
  }
}

/** Parses a hosts file (hosts(5)) into IP addresses by host name. */
export function parseHosts(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [address = "", ...names] = (line.split("#")[0] ?? "").trim().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const known = addresses.get(name.toLowerCase()) ?? [];
      if (!known.includes(address)) addresses.set(name.toLowerCase(), [...known, address]);
    }
  }
  return addresses;
}
