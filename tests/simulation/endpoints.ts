// The subscribers' endpoints and their bad days; each verifies what it gets and remembers it.
import { Webhook } from "standardwebhooks";
import type { IncomingResponse, OutgoingRequest } from "../../src/domain/ports.ts";
import { NetworkError } from "../../src/domain/ports.ts";
import type { FakeClock } from "../support/clock.ts";
import type { Chance } from "../support/chance.ts";

/** What an endpoint does with a delivery; `lost`: it takes it, and its answer never comes. */
export const MOODS = [
  "good",
  "good",
  "good",
  "error",
  "lost",
  "slow",
  "refused",
  "unknown-host",
  "private",
  "redirect",
  "busy",
  "gone",
] as const;

/** See {@link MOODS}. */
export type Mood = typeof MOODS[number];

/** What an endpoint saw of an attempt. */
export interface Seen {
  host: string;
  id: string;
  body: string;
  /** Whether the endpoint has it, whatever it answered. */
  acted: boolean;
  /** Whether it said so: only then is it delivered. */
  answered: boolean;
}

const PUBLIC = "93.184.215.14";
const PRIVATE = ["10.0.0.7", "127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.7"];

/** The endpoints, by host. */
export class Endpoints {
  readonly moods = new Map<string, Mood>();
  /** By host: the secrets that its owner has been given, the newest last. */
  readonly secrets = new Map<string, string[]>();
  /** Hosts that no subscription goes to any more. */
  readonly left = new Set<string>();
  readonly seen: Seen[] = [];
  /** What no receiver may ever see; the run fails with the first. */
  readonly violations: string[] = [];

  constructor(readonly clock: FakeClock, readonly chance: Chance) {}

  resolve(host: string): Promise<string[]> {
    const mood = this.moods.get(host);
    if (mood === "unknown-host") return Promise.reject(new NetworkError("host name not found"));
    if (mood === "private") return Promise.resolve([PUBLIC, this.chance.pick(PRIVATE)]);
    return Promise.resolve([PUBLIC]);
  }

  async request(request: OutgoingRequest): Promise<IncomingResponse> {
    const host = request.url.hostname;
    if (request.url.protocol !== "https:") this.violations.push(`${request.url.protocol} to ${host}`);
    for (const address of request.addresses ?? ["any"]) {
      if (address !== PUBLIC) this.violations.push(`a connection to ${address}`);
    }
    if (this.left.has(host)) this.violations.push(`a delivery to ${host}, which was left`);
    const mood = this.moods.get(host) ?? "good";
    if (mood === "refused" || mood === "unknown-host") throw new NetworkError("connection refused");
    const seen = this.#take(host, request);
    switch (mood) {
      case "slow":
        seen.acted = this.chance.happens(0.5);
        await this.clock.sleep(60_000, request.signal);
        throw request.signal.reason ?? new NetworkError("the connection broke off");
      case "lost":
        seen.acted = true;
        throw new NetworkError("the connection broke off");
      case "good":
      case "private":
        seen.acted = true;
        seen.answered = true;
        return answer(204);
      case "redirect":
        return answer(302, { location: "http://169.254.169.254/" });
      case "busy":
        return answer(429, { "retry-after": String(this.chance.between(1, 200_000)) });
      case "gone":
        return answer(410);
      case "error":
        return answer(this.chance.pick([400, 404, 500, 503]));
    }
  }

  #take(host: string, { headers, body: sent = "" }: OutgoingRequest): Seen {
    const body = typeof sent === "string" ? sent : new TextDecoder().decode(sent);
    const id = headers["webhook-id"] ?? "";
    const seen: Seen = { host, id, body, acted: false, answered: false };
    this.seen.push(seen);
    const secrets = this.secrets.get(host) ?? [];
    const newest = secrets.at(-1);
    if (newest === undefined || !this.#verifies(newest, body, headers)) {
      this.violations.push(`${id} does not verify at ${host}`);
    }
    // One is kept beside the newest, for a day; those before it are over.
    if (secrets.slice(0, -2).some((secret) => this.#verifies(secret, body, headers))) {
      this.violations.push(`${id} verifies at ${host} with a secret that is over`);
    }
    return seen;
  }

  /** By the official verifier, whose clock is the system's. */
  #verifies(secret: string, body: string, headers: Record<string, string>): boolean {
    const realNow = Date.now;
    Date.now = () => this.clock.nowMs();
    try {
      new Webhook(secret).verify(body, headers);
      return true;
    } catch {
      return false;
    } finally {
      Date.now = realNow;
    }
  }
}

function answer(status: number, headers: Record<string, string> = {}): IncomingResponse {
  return { status, headers, body: new TextEncoder().encode(`said ${status}`), truncated: false };
}
