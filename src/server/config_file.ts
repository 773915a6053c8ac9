// Finds the config file.
import { resolve } from "node:path";
import type { Host } from "../platform/process/process.ts";

export const OWN_CONFIG = "regfeed.toml";
/** Used if the default config does not exist, to try Regfeed in a fresh clone. */
export const EXAMPLE_CONFIG = "config.example.toml";

/** The absolute path of the config file; `given` is the value of `--config`. Null if there is none. */
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
