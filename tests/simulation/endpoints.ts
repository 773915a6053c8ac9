// The simulated endpoints of subscribers. Each verifies and records what it receives.
import { Webhook } from "standardwebhooks";
import { type IncomingResponse, NetworkError, type OutgoingRequest } from "../../src/domain/ports/ports.ts";
import type { FakeClock } from "../support/clock.ts";
import type { Chance } from "../support/chance.ts";
import { Pauses } from "./pauses.ts";

/** How an endpoint treats a delivery. `lost` accepts it, but the response never arrives. */
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

export type Mood = typeof MOODS[number];

export interface Seen {
  host: string;
  id: string;
  body: string;
  /** Whether the endpoint processed the delivery, whatever it responded. */
  acted: boolean;
  /** Whether it confirmed the delivery with a 2xx response. */
  answered: boolean;
}

const PUBLIC = "93.184.215.14";
const PRIVATE = ["10.0.0.7", "127.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.7"];

const DAY = 86_400_000;
/** Tolerance in ms, because the clock may advance between a change and the time when the customer learns of it. */
const LEEWAY = 10 * 60_000;

export class Endpoints {
  readonly moods = new Map<string, Mood>();
  /** The secrets that the owner of each host has received, newest last. */
  readonly secrets = new Map<string, string[]>();
  /** For each host, when its secret was last replaced, as precisely as its owner knows. */
  readonly rotated = new Map<string, { fromMs: number; toMs: number }>();
  /**
   * Hosts that must receive nothing, each with the reason: the URL changed, or the subscription was deleted or
   * disabled.
   */
  readonly off = new Map<string, string>();
  /** For each host, the first failure since the last success that is known to be recorded. */
  readonly failingSince = new Map<string, number>();
  readonly seen: Seen[] = [];
  /** Whether no faults are active, so that every response is recorded. */
  isQuiet = true;
  /** The subscription of each recorded delivery, by delivery id. These deliveries are sent again only on request. */
  readonly #done = new Map<string, string>();
  /** For each delivery, the time in Unix ms before which its receiver refuses another attempt. */
  readonly #waits = new Map<string, number>();
  readonly #pauses = new Pauses();
  /** Deliveries confirmed in this tick. */
  #taken: [id: string, subscription: string][] = [];
  /** Hosts that responded with 410 in this tick. */
  #gone: string[] = [];
  /** Broken promises that receivers noticed. The first one fails the run. */
  readonly violations: string[] = [];

  constructor(readonly clock: FakeClock, readonly chance: Chance) {}

  resolve(host: string): Promise<string[]> {
    const mood = this.moods.get(host);
    if (mood === "unknown-host" || mood === "private") this.#failed(host);
    if (mood === "unknown-host") return Promise.reject(new NetworkError("host name not found"));
    if (mood === "private") return Promise.resolve([PUBLIC, this.chance.pick(PRIVATE)]);
    return Promise.resolve([PUBLIC]);
  }

  async request(request: OutgoingRequest): Promise<IncomingResponse> {
    const host = request.url.hostname;
    const id = request.headers["webhook-id"] ?? "";
    if (this.#pauses.isEarly(id, this.clock.nowMs())) {
      this.violations.push(`${id} reaches ${host} before the pause after its failure has ended`);
    }
    let isTaken = false;
    try {
      const given = await this.#receive(request);
      isTaken = given.status === 204;
      return given;
    } finally {
      if (isTaken) this.#pauses.recovered(host);
      else if (this.isQuiet) this.#pauses.failed(id, host, this.clock.nowMs());
    }
  }

  async #receive(request: OutgoingRequest): Promise<IncomingResponse> {
    const host = request.url.hostname;
    if (request.url.protocol !== "https:") this.violations.push(`${request.url.protocol} to ${host}`);
    for (const address of request.addresses ?? ["any"]) {
      if (address !== PUBLIC) this.violations.push(`a connection to ${address}`);
    }
    const off = this.off.get(host);
    if (off !== undefined) this.violations.push(`a delivery to ${host}, which must receive nothing: ${off}`);
    const mood = this.moods.get(host) ?? "good";
    if (mood !== "good") this.#failed(host);
    else if (this.isQuiet) this.failingSince.delete(host);
    if (mood === "refused" || mood === "unknown-host") throw new NetworkError("connection refused");
    const seen = this.#take(host, request);
    return await this.#answer(seen, mood, request);
  }

  async #answer(seen: Seen, mood: Mood, request: OutgoingRequest): Promise<IncomingResponse> {
    // An attempt that began while faults were active may end after them and still not be recorded.
    const isQuiet = this.isQuiet;
    switch (mood) {
      case "slow":
        seen.acted = this.chance.happens(0.5);
        await this.clock.sleep(60_000, request.signal);
        throw request.signal.reason ?? new NetworkError("the connection was closed");
      case "lost":
        seen.acted = true;
        throw new NetworkError("the connection was closed");
      case "good":
      case "private":
        // Some endpoints respond slowly, so that customers can make changes during the attempt.
        if (this.chance.happens(0.3)) await this.clock.sleep(500, request.signal);
        seen.acted = true;
        seen.answered = true;
        if (isQuiet) this.#taken.push([seen.id, JSON.parse(seen.body).subscription_id]);
        return answer(204);
      case "redirect":
        return answer(302, { location: "http://169.254.169.254/" });
      case "busy":
        return this.#putOff(seen.id, this.chance.between(1, 200_000));
      case "gone":
        if (isQuiet) this.#gone.push(seen.host);
        return answer(410);
      default:
        return answer(this.chance.pick([400, 404, 500, 503]));
    }
  }

  #failed(host: string): void {
    this.failingSince.set(host, this.failingSince.get(host) ?? this.clock.nowMs());
  }

  #putOff(id: string, seconds: number): IncomingResponse {
    if (this.isQuiet) this.#waits.set(id, this.clock.nowMs() + Math.min(DAY, seconds * 1_000));
    return answer(429, { "retry-after": String(seconds) });
  }

  /** Ends a tick. The responses of a tick without faults are recorded. */
  settle(isGood: boolean): void {
    // The service notices a clock change only when it reads the clock.
    for (const rotated of this.rotated.values()) {
      if (isGood) rotated.toMs = Math.min(rotated.toMs, this.clock.nowMs());
    }
    if (this.isQuiet) {
      for (const [id, subscription] of this.#taken) this.#done.set(id, subscription);
      for (const host of this.#gone) this.off.set(host, "it responded with 410");
    }
    this.#taken = [];
    this.#gone = [];
  }

  /** Forgets all waits, because a request or a clock change has rescheduled the deliveries. */
  forgetWaits(): void {
    this.#waits.clear();
    this.#pauses.forget();
  }

  expectAgain(subscription: string): void {
    this.forgetWaits();
    for (const [id, of] of this.#done) if (of === subscription) this.#done.delete(id);
  }

  /** Moves recorded times that are now in the future to the present. */
  clockWasSet(): void {
    this.forgetWaits();
    const nowMs = this.clock.nowMs();
    for (const [host, sinceMs] of this.failingSince) this.failingSince.set(host, Math.min(sinceMs, nowMs));
    for (const [host, { fromMs, toMs }] of this.rotated) {
      this.rotated.set(host, { fromMs: Math.min(fromMs, nowMs), toMs });
    }
  }

  #take(host: string, { headers, body: sent = "" }: OutgoingRequest): Seen {
    const body = typeof sent === "string" ? sent : new TextDecoder().decode(sent);
    const id = headers["webhook-id"] ?? "";
    const seen: Seen = { host, id, body, acted: false, answered: false };
    this.seen.push(seen);
    if (this.#done.has(id)) this.violations.push(`${id} was delivered to ${host} and sent again`);
    if (this.clock.nowMs() < (this.#waits.get(id) ?? 0)) {
      this.violations.push(`${id} reaches ${host} before its Retry-After`);
    }
    this.#waits.delete(id);
    const secrets = this.secrets.get(host) ?? [];
    const newest = secrets.at(-1);
    if (newest === undefined || !this.#verifies(newest, body, headers)) {
      this.violations.push(`${id} does not verify at ${host}`);
    }
    // The previous secret stays valid for a day; older ones are invalid.
    if (secrets.slice(0, -2).some((secret) => this.#verifies(secret, body, headers))) {
      this.violations.push(`${id} is signed with an expired secret of ${host}`);
    }
    const isSignedByLast = secrets.slice(-2, -1).some((secret) => this.#verifies(secret, body, headers));
    const rotated = this.rotated.get(host);
    if (rotated === undefined) return seen;
    if (this.clock.nowMs() < rotated.fromMs + DAY && !isSignedByLast) {
      this.violations.push(`${id} does not verify at ${host} with the secret of the last 24 hours`);
    }
    if (this.clock.nowMs() > rotated.toMs + DAY + LEEWAY && isSignedByLast) {
      this.violations.push(`${id} verifies at ${host} with a secret of more than 24 hours ago`);
    }
    return seen;
  }

  /** Verifies a signature with the official library, which reads the system clock. */
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
