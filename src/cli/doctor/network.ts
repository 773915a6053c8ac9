// Checks of the network: names, hosts, the clock, proxies, and where webhooks may go.
import type { Config } from "../../config/config.ts";
import { holdsLoopback, literalAddress } from "../../domain/ip_address.ts";
import type { Clock, HttpClient, Resolver } from "../../domain/ports/ports.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { type Finding, good, problem, warning } from "../../server/checks/finding.ts";

/** Maximum time for one host: DNS, connection and response, ms. */
const HOST_MS = 10_000;
/** A larger clock error is a problem, ms: receivers accept signatures within five minutes. */
const WRONG_CLOCK_MS = 120_000;
const ODD_CLOCK_MS = 15_000;
/** Maximum number of concurrent requests. */
const CONCURRENCY = 8;
const MAX_BODY_BYTES = 4_096;

/** What the check needs. */
export interface Asking {
  clock: Clock;
  http: HttpClient;
  resolver: Resolver;
  userAgent: string;
}

/** The result of a request to a host. */
export interface HostResult {
  host: string;
  /** The sources that are fetched from it. */
  sources: string[];
  /** Null when it responded. */
  failure: string | null;
  /** Whether its name was resolved; null for an IP address. */
  isResolved: boolean | null;
  /** How far the machine's clock is ahead of the host's, ms; null when the host sent no date. */
  aheadMs: number | null;
}

/** Requests the front page of each host of the sources once. */
export async function askHosts(sources: readonly SourceSettings[], asking: Asking): Promise<HostResult[]> {
  const remote = sources.filter(({ fetchStrategy }) => fetchStrategy !== "files");
  const waiting = [...Map.groupBy(remote, ({ location }) => new URL(location).origin)];
  const results: HostResult[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [origin, users] = next;
      const url = new URL(origin);
      results.push({ host: url.host, sources: users.map(({ id }) => id), ...await askHost(url, asking) });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return results.sort((one, other) => one.host < other.host ? -1 : 1);
}

async function askHost(
  url: URL,
  { clock, http, resolver, userAgent }: Asking,
): Promise<Pick<HostResult, "failure" | "isResolved" | "aheadMs">> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  let isResolved = literalAddress(url) === null ? false : null;
  try {
    return await clock.within(HOST_MS, async (signal) => {
      await resolver.resolve(host, signal);
      if (isResolved === false) isResolved = true;
      const headers = { "user-agent": userAgent };
      const response = await http.request({
        method: "GET",
        url,
        headers,
        maxBodyBytes: MAX_BODY_BYTES,
        signal,
      });
      const shown = Date.parse(response.headers["date"] ?? "");
      return { failure: null, isResolved, aheadMs: Number.isNaN(shown) ? null : clock.nowMs() - shown };
    });
  } catch (error) {
    return { failure: (error as Error).message, isResolved, aheadMs: null };
  }
}

/** Checks whether DNS works at all; single names that fail are reported by {@link checkHosts}. */
export function checkNames(results: readonly HostResult[]): Finding[] {
  const named = results.filter(({ isResolved }) => isResolved !== null);
  const resolved = named.filter(({ isResolved }) => isResolved).length;
  if (named.length === 0) return [];
  if (resolved > 0) return [good("dns", `${resolved} of ${named.length} host names are resolved`)];
  const todo =
    "repair the machine's DNS: see /etc/resolv.conf or `resolvectl status`; in a container, its --dns";
  return [problem("dns", "no host name of a source is resolved", todo)];
}

/** Checks the hosts. If DNS does not work, {@link checkNames} reports it once. */
export function checkHosts(results: readonly HostResult[]): Finding[] {
  const isDnsDown = !results.some(({ isResolved }) => isResolved === true);
  const asked = results.filter(({ isResolved }) => !isDnsDown || isResolved === null);
  const silent = asked.filter(({ failure }) => failure !== null);
  return [
    ...(asked.length > silent.length
      ? [good("hosts", `${asked.length - silent.length} hosts of sources respond`)]
      : []),
    ...silent.map(({ host, sources, failure }) =>
      warning(
        "hosts",
        `${host} does not respond: ${failure}`,
        `try it from this machine by other means; a firewall may block ${sources.join(", ")}`,
      )
    ),
  ];
}

/** Checks the machine's clock against the median of the hosts' clocks, because single hosts are wrong. */
export function checkClock(results: readonly HostResult[]): Finding {
  const ahead = results.map(({ aheadMs }) => aheadMs).filter((ms) => ms !== null).sort((a, b) => a - b);
  const median = ahead[Math.floor(ahead.length / 2)];
  if (median === undefined) {
    return warning("clock", "there is no host to compare the clock with", "check it yourself: `date -u`");
  }
  const hosts = `${ahead.length} ${ahead.length === 1 ? "host" : "hosts"}`;
  const seconds = Math.round(Math.abs(median) / 1_000);
  const seen = `the clock is ${seconds} s ${median > 0 ? "ahead of" : "behind"} that of ${hosts}`;
  const todo = "let the system set it: `timedatectl set-ntp true`";
  if (Math.abs(median) > WRONG_CLOCK_MS) {
    return problem("clock", `${seen}: receivers refuse signatures, and quotas end at the wrong time`, todo);
  }
  return Math.abs(median) > ODD_CLOCK_MS
    ? warning("clock", seen, todo)
    : good("clock", `the clock agrees with ${hosts}`);
}

const isLocal = (hostname: string): boolean => /^(localhost|127\.|\[::1\])/.test(hostname);

/** Checks the settings for a reverse proxy, and proxies in the environment. */
export function checkProxies(
  server: { publicUrl: string; trustedProxies: readonly string[]; tls: unknown },
  env: (name: string) => string | undefined,
): Finding[] {
  const findings: Finding[] = [];
  const { protocol, hostname } = new URL(server.publicUrl);
  const nameIt = 'add the proxy: server.trusted_proxies = ["127.0.0.1/32"]';
  if (server.trustedProxies.some((range) => range.endsWith("/0"))) {
    const seen = "trusted_proxies has every address: any client can pretend to be another";
    findings.push(problem("proxy", seen, nameIt));
  }
  if (protocol === "https:" && server.tls === null && server.trustedProxies.length === 0) {
    const seen =
      "public_url is https, so there is a proxy, but trusted_proxies is empty: all clients seem to have its IP address";
    findings.push(warning("proxy", seen, nameIt));
  }
  if (protocol === "http:" && !isLocal(hostname)) {
    const todo = "set server.tls_cert and server.tls_key, or use a proxy with TLS and set its https URL";
    findings.push(warning("proxy", `public_url is ${server.publicUrl}: API keys are sent unencrypted`, todo));
  }
  const named = ["https_proxy", "http_proxy", "all_proxy"].flatMap((name) => [name.toUpperCase(), name])
    .filter((name) => (env(name) ?? "") !== "");
  if (named.length > 0) {
    const seen = `the environment names a proxy (${named.join(", ")}), which Regfeed does not use`;
    findings.push(warning("proxy", seen, "let this machine reach sources and receivers directly"));
  }
  return findings;
}

/** Warns of settings that let webhooks use http or this machine. */
export function checkTargets({ delivery }: Pick<Config, "delivery">): Finding[] {
  const { allowHttp, allowNetworks } = delivery;
  const todo = "use it for trials only: remove it before anyone else has a key";
  const open = allowHttp
    ? ["webhooks may use http (delivery.allow_http = true): anyone on the network path can read them"]
    : [];
  const loopback = allowNetworks.filter(holdsLoopback).map((network) =>
    `webhooks may go to this machine (delivery.allow_networks has ${
      JSON.stringify(network)
    }): customers reach what ` +
    "listens on it"
  );
  return [...open, ...loopback].map((seen) => warning("webhooks", seen, todo));
}
