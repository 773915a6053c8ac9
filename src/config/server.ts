// Checks the keys of [server] and [metrics] that depend on each other.
import type { KeyProblem } from "./toml/problems.ts";
import { formatListen, isSameListener, type ListenAddress, readListen } from "./listen.ts";

export function findServerProblems({ server, metrics }: Record<string, unknown>): KeyProblem[] {
  return [...findSingleTlsFile(server), ...findSharedAddress(server, metrics)];
}

const DEFAULT_LISTEN = "127.0.0.1:8080";

function findSharedAddress(server: unknown, metrics: unknown): KeyProblem[] {
  const [api, own] = [listenOf(server) ?? DEFAULT_LISTEN, listenOf(metrics)];
  if (own === null) return [];
  const [first, second] = [readListen(api), readListen(own)];
  // The schema reports invalid addresses.
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

export function localUrl({ listen, tls }: { listen: ListenAddress; tls: unknown }): string {
  const scheme = tls === null ? "http" : "https";
  const anywhere = listen.hostname === "0.0.0.0" || listen.hostname === "::";
  return `${scheme}://${formatListen(anywhere ? { ...listen, hostname: "localhost" } : listen)}`;
}
