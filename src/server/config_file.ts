// Which file is the config.
import { resolve } from "node:path";
import type { Host } from "../platform/process/process.ts";

/** Looked for when no `--config` is given. */
export const OWN_CONFIG = "regfeed.toml";
/** Taken when that one is not there, to look around in a fresh copy of the source. */
export const EXAMPLE_CONFIG = "config.example.toml";

/** The config's file, absolute; `given` is what `--config` says. Null when there is none. */
export async function locateConfig(
  host: Pick<Host, "cwd" | "exists">,
  given: string | undefined,
): Promise<string | null> {
  const names = given === undefined ? [OWN_CONFIG, EXAMPLE_CONFIG] : [given];
  for (const name of names) {
    const file = resolve(host.cwd, name);
    if (await host.exists(file)) return file;
  }
  return null;
}
