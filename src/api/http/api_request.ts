// A request in the API: its URL, and its client on demand.
import type { RequestAllowance } from "../../domain/customer/allowance.ts";
import type { Log } from "../../domain/ports/ports.ts";
import type { Refusal } from "./ip_rate_limit.ts";
import type { Client, Remote } from "./client_address.ts";
import type { RequestContext } from "./responses.ts";

/** Minimum time between two checks for an untrusted proxy, ms. */
const PROXY_LOOK_MS = 1_000;

/** Finds the client of a request. */
type ClientOf = (remote: string, headers: Headers) => Client;

/** A request on its way, with where it goes. */
export class ApiRequest implements RequestContext {
  allowance: RequestAllowance | null = null;
  isPublic = true;
  refusal?: Refusal;
  /** The path of its route; null before routing. */
  route: string | null = null;
  #client: Client | null = null;

  constructor(
    readonly requestId: string,
    /** The path and the query as sent. */
    readonly address: string,
    private readonly sent: { request: Request; remote: Remote; clientOf: ClientOf },
  ) {}

  /** The address of the connection. */
  get connected(): string {
    const { remote } = this.sent;
    return typeof remote === "string" ? remote : remote.remoteAddress;
  }

  /** The client behind trusted proxies, computed on first use. */
  get client(): Client {
    return this.#client ??= this.sent.clientOf(this.connected, this.sent.request.headers);
  }
}

/**
 * Says once in a process's life that a proxy stands before it whose word is not taken. Of the requests of a second one
 * is looked at: a proxy hands them all on.
 */
export function createProxyWatch({ log }: { log: Log }): (passage: ApiRequest, nowMs: number) => void {
  let isSaid = false;
  let lookedAtMs = -Infinity;
  return (passage, nowMs) => {
    if (isSaid || Math.abs(nowMs - lookedAtMs) < PROXY_LOOK_MS) return;
    lookedAtMs = nowMs;
    if (!passage.client.isBehindUnknownProxy) return;
    isSaid = true;
    log.warn("client address from an untrusted proxy ignored: add the proxy to server.trusted_proxies", {
      proxy: passage.connected,
    });
  };
}
