// Checks of the network: hosts of sources, the clock, the reverse proxy, and where webhooks may go.
import { formatCount } from "../../domain/format_count.ts";
import type { Config } from "../../config/config.ts";
import { holdsLoopback } from "../../domain/ip_address.ts";
import type { Clock, HttpClient } from "../../domain/ports/ports.ts";
import type { SourceSettings } from "../../domain/source/source.ts";
import { type Finding, good, problem, warning } from "../../domain/operator/finding.ts";

/** Time limit for one host in ms, including DNS, connection and response. */
const HOST_MS = 10_000;
/** Clock error in ms above which the finding is a problem. Receivers reject signatures at an error of five minutes. */
const WRONG_CLOCK_MS = 120_000;
const ODD_CLOCK_MS = 15_000;
const MAX_BODY_BYTES = 4_096;
/** If this many hosts fail and none responds, the cause is the network of this machine. */
const MANY_HOSTS = 3;
const IS_DNS_FAILURE = /host name not found|name servers do not respond/;

export interface HostResult {
  host: string;
  sources: string[];
  /** Null if the host responded. */
  failure: string | null;
  /** How far the machine's clock is ahead of the host's, in ms, or null if the host sent no date. */
  aheadMs: number | null;
}

/** Requests the front page of each source's host once. */
export async function askHosts(
  sources: readonly SourceSettings[],
  { clock, http, userAgent }: { clock: Clock; http: HttpClient; userAgent: string },
): Promise<HostResult[]> {
  const remote = sources.filter(({ fetchStrategy }) => fetchStrategy !== "files");
  const byOrigin = [...Map.groupBy(remote, ({ location }) => new URL(location).origin)].sort();
  return await Promise.all(byOrigin.map(async ([origin, users]) => {
    const url = new URL(origin);
    const host = { host: url.host, sources: users.map(({ id }) => id) };
    const request = {
      method: "GET" as const,
      url,
      headers: { "user-agent": userAgent },
      maxBodyBytes: MAX_BODY_BYTES,
    };
    try {
      const { headers } = await clock.within(HOST_MS, (signal) => http.request({ ...request, signal }));
      const shownMs = Date.parse(headers["date"] ?? "");
      return { ...host, failure: null, aheadMs: Number.isNaN(shownMs) ? null : clock.nowMs() - shownMs };
    } catch (error) {
      return { ...host, failure: (error as Error).message, aheadMs: null };
    }
  }));
}

/** Checks the hosts. If none responds, reports one common cause; otherwise, groups the hosts by failure. */
export function checkHosts(results: readonly HostResult[]): Finding[] {
  const failed = results.filter(({ failure }) => failure !== null);
  const responding = results.length - failed.length;
  const byFailure = [...Map.groupBy(failed, ({ failure }) => failure ?? "")];
  const affected = `sources affected: ${results.flatMap(({ sources }) => sources).length}`;
  const isEach = (pattern: RegExp) => failed.every(({ failure }) => pattern.test(failure ?? ""));
  if (failed.length > 0 && responding === 0 && isEach(IS_DNS_FAILURE)) {
    const todo =
      "repair the machine's DNS: see /etc/resolv.conf or `resolvectl status`; for a container, set --dns";
    const seen = `no source's host name can be resolved; ${affected}`;
    return [{ ...problem("dns", seen, todo), cause: "network" }];
  }
  if (failed.length >= MANY_HOSTS && responding === 0) {
    const reasons = byFailure.map(([failure, hosts]) => `${failure} (${hosts.length})`).join(", ");
    const todo = isEach(/certificate/)
      ? "check the machine's clock (`date -u`), and install the system's certificate authorities"
      : "repair this machine's network, or open its firewall for outgoing connections: try curl from here";
    return [{
      ...problem("hosts", `no source's host responds: ${reasons}; ${affected}`, todo),
      cause: "network",
    }];
  }
  return [
    ...(responding > 0 ? [good("hosts", `source hosts that respond: ${responding}`)] : []),
    ...byFailure.map(([failure, hosts]) => {
      const names = hosts.map(({ host }) => host);
      const ids = hosts.flatMap(({ sources }) => sources).join(", ");
      const todo = `try curl from this machine; a firewall may block the host (sources: ${ids})`;
      const verb = hosts.length === 1 ? "does" : "do";
      return warning("hosts", `${names.join(", ")} ${verb} not respond: ${failure}`, todo);
    }),
  ];
}

/** Checks the machine's clock against the median of the hosts' clocks, because a single host may be wrong. */
export function checkClock(results: readonly HostResult[]): Finding {
  const ahead = results.map(({ aheadMs }) => aheadMs).filter((ms) => ms !== null).sort((a, b) => a - b);
  const median = ahead[Math.floor(ahead.length / 2)];
  if (median === undefined) {
    const todo = "check the clock yourself: `date -u`";
    return { ...warning("clock", "no host to compare the clock with", todo), symptomOf: "network" };
  }
  const hosts = formatCount(ahead.length, "host");
  const seconds = Math.round(Math.abs(median) / 1_000);
  const seen = `the clock is ${seconds} s ${median > 0 ? "ahead of" : "behind"} that of ${hosts}`;
  const todo = "let the system set the clock: `timedatectl set-ntp true`";
  if (Math.abs(median) > WRONG_CLOCK_MS) {
    const effect = "receivers reject signatures, and quotas reset at the wrong time";
    return { ...problem("clock", `${seen}: ${effect}`, todo), cause: "clock" };
  }
  return Math.abs(median) > ODD_CLOCK_MS
    ? warning("clock", seen, todo)
    : good("clock", `the clock agrees with ${hosts}`);
}

export function checkProxies({ publicUrl, trustedProxies, tls }: Config["server"]): Finding[] {
  const { protocol, hostname } = new URL(publicUrl);
  const todo = 'add the proxy: server.trusted_proxies = ["127.0.0.1/32"]';
  if (trustedProxies.some((range) => range.endsWith("/0"))) {
    const seen = "trusted_proxies contains every IP address: any client can pretend to be another";
    return [problem("proxy", seen, 'list only your proxy: server.trusted_proxies = ["127.0.0.1/32"]')];
  }
  if (protocol === "https:" && tls === null && trustedProxies.length === 0) {
    const seen =
      "public_url is https, so there is a proxy, but trusted_proxies is empty: all clients seem to have the proxy's IP address";
    return [warning("proxy", seen, todo)];
  }
  if (protocol === "http:" && !/^(localhost|127\.|\[::1\])/.test(hostname)) {
    const advice =
      "set server.tls_cert and server.tls_key, or use a proxy with TLS and set public_url to its https URL";
    return [warning("proxy", `public_url is ${publicUrl}: API keys are sent unencrypted`, advice)];
  }
  return [];
}

/** Warns of settings that let webhooks use http or reach this machine. */
export function checkTargets({ delivery }: Pick<Config, "delivery">): Finding[] {
  const { allowHttp, allowNetworks } = delivery;
  const todo = "use this setting only for tests, and remove it before anyone else has a key";
  const seen = allowNetworks.filter(holdsLoopback).map((network) =>
    `webhooks may go to this machine (delivery.allow_networks has "${network}"): customers can reach its services`
  );
  if (allowHttp) {
    seen.unshift(
      "webhooks may use http (delivery.allow_http = true): anyone on the network path can read them",
    );
  }
  return seen.map((one) => warning("webhooks", one, todo));
}
