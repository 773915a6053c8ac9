// Parses IP addresses and decides which of them connections may use.
import ipaddr from "ipaddr.js";

/** A range, with its base address and the length of its prefix. */
export type Network = readonly [base: ipaddr.IPv4 | ipaddr.IPv6, bits: number];

/** Maximum number of a host's IP addresses that a connection tries. */
export const MAX_ADDRESSES = 16;

/** Parses a range in CIDR notation. Throws if the notation is not valid. */
export function parseNetwork(text: string): Network {
  const [base = "", bits = "", ...rest] = text.split("/");
  const address = parseAddress(base);
  const most = address?.kind() === "ipv4" ? 32 : 128;
  if (address === null || rest.length > 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) {
    throw new Error(`"${text}" is not a valid CIDR: use the form 10.0.0.0/8 or fd00::/8`);
  }
  return [address, Number(bits)];
}

/**
 * Parses an IP address as connections do: IPv4 with four decimal parts, or IPv6 without a zone. Returns null for any
 * other string. On its own, the library accepts `0x7f.1` and `010.1.1.1`, and reads `::1.2.3.4` as `::ffff:1.2.3.4`.
 */
export function parseAddress(text: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  const plain = text.replace(/(?<=:)\d+\.\d+\.\d+\.\d+$/, (tail) => {
    if (!ipaddr.IPv4.isValidFourPartDecimal(tail)) return tail;
    const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(tail).octets;
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  if (/[^0-9a-f:]/i.test(plain) || !ipaddr.IPv6.isValid(plain)) return null;
  return ipaddr.IPv6.parse(plain);
}

/** IPv6 ranges whose addresses contain an IPv4 address, and its position (RFC 4291, 6145, 6052, 8215, 3056, 4380). */
const CARRIERS: readonly { network: [ipaddr.IPv6, number]; firstByte: number; inverted: boolean }[] = [
  { network: ipaddr.IPv6.parseCIDR("::ffff:0:0/96"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("::/96"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("::ffff:0:0:0/96"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("64:ff9b::/96"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("64:ff9b:1::/48"), firstByte: 12, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("2002::/16"), firstByte: 2, inverted: false },
  { network: ipaddr.IPv6.parseCIDR("2001::/32"), firstByte: 12, inverted: true },
];

/** Returns the IPv4 address inside an IPv6 address, or null if there is none. */
function carriedAddress(address: ipaddr.IPv4 | ipaddr.IPv6): ipaddr.IPv4 | null {
  if (!(address instanceof ipaddr.IPv6)) return null;
  if (address.range() === "unspecified" || address.range() === "loopback") return null;
  const carrier = CARRIERS.find(({ network }) => address.match(network));
  if (carrier === undefined) return null;
  const bytes = address.toByteArray().slice(carrier.firstByte, carrier.firstByte + 4);
  return new ipaddr.IPv4(carrier.inverted ? bytes.map((byte) => byte ^ 0xff) : bytes);
}

/** The allocated part of global unicast IPv6. No host outside it is public. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");
/** Azure's host agent. Its IP address looks public, but can only be reached from a virtual machine in Azure. */
const AZURE_HOST = ipaddr.IPv4.parse("168.63.129.16");

/**
 * Whether a host at this IP address can be reached on the Internet (IANA's special-purpose registries, RFC 6890).
 * Global ranges reserved for a single protocol (AS112, AMT) contain no receivers and do not count as public.
 */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address instanceof ipaddr.IPv6
    ? address.match(GLOBAL_IPV6)
    : address.toString() !== AZURE_HOST.toString();
}

function isOpened(address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly Network[]): boolean {
  return networks.some(([base, bits]) =>
    address instanceof ipaddr.IPv6
      ? base instanceof ipaddr.IPv6 && address.match(base, bits)
      : base instanceof ipaddr.IPv4 && address.match(base, bits)
  );
}

function isPermitted(address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly Network[]): boolean {
  const carried = carriedAddress(address);
  if (carried !== null) return isOpened(address, networks) && isPermitted(carried, networks);
  return isPublic(address) || isOpened(address, networks);
}

/**
 * Whether a connection may go to this IP address: a public unicast address, or one in an opened range. An address that
 * contains an IPv4 address must itself be in an opened range, and the IPv4 address must be reachable too.
 */
export function isReachable(address: string, opened: readonly Network[]): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && isPermitted(parsed, opened);
}

const LOOPBACK: readonly Network[] = ["127.0.0.0/8", "::1/128"].map(parseNetwork);

/** Whether a range in CIDR notation contains a loopback address. Throws if the notation is not valid. */
export function holdsLoopback(range: string): boolean {
  const [base, bits] = parseNetwork(range);
  // Two ranges overlap if their base addresses share the prefix of the wider range.
  return LOOPBACK.some(([own, ownBits]) => isOpened(base, [[own, Math.min(bits, ownBits)]]));
}

/** Returns the IP address in a URL, or null if the URL contains a host name. */
export function literalAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return parseAddress(host) === null ? null : host;
}

/** Length of the IPv6 prefix that a provider assigns to one customer, who controls all addresses with that prefix. */
const IPV6_NETWORK_BITS = 64;

/** Returns the key by which limits count clients: an IPv4 address, an IPv6 network, or any other string unchanged. */
export function networkOf(text: string, ipv6Bits = IPV6_NETWORK_BITS): string {
  const address = parseAddress(text);
  if (address === null) return text;
  if (address instanceof ipaddr.IPv4) return address.toString();
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${ipv6Bits}`)}/${ipv6Bits}`;
}
