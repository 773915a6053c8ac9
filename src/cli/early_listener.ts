// The listener that a server opens first: who asks while the rest of it is loaded is answered, not refused.
import { parse } from "smol-toml";
import { createDoor, type Door } from "../api/door.ts";
import { readListen } from "../config/listen.ts";
import { createIds } from "../domain/ids.ts";
import { createClock } from "../platform/clock.ts";
import { createRandom } from "../platform/random.ts";
import type { Host } from "../platform/process.ts";
import { listen, type ListenTrouble, type RunningServer } from "../platform/server.ts";
import { locateConfig } from "./config_file.ts";

/** As the config has it where it says nothing. */
const USUAL_ADDRESS = "127.0.0.1:8080";

/** A server with nothing behind its door yet. */
export interface EarlyListener {
  server: RunningServer;
  /** What the config's address was read as. */
  at: { hostname: string; port: number };
  /** Hears of the listener's trouble, of what there was before as well. */
  tellTrouble(hear: (trouble: ListenTrouble) => void): void;
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
    const troubles = keepTroubles();
    const server = await listen({
      ...at,
      handler: (request, client) => door.fetch(request, client),
      hasWholeAnswers: true,
      refuse: (request) => door.refuse(request),
      onTrouble: troubles.note,
    });
    return { server, at, tellTrouble: troubles.tellTo };
  } catch {
    return null; // the same is tried again, and told, when the config was read
  }
}

/** A listener's trouble, kept until there is somebody to hear of it: the log is there later than the listener. */
export function keepTroubles(): {
  note(trouble: ListenTrouble): void;
  tellTo(hear: (trouble: ListenTrouble) => void): void;
} {
  const kept: ListenTrouble[] = []; // a listener tells of the same once a minute: there are few
  let hearer: ((trouble: ListenTrouble) => void) | null = null;
  return {
    note: (trouble) => hearer === null ? void kept.push(trouble) : hearer(trouble),
    tellTo(hear) {
      hearer = hear;
      for (const trouble of kept.splice(0)) hear(trouble);
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
