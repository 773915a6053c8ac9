// The listener that a server opens first: who asks while the rest of it is loaded is answered, not refused.
import { parse } from "smol-toml";
import { createDoor, type Door } from "../api/door.ts";
import { readListen } from "../config/listen.ts";
import { createIds } from "../domain/ids.ts";
import { createClock } from "../platform/clock.ts";
import { createRandom } from "../platform/random.ts";
import type { Host } from "../platform/process.ts";
import { listen, type RunningServer } from "../platform/server.ts";
import { locateConfig } from "./config_file.ts";

/** As the config has it where it says nothing. */
const USUAL_ADDRESS = "127.0.0.1:8080";

/** A server with nothing behind its door yet. */
export interface EarlyListener {
  server: RunningServer;
  /** What the config's address was read as. */
  at: { hostname: string; port: number };
  /** Calls back with each reason for which the listener was lost, those before included. */
  onLost(report: (reason: string) => void): void;
}

/** A closed door. */
export function makeDoor(): Door {
  const [clock, random] = [createClock(), createRandom()];
  return createDoor(createIds(() => clock.nowMs(), (count) => random.bytes(count)));
}

/**
 * Listens where the config will say. Null where that cannot be told or done without reading all of it: what is wrong with
 * a config or an address is said by whoever reads it whole, and TLS needs its certificate first.
 */
export async function listenEarly(
  host: Host,
  given: string | undefined,
  door: Door,
): Promise<EarlyListener | null> {
  try {
    const file = await locateConfig(host, given);
    if (file === null) return null;
    const at = addressOf(await host.readText(file));
    if (at === null) return null;
    const losses = keepLosses();
    const server = await listen({
      ...at,
      handler: (request, client) => door.fetch(request, client),
      hasWholeAnswers: true,
      refuse: (request) => door.refuse(request),
      onLost: losses.add,
    });
    return { server, at, onLost: losses.reportTo };
  } catch {
    return null; // the same is tried again, and told, when the config was read
  }
}

/** Reasons for which a listener was lost, kept until they can be logged: the listener is started before the log. */
export function keepLosses(): {
  add(reason: string): void;
  reportTo(report: (reason: string) => void): void;
} {
  const kept: string[] = []; // a listener reports at most once a minute
  let report = (reason: string): void => void kept.push(reason);
  return {
    add: (reason) => report(reason),
    reportTo(next) {
      report = next;
      for (const reason of kept.splice(0)) next(reason);
    },
  };
}

/** Where a config's server listens in clear; null where it does not. */
function addressOf(text: string): EarlyListener["at"] | null {
  const { server = {} } = parse(text) as { server?: Record<string, unknown> };
  if ("tls_cert" in server || "tls_key" in server) return null;
  const { listen: address = USUAL_ADDRESS } = server;
  const reading = typeof address === "string" ? readListen(address) : null;
  return reading !== null && "value" in reading ? reading.value : null;
}
