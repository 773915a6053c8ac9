// The guard: which addresses, ports and host names a webhook may go to. Every outgoing delivery passes it.
import ipaddr from "ipaddr.js";
import type { Resolver } from "../domain/ports.ts";
import { MAX_WEBHOOK_URL } from "../wire/subscription.ts";

/** What clients are told of every refused address, whatever the reason: a reason would map the network behind us. */
export const REFUSED_ADDRESS = "this address cannot receive webhooks";

/** A named range: its base address and the number of bits that count. */
type Network = readonly [base: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** What the operator permits beyond https to public addresses. */
export interface PolicySettings {
  /** Whether http is permitted beside https. */
  allowHttp: boolean;
  /** CIDRs that are opened although they are not public. */
  allowNetworks: readonly string[];
}

/** {@link PolicySettings}, read by {@link createAddressPolicy}. */
export interface AddressPolicy {
  readonly allowHttp: boolean;
  /** The opened ranges. */
  readonly networks: readonly Network[];
}

/**
 * Reads the operator's permissions. A range opens exactly the addresses it names, in the family in which it names
 * them: `10.0.0.0/8` opens `10.1.2.3` and not `::ffff:10.1.2.3`. An IPv6 form that carries an IPv4 address (mapped,
 * NAT64, 6to4, …) needs a range that names the form, and then the IPv4 address in it must be permitted as well:
 * `64:ff9b::/96` opens public hosts behind NAT64 and nothing private. Throws when a range is no CIDR.
 */
export function createAddressPolicy(settings: PolicySettings): AddressPolicy {
  return { allowHttp: settings.allowHttp, networks: settings.allowNetworks.map(parseNetwork) };
}

function parseNetwork(text: string): Network {
  const [base = "", bits = "", ...rest] = text.split("/");
  const address = parseAddress(base);
  const most = address?.kind() === "ipv4" ? 32 : 128;
  if (address === null || rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) {
    throw new Error(`"${text}" is no range of addresses: write it as a CIDR, such as 10.0.0.0/8 or fd00::/8`);
  }
  return [address, Number(bits)];
}

/**
 * Reads an address as connections read it, null when it is none: IPv4 with four decimal parts, IPv6 without a zone.
 * The library alone is laxer (`0x7f.1`, `010.1.1.1`) and takes `::1.2.3.4` for `::ffff:1.2.3.4`.
 */
function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  const plain = text.replace(/(?<=:)\d+\.\d+\.\d+\.\d+$/, (tail) => {
    if (!ipaddr.IPv4.isValidFourPartDecimal(tail)) return tail;
    const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(tail).octets;
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  if (/[^0-9a-f:]/i.test(plain) || !ipaddr.IPv6.isValid(plain)) return null;
  return ipaddr.IPv6.parse(plain);
}

/** IPv6 forms that carry an IPv4 address, and where: RFC 4291, 6145, 6052, 8215, 3056, 4380. */
const CARRIERS: readonly { network: [ipaddr.IPv6, number]; firstByte: number; inverted: boolean }[] = [
  { network: ipaddr.IPv6.parseCIDR("::ffff:0:0/96"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("::/96"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("64:ff9b::/96"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("64:ff9b:1::/48"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("2002::/16"), firstByte: 2, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("2001::/32"), firstByte: 12, inverted: true },
];

/** The IPv4 address that an IPv6 form carries, null when it carries none. */
function carriedAddress(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | null {
  if (!(address instanceof ipaddr.IPv6)) return null;
  if (address.range() === "unspecified" || address.range() === "loopback") return null;
  const carrier = CARRIERS.find(({ network }) => address.match(network));
  if (carrier === undefined) return null;
  const bytes = address.toByteArray().slice(carrier.firstByte, carrier.firstByte + 4);
  return new ipaddr.IPv4(carrier.inverted ? bytes.map((byte) => byte ^ 0xff) : bytes);
}

/** The part of IPv6 that is handed out for global unicast: nothing outside of it is a public host. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** Azure's host agent: looks public, is reachable only from inside a virtual machine there. */
const AZURE_HOST = ipaddr.IPv4.parse("168.63.129.16");

/**
 * Whether the Internet at large reaches a host there (IANA's special-purpose registries, RFC 6890). Ranges that are
 * global and belong to one protocol (AS112, AMT) hold no receivers and are not counted as public.
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv6
    ? address.match(GLOBAL_IPV6)
    : address.toString() !== AZURE_HOST.toString();
}

function isOpened(address: ipaddr.IPv4 | ipaddr.IPv6, policy: AddressPolicy): boolean {
  return policy.networks.some(([base, bits]) =>
    address instanceof ipaddr.IPv6
      ? base instanceof ipaddr.IPv6 && address.match(base, bits)
      : base instanceof ipaddr.IPv4 && address.match(base, bits)
  );
}

function isPermitted(address: ipaddr.IPv4 | ipaddr.IPv6, policy: AddressPolicy): boolean {
  const carried = carriedAddress(address);
  if (carried !== null) return isOpened(address, policy) && isPermitted(carried, policy);
  return isPublic(address) || isOpened(address, policy);
}

/**
 * Whether a connection may go to this address: the one decision that everything else here leads to. True for public
 * unicast addresses and for what the policy opens; false for all else, and for text that is no plain address.
 */
export function checkAddress(address: string, policy: AddressPolicy): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isPermitted(parsed, policy);
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

function isWebPort(url: URL): boolean {
  if (url.port === "") return true; // the scheme's own
  const port = Number(url.port);
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

/** The address that a URL holds in place of a name, null when it holds a name. */
function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return parseAddress(host) === null ? null : host;
}

/**
 * Whether a text can be a webhook's address, as far as that is seen without a look-up: scheme, length, credentials,
 * port, host name, literal addresses. A fragment is dropped; it would never be sent.
 */
export function checkWebhookUrl(
  text: string,
  policy: AddressPolicy,
): { ok: true; url: URL } | { ok: false } {
  if (text.length > MAX_WEBHOOK_URL) return { ok: false };
  // URL parsers disagree on backslashes, controls and spaces, and drop an empty "@": such texts are not repaired.
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  // deno-lint-ignore no-control-regex
  if (authority === undefined || authority.includes("@") || /[\\\u0000-\u0020\u007f]/.test(text)) {
    return { ok: false };
  }
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return { ok: false };
  }
  url.hash = "";
  if (url.href.length > MAX_WEBHOOK_URL || !isWebPort(url)) return { ok: false };
  if (url.protocol !== "https:" && !(policy.allowHttp && url.protocol === "http:")) return { ok: false };
  const literal = literalAddress(url);
  const ok = literal === null ? isHostName(url.hostname, policy) : checkAddress(literal, policy);
  return ok ? { ok, url } : { ok };
}

/** The most addresses of one host that a connection tries. */
const MAX_ADDRESSES = 16;

/**
 * The addresses of a URL that {@link checkWebhookUrl} let pass, every one of them checked; one that is not permitted
 * refuses the host. A connection must go to one of these and look nothing up again. Throws what the resolver throws.
 */
export async function resolveTarget(
  url: URL,
  resolver: Resolver,
  policy: AddressPolicy,
  signal: AbortSignal,
): Promise<{ ok: true; addresses: string[] } | { ok: false }> {
  const literal = literalAddress(url);
  const addresses = literal === null ? await resolver.resolve(url.hostname, signal) : [literal];
  const ok = addresses.length > 0 && addresses.every((address) => checkAddress(address, policy));
  return ok ? { ok, addresses: addresses.slice(0, MAX_ADDRESSES) } : { ok };
}
