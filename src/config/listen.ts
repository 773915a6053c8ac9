// Parses and compares addresses to listen on.
import ipaddr from "ipaddr.js";
import { quote } from "./toml/problems.ts";
import type { Reading } from "./parse_values.ts";

const MAX_PORT = 65_535;
const MAX_HOST_NAME = 253;
const LABEL = /^[a-z0-9]+(?:-+[a-z0-9]+)*$/i;

export interface ListenAddress {
  hostname: string;
  port: number;
}

/** Parses `127.0.0.1:8080`, `[::1]:8080`, `:8080` (every IPv4 address) and the like. Port 0 means any free port. */
export function readListen(text: string): Reading<ListenAddress> {
  const forms = 'use ADDRESS:PORT, such as "127.0.0.1:8080", "[::1]:8080" or ":8080"';
  const match = /^(?:\[([^\]]*)\]|([^:]*)):(\d{1,5})$/.exec(text);
  if (!match) {
    if (/^\d{1,5}$/.test(text)) {
      return { problem: `is only a port: use ":${text}" to listen on every IPv4 address` };
    }
    if (ipaddr.IPv6.isValid(text)) return { problem: `has an IPv6 address without brackets: ${forms}` };
    return { problem: `is not a valid address to listen on: ${quote(text)}; ${forms}` };
  }
  const [, bracketed, plain, portText] = match;
  const port = Number(portText);
  if (port > MAX_PORT) return { problem: `has the port ${port}; the maximum is ${MAX_PORT}` };
  if (bracketed !== undefined) {
    if (ipaddr.IPv6.isValid(bracketed)) return { value: { hostname: bracketed, port } };
    return { problem: `does not have a valid IPv6 address in the brackets: ${forms}` };
  }
  if (!plain) return { value: { hostname: "0.0.0.0", port } };
  const numeric = /^[\d.]+$/.test(plain);
  if (numeric ? ipaddr.IPv4.isValidFourPartDecimal(plain) : isHostName(plain)) {
    return { value: { hostname: plain, port } };
  }
  return { problem: `does not have a valid address or host name: ${quote(plain)}; ${forms}` };
}

function isHostName(text: string): boolean {
  return text.length <= MAX_HOST_NAME && text.split(".").every((label) => LABEL.test(label));
}

/**
 * Whether two listeners conflict. `::` covers every address and `0.0.0.0` every IPv4 address. An IPv4 address may be
 * written as an IPv6 address. `localhost` means 127.0.0.1; other host names are compared as text.
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

function addressOf(hostname: string): string {
  if (hostname.toLowerCase() === "localhost") return "127.0.0.1";
  return ipaddr.isValid(hostname) ? ipaddr.process(hostname).toString() : hostname.toLowerCase();
}

export function formatListen(listen: ListenAddress): string {
  return `${listen.hostname.includes(":") ? `[${listen.hostname}]` : listen.hostname}:${listen.port}`;
}
