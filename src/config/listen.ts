// Addresses to listen on, as a config has them.
import ipaddr from "ipaddr.js";
import { quote } from "./problems.ts";
import type { Reading } from "./parse_values.ts";

const MAX_PORT = 65_535;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/** Where a listener is. */
export interface ListenAddress {
  hostname: string;
  port: number;
}

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`; `:8080` is every IPv4 address; port 0 lets the system choose. */
export function readListen(text: string): Reading<ListenAddress> {
  const forms = 'write ADDRESS:PORT, such as "127.0.0.1:8080", "[::1]:8080" or ":8080"';
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text);
  if (!match) {
    if (/^\d{1,5}$/.test(text)) {
      return { problem: `is a port alone: write ":${text}" for every address of the machine` };
    }
    if (ipaddr.IPv6.isValid(text)) return { problem: `has an IPv6 address without brackets: ${forms}` };
    return { problem: `cannot be read from ${quote(text)}: ${forms}` };
  }
  const [, inBrackets, plain, portText] = match;
  const port = Number(portText);
  if (port > MAX_PORT) return { problem: `has the port ${port}: ports go from 0 to ${MAX_PORT}` };
  if (inBrackets !== undefined) {
    if (ipaddr.IPv6.isValid(inBrackets)) return { value: { hostname: inBrackets, port } };
    return { problem: `has no IPv6 address in the brackets: ${forms}` };
  }
  if (!plain) return { value: { hostname: "0.0.0.0", port } };
  const numeric = /^[\d.]+$/.test(plain);
  if (numeric ? ipaddr.IPv4.isValidFourPartDecimal(plain) : HOST_NAME.test(plain)) {
    return { value: { hostname: plain, port } };
  }
  return { problem: `has no address or host name in ${quote(plain)}: ${forms}` };
}

/**
 * Whether the system would refuse a second listener on the other address: `::` takes every address, `0.0.0.0` every IPv4
 * one, and an IPv4 address may be written as an IPv6 one. Of a host name nothing is known but that `localhost` is this
 * machine's: mostly 127.0.0.1.
 */
export function isSameListener(one: ListenAddress, other: ListenAddress): boolean {
  if (one.port !== other.port || one.port === 0) return false;
  const [a, b] = [addressOf(one.hostname), addressOf(other.hostname)];
  if (a === b || a === ANY || b === ANY) return true;
  const isIpv4 = (address: string) => ipaddr.IPv4.isValid(address);
  return (a === ANY_IPV4 && isIpv4(b)) || (b === ANY_IPV4 && isIpv4(a));
}

const ANY = "::";
const ANY_IPV4 = "0.0.0.0";

/** An address in the one form that it is compared in; a host name that is not known stays as it is. */
function addressOf(hostname: string): string {
  if (hostname.toLowerCase() === "localhost") return "127.0.0.1";
  return ipaddr.isValid(hostname) ? ipaddr.process(hostname).toString() : hostname.toLowerCase();
}

/** An address to listen on as the config has it. */
export function formatListen(listen: ListenAddress): string {
  return `${listen.hostname.includes(":") ? `[${listen.hostname}]` : listen.hostname}:${listen.port}`;
}
