// The guard decides which hosts, ports and IP addresses may receive deliveries. Every delivery passes through it.
import {
  isReachable,
  literalAddress,
  MAX_ADDRESSES,
  type Network,
  parseNetwork,
} from "../../domain/ip_address.ts";
import { type Clock, DeadlineError, NetworkError, type Resolver } from "../../domain/ports/ports.ts";
import { orAborted } from "../../domain/abort_work.ts";
import { MAX_WEBHOOK_URL } from "../../wire/subscription.ts";

/** The message for every refused address. A reason could reveal details of the internal network. */
export const REFUSED_ADDRESS = "this URL cannot receive webhooks";

/** The message to an owner whose webhook URL has a refused host. */
const REFUSED_HOST =
  "must be the complete URL of a public host, such as https://hooks.example.org/regfeed; the operator can allow other hosts ([delivery] allow_networks)";

/** The operator's rules. By default, only public hosts are permitted, and only over https. */
export interface PolicySettings {
  allowHttp: boolean;
  /** CIDR ranges of IP addresses that are permitted although they are not public. */
  allowNetworks: readonly string[];
  /** The only permitted ports. If the list is empty, {@link isWebPort} decides. */
  allowPorts: readonly number[];
  /** The public URL of this service, to which nothing may be delivered. */
  ownUrl?: string;
}

export interface AddressPolicy extends Readonly<Pick<PolicySettings, "allowHttp" | "allowPorts">> {
  readonly networks: readonly Network[];
  readonly own: Readonly<URL> | null;
  /** Cached decisions of {@link checkWebhookUrl}, by URL. Resolved IP addresses are never cached. */
  readonly decisions: Map<string, UrlDecision>;
}

/**
 * Parses the operator's permissions. A range permits only addresses of its own family: `10.0.0.0/8` permits `10.1.2.3`
 * but not `::ffff:10.1.2.3`. An IPv6 address that contains an IPv4 address (mapped, NAT64, 6to4, …) is permitted if a
 * range contains the IPv6 address and the IPv4 address is permitted as well. For example, `64:ff9b::/96` permits public
 * hosts behind NAT64, but no private ones. Throws if a range is not a valid CIDR.
 */
export function createAddressPolicy(settings: PolicySettings): AddressPolicy {
  return {
    allowHttp: settings.allowHttp,
    allowPorts: settings.allowPorts,
    networks: settings.allowNetworks.map(parseNetwork),
    own: settings.ownUrl === undefined ? null : new URL(settings.ownUrl),
    decisions: new Map(),
  };
}

/** Whether connections to this address are permitted: it is public unicast, or the policy permits it. */
export function checkAddress(address: string, policy: AddressPolicy): boolean {
  return isReachable(address, policy.networks);
}

/** The only permitted ports below 1024. From 1024 on, only the ports of {@link OTHER_PROTOCOLS} are refused. */
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);
const FIRST_OPEN_PORT = 1_024;
// deno-fmt-ignore
const OTHER_PROTOCOLS: ReadonlySet<number> = new Set([
  // ports blocked by the Fetch standard
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  // SQL Server, Oracle, Docker, MySQL, PostgreSQL, Redis, Cassandra, Elasticsearch, memcached, MongoDB
  1433, 1521, 2375, 2376, 3306, 5432, 6379, 9042, 9200, 9300, 11211, 27017,
]);

function portOf({ port, protocol }: Readonly<URL>): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

/** Whether the URL leads to the service itself. If the service uses port 80 or 443, both count as its own. */
function isOwn(url: URL, { own }: AddressPolicy): boolean {
  if (own === null || url.hostname !== own.hostname) return false;
  const [port, ownPort] = [portOf(url), portOf(own)];
  return port === ownPort || (WEB_PORTS.has(port) && WEB_PORTS.has(ownPort));
}

function isPort(url: URL, policy: AddressPolicy): boolean {
  const port = portOf(url);
  return policy.allowPorts.length > 0 ? policy.allowPorts.includes(port) : isWebPort(port);
}

function isWebPort(port: number): boolean {
  return WEB_PORTS.has(port) || (port >= FIRST_OPEN_PORT && !OTHER_PROTOCOLS.has(port));
}

/** Last labels of names that have a meaning only in a local network (RFC 6761, 6762 appendix G, 8375; ICANN). */
const LOCAL_NAMES =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|test|home\.arpa)$/;
/** Last labels of names that are never hosts in the DNS (RFC 7686, 6761, 9476, 3172). */
const NEVER_HOSTS = /(^|\.)(onion|invalid|alt|(?<!home\.)arpa)$/;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_HOST = 253;

/** Whether a host name is permitted. If the policy has networks, local names pass until they are looked up. */
function isHostName(host: string, policy: AddressPolicy): boolean {
  const labels = host.split(".");
  if (host.length > MAX_HOST || !labels.every((label) => LABEL.test(label))) return false;
  if (NEVER_HOSTS.test(host)) return false;
  return policy.networks.length > 0 || (labels.length > 1 && !LOCAL_NAMES.test(host));
}

type UrlDecision = { readonly ok: true; readonly url: Readonly<URL> } | { readonly ok: false };

const MAX_DECISIONS = 10_000;

/**
 * Decides whether a webhook URL is permitted, as far as possible without a lookup: scheme, length, credentials, port,
 * host name and literal address. Decisions are cached because they depend only on the text and the policy. The fragment
 * is removed because it would not be sent. Do not modify the returned URL, which is shared.
 */
export function checkWebhookUrl(text: string, policy: AddressPolicy): UrlDecision {
  if (text.length > MAX_WEBHOOK_URL) return { ok: false };
  const { decisions } = policy;
  let decision = decisions.get(text);
  if (decision === undefined) {
    if (decisions.size >= MAX_DECISIONS) decisions.clear();
    decisions.set(text, decision = decideUrl(text, policy));
  }
  return decision;
}

/** A parsed URL, or the rule that its text violates. */
type UrlReading = { readonly url: URL } | { readonly fault: string };

function readWebhookUrl(text: string, policy: AddressPolicy): UrlReading {
  const schemes = policy.allowHttp ? "https:// or http://" : "https://";
  const scheme = /^([a-z][a-z0-9+-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "https" && scheme !== "http") {
    return { fault: `must begin with ${schemes}, not with ${scheme}:` };
  }
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) {
    const example = "write it in full, such as https://hooks.example.org/regfeed";
    return {
      fault: scheme === undefined ? `must begin with ${schemes}; ${example}` : `has no host; ${example}`,
    };
  }
  // URL parsers ignore an empty user name, and disagree about backslashes, spaces and control characters.
  if (authority.includes("@")) {
    return { fault: "must not contain a user name or password; deliveries are signed instead" };
  }
  // deno-lint-ignore no-control-regex
  if (/[\\\u0000-\u0020\u007f]/.test(text)) {
    return {
      fault: "must not contain spaces, backslashes or control characters; write them as %20, %5C and so on",
    };
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { fault: "has an invalid host or port" };
  }
  url.hash = "";
  if (url.protocol === "http:" && !policy.allowHttp) {
    return {
      fault:
        "must begin with https://; over http, anyone on the network path could read deliveries (the operator can " +
        "allow http: [delivery] allow_http)",
    };
  }
  if (url.href.length > MAX_WEBHOOK_URL) return { fault: TOO_LONG };
  if (isOwn(url, policy)) return { fault: "must not be a URL of this service; use the URL of your receiver" };
  return isPort(url, policy) ? { url } : { fault: portFault(url, policy) };
}

const TOO_LONG = `must have at most ${MAX_WEBHOOK_URL} characters, including %XX escapes`;

function portFault(url: URL, { allowPorts }: AddressPolicy): string {
  const permitted = allowPorts.length > 0
    ? `the operator allows only ${allowPorts.join(", ")} ([delivery] allow_ports)`
    : `use port 80, port 443, or a port from ${FIRST_OPEN_PORT} up that no other protocol uses (the ` +
      "operator can allow others: [delivery] allow_ports)";
  return `must not use port ${portOf(url)}; ${permitted}`;
}

function decideUrl(text: string, policy: AddressPolicy): UrlDecision {
  const reading = readWebhookUrl(text, policy);
  if ("fault" in reading) return { ok: false };
  const { url } = reading;
  const literal = literalAddress(url);
  const ok = literal === null ? isHostName(url.hostname, policy) : checkAddress(literal, policy);
  return ok ? { ok, url } : { ok };
}

type TargetDecision = { ok: true; addresses: string[] } | { ok: false };

/**
 * Resolves a URL that {@link checkWebhookUrl} permits. If any address is not permitted, the host is refused. The
 * connection must use one of the returned addresses, without another lookup. Throws the resolver's errors.
 */
export async function resolveTarget(
  url: URL,
  resolver: Resolver,
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<TargetDecision> {
  const literal = literalAddress(url);
  const addresses = literal === null
    ? await orAborted(resolver.resolve(url.hostname, signal), signal)
    : [literal];
  const ok = addresses.length > 0 && addresses.every((address) => checkAddress(address, policy));
  return ok ? { ok, addresses: addresses.slice(0, MAX_ADDRESSES) } : { ok };
}

/** Maximum time in ms for the lookup of a new webhook URL. */
const LOOKUP_MS = 3_000;

/**
 * Returns a message that tells the owner of a webhook URL why it is refused, or null if it is permitted or its host
 * cannot be looked up now. The message names the violated rule, but reveals nothing about what a host resolves to.
 */
export async function whyRefused(
  text: string,
  { policy, resolver, clock }: { policy: AddressPolicy; resolver: Resolver; clock: Pick<Clock, "within"> },
): Promise<string | null> {
  if (text.length > MAX_WEBHOOK_URL) return TOO_LONG;
  const reading = readWebhookUrl(text, policy);
  if ("fault" in reading) return reading.fault;
  const checked = checkWebhookUrl(text, policy);
  if (!checked.ok) return REFUSED_HOST;
  try {
    const look = async (signal: AbortSignal) => await resolveTarget(checked.url, resolver, policy, signal);
    return (await clock.within(LOOKUP_MS, look)).ok ? null : REFUSED_HOST;
  } catch (error) {
    if (error instanceof NetworkError || error instanceof DeadlineError) return null;
    throw error;
  }
}
