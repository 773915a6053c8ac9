// Addresses to listen on, as a config has them.
import ipaddr from "ipaddr.js";
import { quote } from "./problems.ts";
import type { Reading } from "./values.ts";

const MAX_PORT = 65_535;
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i;

/** `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`; `:8080` is every IPv4 address; port 0 lets the system choose. */
export function readListen(text: string): Reading<{ hostname: string; port: number }> {
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

/** An address to listen on as the config has it. */
export function formatListen(listen: { hostname: string; port: number }): string {
  return `${listen.hostname.includes(":") ? `[${listen.hostname}]` : listen.hostname}:${listen.port}`;
}
