// What most commands begin with: the config, and the store that it names.
import { dirname, resolve } from "node:path";
import { findAdditionProblems } from "../classify/check_additions.ts";
import { type Config, ConfigError, parseConfig } from "../config/config.ts";
import type { Platform } from "../domain/ports.ts";
import type { Store } from "../domain/store.ts";
import { createPlatform } from "../platform/platform.ts";
import { openStore } from "../store/sqlite/store.ts";
import { type CommandCall, CommandError, EXIT } from "./command.ts";

/** Looked for when no `--config` is given, in this order. */
const CONFIG_FILES = ["regfeed.toml", "config.example.toml"];

/** A config with the file that it came from. */
export interface LoadedConfig {
  config: Config;
  /** Absolute. */
  file: string;
}

/** Reads and checks the config. Throws a {@link CommandError} (exit code 2) that names every problem. */
export async function loadConfig({ host, texts }: CommandCall): Promise<LoadedConfig> {
  const given = texts.get("config");
  const candidates = (given === undefined ? CONFIG_FILES : [given]).map((name) => resolve(host.cwd, name));
  let file: string | undefined;
  for (const candidate of candidates) {
    if (await host.exists(candidate)) {
      file = candidate;
      break;
    }
  }
  if (file === undefined) {
    const message = given === undefined
      ? "there is no regfeed.toml here: make one with `regfeed init`, or name one with --config FILE"
      : `there is no config file ${given}`;
    throw new CommandError(message, EXIT.usage);
  }
  try {
    const text = await host.readText(file);
    const readSecret = { file: (path: string) => host.readText(path), env: (name: string) => host.env(name) };
    const options = { file, folder: dirname(file), readSecret, findAdditionProblems };
    return { config: await parseConfig(text, options), file };
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(error.message, EXIT.usage);
    throw new CommandError(`the config ${file} cannot be read: ${(error as Error).message}`, EXIT.usage);
  }
}

/** The config, the platform and the open store of a command. */
export interface Opened {
  config: Config;
  platform: Platform;
  store: Store;
}

/** Opens all three for `work` and closes them after it. */
export async function withStore<T>(
  call: CommandCall,
  work: (opened: Opened) => Promise<T>,
  options: { log?: Config["log"] } = {},
): Promise<T> {
  const { config } = await loadConfig(call);
  const platform = createPlatform({ log: options.log ?? config.log });
  try {
    const store = await openStoreAt(call, config);
    try {
      return await work({ config, platform, store });
    } finally {
      await store.close();
    }
  } finally {
    await platform.close();
  }
}

/** Opens the config's store, with its folder made where it is missing. Throws a {@link CommandError}. */
async function openStoreAt({ host }: CommandCall, config: Config): Promise<Store> {
  const { path } = config.store;
  try {
    await host.makeFolder(dirname(path), 0o700);
    // The store holds webhook secrets: nobody but its owner reads it. SQLite's side files take over the mode.
    await host.makeFile(path, 0o600);
    return openStore(path);
  } catch (error) {
    throw new CommandError(`the store ${path} cannot be opened: ${(error as Error).message}`);
  }
}
