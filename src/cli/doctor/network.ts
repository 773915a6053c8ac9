// What the doctor says of the network: names, hosts, the clock that they show, proxies.
import { literalAddress } from "../../domain/address.ts";
import type { Clock, HttpClient, Resolver } from "../../domain/ports.ts";
import type { SourceSettings } from "../../domain/source.ts";
import { type Finding, good, problem, warning } from "./finding.ts";

/** For one host: look-up, connection and answer together, ms. */
const HOST_MS = 10_000;
/** A clock that is wrong by more makes receivers doubt signatures, ms: they allow five minutes. */
const WRONG_CLOCK_MS = 120_000;
const ODD_CLOCK_MS = 15_000;
/** Asked at the same time. */
const AT_ONCE = 8;
const MAX_BODY_BYTES = 4_096;

/** What hosts are asked with. */
export interface Asking {
  clock: Clock;
  http: HttpClient;
  resolver: Resolver;
  userAgent: string;
}

/** What a host said. */
export interface HostAnswer {
  host: string;
  /** The sources that are read from it. */
  sources: string[];
  /** Null when it answered. */
  failure: string | null;
  /** Whether its name led to an address; null for an address in place of a name. */
  isNamed: boolean | null;
  /** How far the machine's clock is ahead of the host's, ms; null without a word on it. */
  aheadMs: number | null;
}

/** Asks each host of the enabled sources once, for its front page. */
export async function askHosts(sources: readonly SourceSettings[], asking: Asking): Promise<HostAnswer[]> {
  const hosts = new Map<string, SourceSettings[]>();
  for (const source of sources.filter(({ fetchStrategy }) => fetchStrategy !== "files")) {
    const { origin } = new URL(source.location);
    hosts.set(origin, [...hosts.get(origin) ?? [], source]);
  }
  const waiting = [...hosts];
  const answers: HostAnswer[] = [];
  const ask = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [origin, users] = next;
      const ids = users.map(({ id }) => id);
      answers.push({ host: new URL(origin).host, sources: ids, ...await askHost(new URL(origin), asking) });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return answers.sort((one, other) => one.host < other.host ? -1 : 1);
}

async function askHost(
  url: URL,
  { clock, http, resolver, userAgent }: Asking,
): Promise<Pick<HostAnswer, "failure" | "isNamed" | "aheadMs">> {
  const host = url.hostname.replace(/^\[|\]$/g, "");
  let isNamed = literalAddress(url) === null ? false : null;
  try {
    return await clock.within(HOST_MS, async (signal) => {
      await resolver.resolve(host, signal);
      if (isNamed === false) isNamed = true;
      const headers = { "user-agent": userAgent };
      const answer = await http.request({
        method: "GET",
        url,
        headers,
        maxBodyBytes: MAX_BODY_BYTES,
        signal,
      });
      const shown = Date.parse(answer.headers["date"] ?? "");
      return { failure: null, isNamed, aheadMs: Number.isNaN(shown) ? null : clock.nowMs() - shown };
    });
  } catch (error) {
    return { failure: (error as Error).message, isNamed, aheadMs: null };
  }
}

/** Of looking names up: it works where it works for one, and then the others' names are their own matter. */
export function judgeNames(answers: readonly HostAnswer[]): Finding[] {
  const named = answers.filter(({ isNamed }) => isNamed !== null);
  const known = named.filter(({ isNamed }) => isNamed).length;
  if (named.length === 0) return [];
  if (known > 0) return [good("dns", `names are looked up: ${known} of ${named.length}`)];
  const todo =
    "mend the machine's DNS: look at /etc/resolv.conf, or `resolvectl status`; in a container, at its --dns";
  return [problem("dns", "no name of a source's host can be looked up", todo)];
}

/** Of the hosts that were asked; where no name is known that is one finding ({@link judgeNames}), not one for each. */
export function judgeHosts(answers: readonly HostAnswer[]): Finding[] {
  const isDnsDown = !answers.some(({ isNamed }) => isNamed === true);
  return answers.filter(({ isNamed }) => !isDnsDown || isNamed === null).map(({ host, sources, failure }) =>
    failure === null ? good("sources", `${host} answers`) : warning(
      "sources",
      `${host} does not answer: ${failure}`,
      `ask it from this machine by other means; a firewall may be in the way of ${sources.join(", ")}`,
    )
  );
}

/** Of the machine's clock, beside those of the hosts: their middle one counts, for some of them are wrong. */
export function judgeClock(answers: readonly HostAnswer[]): Finding {
  const ahead = answers.map(({ aheadMs }) => aheadMs).filter((ms) => ms !== null).sort((a, b) => a - b);
  const middle = ahead[Math.floor(ahead.length / 2)];
  if (middle === undefined) {
    return warning("clock", "no host was there to compare the clock with", "look at it yourself: `date -u`");
  }
  const seconds = Math.round(Math.abs(middle) / 1_000);
  const said = `the clock is ${seconds} s ${
    middle > 0 ? "ahead of" : "behind"
  } that of ${ahead.length} hosts`;
  const todo = "let the system keep it: `timedatectl set-ntp true`";
  if (Math.abs(middle) > WRONG_CLOCK_MS) {
    return problem(
      "clock",
      `${said}: receivers will refuse signatures and quotas end at the wrong time`,
      todo,
    );
  }
  if (Math.abs(middle) > ODD_CLOCK_MS) return warning("clock", said, todo);
  return good("clock", `the clock agrees with ${ahead.length} ${ahead.length === 1 ? "host" : "hosts"}`);
}

/** Of proxies: before us, and those that the environment names. */
export function judgeProxies(
  server: { publicUrl: string; trustedProxies: readonly string[]; tls: unknown },
  env: (name: string) => string | undefined,
): Finding[] {
  const findings: Finding[] = [];
  const { protocol, hostname } = new URL(server.publicUrl);
  const isLocal = /^(localhost|127\.|\[::1\])/.test(hostname);
  if (server.trustedProxies.some((range) => range.endsWith("/0"))) {
    findings.push(problem(
      "proxy",
      "trusted_proxies holds every address: any client can say that it is another",
      'name the proxies alone: server.trusted_proxies = ["127.0.0.1/32"]',
    ));
  }
  if (protocol === "https:" && server.tls === null && server.trustedProxies.length === 0) {
    findings.push(warning(
      "proxy",
      "public_url is https, so a proxy stands before this server, and none is trusted: every client looks like it",
      'name the proxy: server.trusted_proxies = ["127.0.0.1/32"]',
    ));
  }
  if (protocol === "http:" && !isLocal) {
    findings.push(warning(
      "proxy",
      `public_url is ${server.publicUrl}: API keys travel in clear`,
      "set server.tls_cert and server.tls_key, or put a proxy with TLS before it and write its https address there",
    ));
  }
  const named = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"]
    .filter((name) => (env(name) ?? "") !== "");
  if (named.length > 0) {
    findings.push(warning(
      "proxy",
      `the environment names a proxy (${named.join(", ")}): Regfeed goes to sources and receivers directly`,
      "let the machine reach them, or unset it so that nobody is misled",
    ));
  }
  return findings.length > 0 ? findings : [good("proxy", "nothing stands in the way")];
}
