// Parses configs for benchmarks.
import { findAdditionProblems } from "../../../src/classify/check_configured_rules.ts";
import { type Config, parseConfig } from "../../../src/config/config.ts";

/** Parses a config without secrets. Its relative paths are relative to the folder. */
export async function readConfig(text: string, folder: string): Promise<Config> {
  return await parseConfig(text, {
    file: "regfeed.toml",
    folder,
    readSecret: {
      file: (path) => Promise.reject(new Error(`no secret is read from ${path}`)),
      env: () => undefined,
    },
    findAdditionProblems,
  });
}
