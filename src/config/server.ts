// What the config says of the server.
import { resolve } from "node:path";
import type { KeyProblem } from "./problems.ts";
import type { CheckedFile } from "./schema.ts";
import { formatListen, isSameListener, readListen } from "./listen.ts";

/** Where the API listens and how it is reached. */
export interface ServerConfig {
  /** Port 0 lets the system choose one. */
  listen: { hostname: string; port: number };
  /** Where clients reach the service, without a slash at its end. */
  publicUrl: string;
  /** CIDRs of proxies whose word on the client's address is taken. */
  trustedProxies: string[];
  /** The files of the certificate and its key, PEM, absolute; null: the server speaks no TLS. */
  tls: { cert: string; key: string } | null;
  /** Whether a changed config is put in force without being asked. */
  watchConfig: boolean;
}

/** What is wrong with the server's table beyond single values; it is looked at raw. */
export function findServerProblems({ server, metrics }: Record<string, unknown>): KeyProblem[] {
  return [...findLoneTlsFile(server), ...findSharedAddress(server, metrics)];
}

/** Where the server listens when the config does not say it. */
const USUAL_ADDRESS = "127.0.0.1:8080";

/** Two listeners on one address: the second would be told that another program has it. */
function findSharedAddress(server: unknown, metrics: unknown): KeyProblem[] {
  const [api, own] = [listenOf(server) ?? USUAL_ADDRESS, listenOf(metrics)];
  if (own === null) return [];
  const [first, second] = [readListen(api), readListen(own)];
  // What cannot be read is told of where it stands.
  if (!("value" in first && "value" in second) || !isSameListener(first.value, second.value)) return [];
  const where = own === api
    ? "where the API listens already"
    : `and the API listens on ${api}, which takes that too`;
  return [{
    path: ["metrics", "listen"],
    message: `is ${own}, ${where} (server.listen): the metrics need a port of their own`,
  }];
}

function listenOf(table: unknown): string | null {
  const { listen } = (table ?? {}) as { listen?: unknown };
  return typeof listen === "string" ? listen : null;
}

function findLoneTlsFile(server: unknown): KeyProblem[] {
  if (typeof server !== "object" || server === null) return [];
  const [given, missing] = "tls_cert" in server ? ["tls_cert", "tls_key"] : ["tls_key", "tls_cert"];
  if (!(given in server) || missing in server) return [];
  return [{
    path: ["server", given],
    message: `needs ${missing} beside it: a certificate and its key are two files`,
  }];
}

/** The part of a checked file that concerns the server. */
export function buildServer(file: CheckedFile["server"], folder: string): ServerConfig {
  const { listen, public_url, trusted_proxies, tls_cert, tls_key, watch_config } = file;
  const tls = tls_cert === undefined || tls_key === undefined
    ? null
    : { cert: resolve(folder, tls_cert), key: resolve(folder, tls_key) };
  return {
    listen,
    publicUrl: public_url ?? localUrl({ listen, tls }),
    trustedProxies: trusted_proxies,
    tls,
    watchConfig: watch_config,
  };
}

/** The address under which this machine reaches a server that listens there. */
export function localUrl({ listen, tls }: Pick<ServerConfig, "listen" | "tls">): string {
  const scheme = tls === null ? "http" : "https";
  const anywhere = listen.hostname === "0.0.0.0" || listen.hostname === "::";
  return `${scheme}://${formatListen(anywhere ? { ...listen, hostname: "localhost" } : listen)}`;
}
