// Finds the config file.
import { resolve } from "node:path";
import type { Host } from "../platform/process/process.ts";

/** The name of the config in the current folder. */
export const OWN_CONFIG = "regfeed.toml";
/** The config of an installed package or a container. */
export const SYSTEM_CONFIG = "/etc/regfeed/regfeed.toml";
/** The last choice, so that a fresh clone works without a config of its own. */
export const EXAMPLE_CONFIG = "config.example.toml";
/** The environment variable that names the config. */
export const CONFIG_VARIABLE = "REGFEED_CONFIG";

interface Located {
  /** The absolute path, or null if there is no config. */
  file: string | null;
  /** What named the config, or null if it was found in its default location. */
  namedBy: "--config" | typeof CONFIG_VARIABLE | null;
}

/**
 * Finds the config: the file that `--config` names (`given`), otherwise the one that `REGFEED_CONFIG` names, otherwise
 * the first that exists of `regfeed.toml` in the current folder, `/etc/regfeed/regfeed.toml` and the example. A named
 * file that does not exist is not replaced by another.
 */
export async function locateConfig(
  host: Pick<Host, "cwd" | "exists" | "env">,
  given: string | undefined,
): Promise<Located> {
  const variable = host.env(CONFIG_VARIABLE) || undefined;
  const namedBy = given !== undefined ? "--config" : variable !== undefined ? CONFIG_VARIABLE : null;
  const name = given ?? variable;
  for (const candidate of name === undefined ? [OWN_CONFIG, SYSTEM_CONFIG, EXAMPLE_CONFIG] : [name]) {
    const file = resolve(host.cwd, candidate);
    // A file that cannot be inspected counts as found, so that reading it reports the reason.
    if (await host.exists(file).catch(() => true)) return { file, namedBy };
  }
  return { file: null, namedBy };
}

/**
 * Finds the config file for a restore, like {@link locateConfig}, but never the example. If there is none, returns the
 * path that was named, or the default path in the current folder, to which the backup's config is then restored.
 */
export async function locateTarget(
  host: Pick<Host, "cwd" | "exists" | "env">,
  given: string | undefined,
): Promise<{ file: string; isMissing: boolean }> {
  const { file, namedBy } = await locateConfig(host, given);
  const isMissing = file === null || (namedBy === null && file === resolve(host.cwd, EXAMPLE_CONFIG));
  if (!isMissing) return { file, isMissing };
  const missing = given ?? (host.env(CONFIG_VARIABLE) || OWN_CONFIG);
  return { file: resolve(host.cwd, missing), isMissing };
}
