// Finds the client's IP address behind trusted proxies.
import ipaddr from "ipaddr.js";
import { networkOf, parseAddress } from "../domain/ip_address.ts";

const MAX_HOPS = 20;

/** Ranges that are not public. A connection from one of them probably comes from a proxy. */
const PRIVATE_RANGES: readonly string[] = [
  "loopback",
  "private",
  "uniqueLocal",
  "linkLocal",
  "carrierGradeNat",
];

const PROXY_HEADERS = ["x-forwarded-for", "forwarded", "x-real-ip"] as const;

type Address = ipaddr.IPv4 | ipaddr.IPv6;

export type AddressRange = [Address, number];

export type Remote = string | { readonly remoteAddress: string };

export interface Client {
  address: string;
  /** The key for rate limits; see {@link limitedAs}. */
  limitedAs: string | null;
}

export type ClientOf = (remote: string, headers: Headers) => Client;

export function createClientOf(trusted: readonly AddressRange[]): ClientOf {
  return (remote, headers) => {
    const address = clientAddress(remote, headers.get("x-forwarded-for"), trusted);
    return { address, limitedAs: limitedAs(address, remote) };
  };
}

/** Reads CIDRs. Throws if one is invalid. */
export function readRanges(cidrs: readonly string[]): AddressRange[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr) as AddressRange);
}

/**
 * Returns the client's IP address. If the connection comes from a trusted proxy, this is the last IP address in
 * `X-Forwarded-For` that does not belong to a trusted proxy, because entries further left can be forged. If all of them
 * belong to trusted proxies, it is the first. An invalid entry ends the search at the proxy that wrote it. `Forwarded`
 * (RFC 7239) is not read, because a proxy that writes one of the two headers forwards the other as the client sent it.
 */
export function clientAddress(
  remote: string,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string {
  const hops = (forwardedFor ?? "").split(",").map((hop) => hop.trim()).filter((hop) => hop !== "").reverse();
  const connected = readHop(remote);
  if (connected === null) return remote;
  let client: Address = connected;
  for (const hop of hops.slice(0, MAX_HOPS)) {
    const previous: Address | null = isTrusted(client, trusted) ? readHop(hop) : null;
    if (previous === null) break;
    client = previous;
  }
  return client.toString();
}

/**
 * Returns the key under which a rate limit counts a client: its IPv4 address, its IPv6 /64 network or, if it is neither,
 * `client` itself. Returns null for requests from this machine and those without a connection. `client` is the
 * {@link clientAddress} of `remote`.
 */
export function limitedAs(client: string, remote: string): string | null {
  const address = readHop(client);
  if (address === null) return client === "" ? null : client;
  // A loopback address in a header does not exempt the client, because the header could be forged.
  if (address.range() === "loopback" && client === readHop(remote)?.toString()) return null;
  return networkOf(client);
}

/** Whether a connection seems to come from a proxy that is not in trusted_proxies. */
export function looksLikeProxy(
  remote: string,
  headers: Pick<Headers, "has">,
  trusted: readonly AddressRange[],
): boolean {
  if (!PROXY_HEADERS.some((name) => headers.has(name))) return false;
  const address = readHop(remote);
  return address !== null && PRIVATE_RANGES.includes(address.range()) && !isTrusted(address, trusted);
}

/**
 * Parses a hop as proxies write it: an IP address with or without a port (`192.0.2.1:50000`, `[2001:db8::1]:50000`).
 * Returns an IPv4-mapped IPv6 address as IPv4, and null for anything that is not a hop.
 */
function readHop(text: string): Address | null {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  const address = parseAddress(bare);
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
}

function isTrusted(address: Address, trusted: readonly AddressRange[]): boolean {
  return trusted.some(([base, bits]) => {
    if (address instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && address.match(base, bits);
    return base instanceof ipaddr.IPv6 && address.match(base, bits);
  });
}
