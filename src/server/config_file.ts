// Finds the config file.
import { resolve } from "node:path";
import type { Host } from "../platform/process/process.ts";

export const OWN_CONFIG = "regfeed.toml";
/** Used if there is no default config, so that Regfeed can be tried in a fresh clone. */
export const EXAMPLE_CONFIG = "config.example.toml";

/** Returns the absolute path of the config file, or null if there is none. `given` is the value of `--config`. */
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
