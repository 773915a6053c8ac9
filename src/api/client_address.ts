// Whose request it is: the address behind the proxies that the operator trusts.
import ipaddr from "ipaddr.js";

/** Hops that are followed at most: a longer chain is not one of the operator's. */
const MAX_HOPS = 20;

/** A range of addresses, read once. */
export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Reads CIDRs. Throws when one is none. */
export function readRanges(cidrs: readonly string[]): AddressRange[] {
  return cidrs.map((cidr) => ipaddr.parseCIDR(cidr) as AddressRange);
}

/**
 * The client's address: that of the connection, unless it is a trusted proxy's; then the last address of
 * `X-Forwarded-For` that is not one. What stands further left was said by somebody whom nobody vouches for.
 */
export function clientAddress(
  remote: string,
  forwardedFor: string | null,
  trusted: readonly AddressRange[],
): string {
  const hops = (forwardedFor ?? "").split(",").map((hop) => hop.trim()).filter((hop) => hop !== "").reverse();
  let client = remote;
  for (const hop of hops.slice(0, MAX_HOPS)) {
    if (!isTrusted(client, trusted) || !ipaddr.isValid(hop)) break;
    client = hop;
  }
  return client;
}

function isTrusted(address: string, trusted: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address); // an IPv4 client on an IPv6 socket is an IPv4 client
  return trusted.some(([base, bits]) => {
    if (parsed instanceof ipaddr.IPv4) return base instanceof ipaddr.IPv4 && parsed.match(base, bits);
    return base instanceof ipaddr.IPv6 && parsed.match(base, bits);
  });
}
