// The guard: which addresses, ports and host names a webhook may go to. Every outgoing delivery passes it.
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

/** What clients are told of every refused address, whatever the reason: a reason would map the network behind us. */
export const REFUSED_ADDRESS = "this URL cannot receive webhooks";

/** The same, of an address that is to be subscribed: what may receive, and what the operator can permit. */
const REFUSED_HOST =
  "must be a complete URL of a public host, such as https://hooks.example.org/regfeed, and not this " +
  "service's own; the operator can allow others ([delivery] allow_networks)";

/** Permitted targets beyond https to public addresses. */
export interface PolicySettings {
  /** Whether http is permitted as well. */
  allowHttp: boolean;
  /** CIDRs that are opened although they are not public. */
  allowNetworks: readonly string[];
  /** The only ports that are permitted; empty: those of the web, and those above that belong to no other protocol. */
  allowPorts: readonly number[];
  /** Where this service is reached itself: it sends nothing there. Without it, it does not know. */
  ownUrl?: string;
}

/** {@link PolicySettings}, read by {@link createAddressPolicy}. */
export interface AddressPolicy {
  readonly allowHttp: boolean;
  /** The opened ranges. */
  readonly networks: readonly Network[];
  /** The only ports; empty: see {@link isWebPort}. */
  readonly ports: readonly number[];
  /** The service's own address; null when it is not known. */
  readonly own: Readonly<URL> | null;
}

/**
 * Reads the operator's permissions. A range opens exactly the addresses it names, in the family in which it names them:
 * `10.0.0.0/8` opens `10.1.2.3` and not `::ffff:10.1.2.3`. An IPv6 form that carries an IPv4 address (mapped, NAT64,
 * 6to4, …) needs a range that names the form, and then the IPv4 address in it must be permitted as well: `64:ff9b::/96`
 * opens public hosts behind NAT64 and nothing private. Throws when a range is no CIDR.
 */
export function createAddressPolicy(settings: PolicySettings): AddressPolicy {
  return {
    allowHttp: settings.allowHttp,
    networks: settings.allowNetworks.map(parseNetwork),
    ports: settings.allowPorts,
    own: settings.ownUrl === undefined ? null : new URL(settings.ownUrl),
  };
}

/**
 * Whether a connection may go to this address: the one decision that everything else here leads to. True for public
 * unicast addresses and for what the policy opens; false for all else, and for text that is no plain address.
 */
export function checkAddress(address: string, policy: AddressPolicy): boolean {
  return isReachable(address, policy.networks);
}

/** Below 1024 only the web's own ports; above it not those of mail, chat, telephony, printing and databases. */
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);
const FIRST_OPEN_PORT = 1_024;
// deno-fmt-ignore
const OTHER_PROTOCOLS: ReadonlySet<number> = new Set([
  // the Fetch standard's blocked ports
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
  // SQL Server, Oracle, Docker, MySQL, PostgreSQL, Redis, Cassandra, Elasticsearch, memcached, MongoDB
  1433, 1521, 2375, 2376, 3306, 5432, 6379, 9042, 9200, 9300, 11211, 27017,
]);

function portOf({ port, protocol }: Readonly<URL>): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

/** Whether it is the service itself, which answers at both ports of the web where it answers at one of them. */
function isOwn(url: URL, { own }: AddressPolicy): boolean {
  if (own === null || url.hostname !== own.hostname) return false;
  const [port, ownPort] = [portOf(url), portOf(own)];
  return port === ownPort || (WEB_PORTS.has(port) && WEB_PORTS.has(ownPort));
}

function isPort(url: URL, policy: AddressPolicy): boolean {
  const port = portOf(url);
  return policy.ports.length > 0 ? policy.ports.includes(port) : isWebPort(port);
}

function isWebPort(port: number): boolean {
  return WEB_PORTS.has(port) || (port >= FIRST_OPEN_PORT && !OTHER_PROTOCOLS.has(port));
}

/** The last labels of names that mean something only inside one network (RFC 6761, 6762 appendix G, 8375; ICANN). */
const LOCAL_NAMES =
  /(^|\.)(localhost|localdomain|local|internal|intranet|private|corp|home|lan|svc|test|home\.arpa)$/;
/** The last labels of names that are never looked up in the DNS, or never name a host (RFC 7686, 6761, 9476, 3172). */
const NEVER_HOSTS = /(^|\.)(onion|invalid|alt|(?<!home\.)arpa)$/;
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;
const MAX_HOST = 253;

/** Whether a name can be a receiver's. A policy that opens networks opens their local names too: addresses decide. */
function isHostName(host: string, policy: AddressPolicy): boolean {
  const labels = host.split(".");
  if (host.length > MAX_HOST || !labels.every((label) => LABEL.test(label))) return false;
  if (NEVER_HOSTS.test(host)) return false;
  return policy.networks.length > 0 || (labels.length > 1 && !LOCAL_NAMES.test(host));
}

/** The decision on the text of a URL. */
type UrlDecision = { readonly ok: true; readonly url: Readonly<URL> } | { readonly ok: false };

/** Decisions of each kind that are kept for one policy; with more, all are forgotten. */
const MAX_KEPT = 10_000;

/**
 * Decisions that were made under a policy, by the text that they are about. Text and policy alone decide, and neither
 * changes; what a name resolves to is never kept.
 */
class Decisions {
  readonly #kept = new WeakMap<
    AddressPolicy,
    { urls: Map<string, UrlDecision>; addresses: Map<string, boolean> }
  >();

  /** The decision about a webhook's text. */
  url(text: string, policy: AddressPolicy): UrlDecision {
    return decideOnce(this.#of(policy).urls, text, () => decideUrl(text, policy));
  }

  /** The decision about an address. */
  address(text: string, policy: AddressPolicy): boolean {
    return decideOnce(this.#of(policy).addresses, text, () => checkAddress(text, policy));
  }

  #of(policy: AddressPolicy): { urls: Map<string, UrlDecision>; addresses: Map<string, boolean> } {
    let kept = this.#kept.get(policy);
    if (kept === undefined) this.#kept.set(policy, kept = { urls: new Map(), addresses: new Map() });
    return kept;
  }
}

/** The address that a host is, null where it is a name; of hosts that were asked for before. */
const literals = new Map<string, string | null>();

function decideOnce<T>(kept: Map<string, T>, text: string, decide: () => T): T {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const decision = decide();
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(text, decision);
  return decision;
}

const decisions = new Decisions();

/**
 * Whether a text can be a webhook's address, as far as that is seen without a look-up: scheme, length, credentials,
 * port, host name, literal addresses. A fragment is dropped; it would never be sent. The URL is shared: nobody changes
 * it.
 */
export function checkWebhookUrl(text: string, policy: AddressPolicy): UrlDecision {
  return text.length > MAX_WEBHOOK_URL ? { ok: false } : decisions.url(text, policy);
}

/** What is wrong with a text itself, whatever stands behind it. */
type UrlReading = { readonly url: URL } | { readonly fault: string };

function readWebhookUrl(text: string, policy: AddressPolicy): UrlReading {
  const scheme = /^([a-z][a-z0-9+-]*):/i.exec(text)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== "https" && scheme !== "http") {
    return { fault: `must begin with https://, not with ${scheme}:` };
  }
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) {
    const example = "write it in full, such as https://hooks.example.org/regfeed";
    return {
      fault: scheme === undefined ? `does not begin with https://: ${example}` : `has no host: ${example}`,
    };
  }
  // URL parsers disagree on backslashes, controls and spaces, and drop an empty "@": such texts are not repaired.
  if (authority.includes("@")) {
    return { fault: "must not contain a user name or password: deliveries are signed instead" };
  }
  // deno-lint-ignore no-control-regex
  if (/[\\\u0000-\u0020\u007f]/.test(text)) {
    return {
      fault: "must not contain spaces, backslashes or control characters: write them as %20, %5C and so on",
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
        "must begin with https://: over http anyone on the network path could read it (the operator can allow http: " +
        "[delivery] allow_http)",
    };
  }
  if (url.href.length > MAX_WEBHOOK_URL) return { fault: TOO_LONG };
  return isPort(url, policy) ? { url } : { fault: portFault(url, policy) };
}

const TOO_LONG = `must have at most ${MAX_WEBHOOK_URL} characters, including %XX escapes`;

function portFault(url: URL, { ports }: AddressPolicy): string {
  const permitted = ports.length > 0
    ? `the operator allows ${ports.join(", ")} ([delivery] allow_ports)`
    : `use none, 80, 443, or one from ${FIRST_OPEN_PORT} on that is not reserved for another protocol (the ` +
      "operator can allow others: [delivery] allow_ports)";
  return `must not have the port ${portOf(url)}: ${permitted}`;
}

function decideUrl(text: string, policy: AddressPolicy): UrlDecision {
  const reading = readWebhookUrl(text, policy);
  if ("fault" in reading || isOwn(reading.url, policy)) return { ok: false };
  const { url } = reading;
  const literal = literalAddress(url);
  const ok = literal === null ? isHostName(url.hostname, policy) : checkAddress(literal, policy);
  return ok ? { ok, url } : { ok };
}

/** Where an attempt may go, as far as that is known: to one of these addresses, or nowhere. */
export type TargetDecision = { ok: true; addresses: string[] } | { ok: false };

/**
 * The addresses of a URL that {@link checkWebhookUrl} let pass, every one of them checked; one that is not permitted
 * refuses the host. A connection must go to one of these and look nothing up again. Throws what the resolver throws.
 */
export async function resolveTarget(
  url: URL,
  resolver: Resolver,
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<TargetDecision> {
  const literal = decideOnce(literals, url.hostname, () => literalAddress(url));
  if (literal !== null) return decideTarget([literal], policy);
  return decideTarget(await orAborted(resolver.resolve(url.hostname, signal), signal), policy);
}

function decideTarget(addresses: string[], policy: AddressPolicy): TargetDecision {
  const ok = addresses.length > 0 && addresses.every((address) => decisions.address(address, policy));
  return ok ? { ok, addresses: addresses.slice(0, MAX_ADDRESSES) } : { ok };
}

/** So long a subscription waits for the look-up of its host, ms. */
const LOOKUP_MS = 3_000;

/**
 * Why an address may not be subscribed, in words for its owner; null when it may, as one may whose host cannot be
 * looked up now. Which rule its text breaks is said; of all that is refused for its host, for what that resolves to, or
 * for being our own, one and the same is.
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
