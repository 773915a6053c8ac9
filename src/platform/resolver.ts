// Host names to addresses, as the operating system resolves them: its hosts file and its name servers.
import { lookup } from "node:dns/promises";
import type { Resolver } from "../domain/ports.ts";
import { orAborted } from "../domain/stop.ts";
import { toNetworkError } from "./network_errors.ts";

/** The operating system's resolver. A look-up cannot be stopped, but whoever waits for it stops waiting. */
export function createResolver(): Resolver {
  return {
    async resolve(host, signal) {
      signal.throwIfAborted();
      return await orAborted(lookUp(host), signal);
    },
  };
}

async function lookUp(host: string): Promise<string[]> {
  try {
    const found = await lookup(host, { all: true });
    return [...new Set(found.map(({ address }) => address))];
  } catch (error) {
    throw toNetworkError(error, "connecting");
  }
}
