// The client's IP address, behind trusted proxies.
import ipaddr from "ipaddr.js";
import { networkOf, parseAddress } from "../../domain/ip_address.ts";

/** Maximum number of proxies. */
const MAX_HOPS = 20;

/** Private ranges, from which mostly proxies connect. */
const OWN_RANGES: readonly string[] = ["loopback", "private", "uniqueLocal", "linkLocal", "carrierGradeNat"];

/** Headers in which proxies state the client. */
const PROXY_HEADERS = ["x-forwarded-for", "forwarded", "x-real-ip"] as const;

/** Maximum number of cached addresses. */
const MAX_REMEMBERED = 1_000;

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A parsed range of addresses. */
export type AddressRange = [Address, number];

/** The remote address of a connection. */
export type Remote = string | { readonly remoteAddress: string };

/** The client of a request. */
export interface Client {
  /** Its address behind trusted proxies. */
  address: string;
  /** The key for rate limits: see {@link limitedAs}. */
  limitedAs: string | null;
  /** Whether it comes through an untrusted proxy: see {@link looksLikeProxy}. */
  isBehindUnknownProxy: boolean;
}

/**
 * Tells the client of a request from its connection's address and its headers. What no proxy hands on is the same for
 * every request of an address, and is worked out once.
 */
export function createClients(
  trusted: readonly AddressRange[],
): (remote: string, headers: Headers) => Client {
  const remembered = new Map<string, Client>();
  const read = (remote: string, headers: Headers): Client => {
    const address = clientAddress(remote, headers.get("x-forwarded-for"), trusted);
    return {
      address,
      limitedAs: limitedAs(address, remote),
      isBehindUnknownProxy: looksLikeProxy(remote, headers, trusted),
    };
  };
  return (remote, headers) => {
    if (isHandedOn(headers)) return read(remote, headers);
    const known = remembered.get(remote);
    if (known !== undefined) return known;
    const client = read(remote, headers);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(remote, client);
    return client;
  };
}

/** Reads CIDRs. Throws when one is none. */
export function readRanges(cidrs: readonly string[]): AddressRange[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr) as AddressRange);
}

/**
 * The client's address: that of the connection, unless it is a trusted proxy's; then the last address of
 * `X-Forwarded-For` that is not one. What stands further left was said by somebody whom nobody vouches for, and what is
 * no address ends the walk at the proxy that said it. `Forwarded` (RFC 7239) is not read: a proxy that writes one of
 * the two headers hands on the other as the client sent it.
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
    const before: Address | null = isTrusted(client, trusted) ? readHop(hop) : null;
    if (before === null) break;
    client = before;
  }
  return client.toString();
}

/**
 * Whom a limit counts: an IPv4 address, or an IPv6 network of 64 bits; null for a request over no connection, and for
 * one of this machine itself. `client` is what {@link clientAddress} gave for a connection from `remote`.
 */
export function limitedAs(client: string, remote: string): string | null {
  const address = readHop(client);
  if (address === null) return client === "" ? null : client;
  // Only the connection's own address counts: a header could be used to avoid the limits.
  if (address.range() === "loopback" && client === readHop(remote)?.toString()) return null;
  return networkOf(client);
}

/** Whether a connection looks like a proxy that is not in trusted_proxies. */
export function looksLikeProxy(
  remote: string,
  headers: Pick<Headers, "has">,
  trusted: readonly AddressRange[],
): boolean {
  const address = readHop(remote);
  if (address === null || !OWN_RANGES.includes(address.range()) || isTrusted(address, trusted)) return false;
  return isHandedOn(headers);
}

function isHandedOn(headers: Pick<Headers, "has">): boolean {
  for (const name of PROXY_HEADERS) {
    if (headers.has(name)) return true;
  }
  return false;
}

/**
 * A hop as proxies write it: an address, with its port (`192.0.2.1:50000`, `[2001:db8::1]:50000`) or without. An IPv4
 * client on an IPv6 socket is an IPv4 client. Null for anything else.
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
