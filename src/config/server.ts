// The [server] table.
import { resolve } from "node:path";
import type { KeyProblem } from "./toml/problems.ts";
import type { CheckedFile } from "./schema.ts";
import { formatListen, isSameListener, readListen } from "./listen.ts";

/** Settings of the server. */
export interface ServerConfig {
  /** Port 0 lets the system choose one. */
  listen: { hostname: string; port: number };
  /** The URL under which clients reach the service, without a trailing slash. */
  publicUrl: string;
  /** CIDRs of proxies that are trusted to state the client's address. */
  trustedProxies: string[];
  /** The certificate and key files (PEM, absolute paths); null: no TLS. */
  tls: { cert: string; key: string } | null;
  watchConfig: boolean;
}

/** Problems between keys of the raw tables [server] and [metrics]. */
export function findServerProblems({ server, metrics }: Record<string, unknown>): KeyProblem[] {
  return [...findSingleTlsFile(server), ...findSharedAddress(server, metrics)];
}

const DEFAULT_LISTEN = "127.0.0.1:8080";

/** Reports the same address for API and metrics. */
function findSharedAddress(server: unknown, metrics: unknown): KeyProblem[] {
  const [api, own] = [listenOf(server) ?? DEFAULT_LISTEN, listenOf(metrics)];
  if (own === null) return [];
  const [first, second] = [readListen(api), readListen(own)];
  // Invalid addresses are reported elsewhere.
  if (!("value" in first && "value" in second) || !isSameListener(first.value, second.value)) return [];
  return [{
    path: ["metrics", "listen"],
    message: `is ${own}, which conflicts with server.listen (${api}): choose another port for the metrics`,
  }];
}

function listenOf(table: unknown): string | null {
  const { listen } = (table ?? {}) as { listen?: unknown };
  return typeof listen === "string" ? listen : null;
}

function findSingleTlsFile(server: unknown): KeyProblem[] {
  if (typeof server !== "object" || server === null) return [];
  const [given, missing] = "tls_cert" in server ? ["tls_cert", "tls_key"] : ["tls_key", "tls_cert"];
  if (!(given in server) || missing in server) return [];
  return [{
    path: ["server", given],
    message: `needs ${missing} too: TLS requires both the certificate and its key`,
  }];
}

/** The settings of the server. */
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

/** The URL of a server on this machine. */
export function localUrl({ listen, tls }: Pick<ServerConfig, "listen" | "tls">): string {
  const scheme = tls === null ? "http" : "https";
  const anywhere = listen.hostname === "0.0.0.0" || listen.hostname === "::";
  return `${scheme}://${formatListen(anywhere ? { ...listen, hostname: "localhost" } : listen)}`;
}
