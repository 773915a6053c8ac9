// Loads the config and opens its store, which most commands need.
import { basename, dirname } from "node:path";
import { findAdditionProblems } from "../classify/check_configured_rules.ts";
import { ConfigError, decodeConfig, parseConfigFile, type ParsedConfig } from "../config/config.ts";
import { formatProblem, showProblem } from "../config/toml/problems.ts";
import type { LogFields, Platform } from "../domain/ports/ports.ts";
import type { StoreEngine } from "../domain/ports/store/engine.ts";
import type { StorageProblem } from "../domain/ports/store/storage_fault.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { createMachine } from "../platform/files/machine.ts";
import { findObstacle } from "../platform/files/users.ts";
import type { LogSettings } from "../platform/log/log.ts";
import { createPlatform, type RealPlatform } from "../platform/platform.ts";
import type { Host } from "../platform/process/process.ts";
import { createTracer } from "../platform/tracer.ts";
import { createVault, KEY_BYTES, openVaultFile } from "../platform/vault.ts";
import { type CommandCall, CommandError, EXIT } from "./command_context.ts";
import { CONFIG_VARIABLE, EXAMPLE_CONFIG, locateConfig, OWN_CONFIG, SYSTEM_CONFIG } from "./config_file.ts";
import { lockPath } from "./instance_lock.ts";
import { describeObstacle } from "./obstacle_advice.ts";
import { type LongWork, prepareDatabase, workHere } from "./migrate_with_backup.ts";

export interface LoadedConfig extends ParsedConfig {
  /** The absolute path of the config file. */
  file: string;
  /** The store's path as written in the config, which may be a link. `config` contains the link's target. */
  storeName: string;
}

/** Returns the SHA-256 of a file, or the same text for every unreadable file. */
export async function digestFile(host: Host, path: string): Promise<string> {
  return await host.digest(path).then(({ sha256 }) => sha256, () => "unreadable");
}

/**
 * Reads and checks the config. Throws a {@link CommandError} (exit code 2) that lists every problem. Adds the digests
 * of the files it reads to `readings`, even if it throws. `again` is the config file of an earlier call.
 */
export async function loadConfig(
  call: CommandCall,
  { readings = new Map(), again }: { readings?: Map<string, string>; again?: string } = {},
): Promise<LoadedConfig> {
  const { host } = call;
  const file = again ?? await findConfig(call);
  // Computed before the file is read, so that a write in between counts as a change.
  const note = async (path: string) => void readings.set(path, await digestFile(host, path));
  try {
    await note(file);
    const text = decodeConfig(await host.readBytes(file), file);
    const readSecret = {
      file: async (path: string) => {
        await note(path);
        return await host.readText(path);
      },
      env: (name: string) => host.env(name),
    };
    const options = { file, folder: dirname(file), readSecret, findAdditionProblems };
    const { config, ...parsed } = await parseConfigFile(text, options);
    const { path } = config.store;
    // SQLite puts its write-ahead log next to the target of a link, so all other files go there too.
    const store = { ...config.store, path: await host.followLinks(path) };
    return { ...parsed, config: { ...config, store }, file, storeName: path };
  } catch (error) {
    if (error instanceof ConfigError) {
      // The log of a reload has one line per problem.
      const format = again === undefined ? showProblem : formatProblem;
      throw new CommandError(error.problems.map(format).join("\n"), EXIT.usage);
    }
    const { message } = error as Error;
    const said = message.includes(file) ? message : `the config ${file} cannot be read: ${message}`;
    throw new CommandError(said, EXIT.usage);
  }
}

/** Returns the path of the config. With `--verbose`, says which one it is. Throws a {@link CommandError}. */
async function findConfig({ host, texts, flags }: CommandCall): Promise<string> {
  const given = texts.get("config");
  const { file, namedBy } = await locateConfig(host, given);
  if (file === null) {
    const message = namedBy === null
      ? `no ${OWN_CONFIG} in this folder or in ${dirname(SYSTEM_CONFIG)}: create one with ` +
        `\`${host.program} init\`, or use --config FILE`
      : `there is no config file ${given ?? `${host.env(CONFIG_VARIABLE)} (${CONFIG_VARIABLE})`}`;
    throw new CommandError(message, EXIT.usage);
  }
  if (flags.has("verbose")) host.err(`config: ${file}${namedBy === null ? "" : ` (from ${namedBy})`}\n`);
  else if (namedBy === null && basename(file) === EXAMPLE_CONFIG) {
    host.err(`no ${OWN_CONFIG} in this folder: using ${EXAMPLE_CONFIG}\n`);
  }
  return file;
}

export interface Opened extends LoadedConfig {
  platform: RealPlatform;
  store: Store;
}

/** What a command does without a database: it creates one, or uses an empty one in memory, which leaves no files. */
type WithoutStore = "make" | "do without";

/**
 * Opens the config's store for `work`, then closes it. Unless `withoutStore` is set, the store must exist. Only a
 * command that may make a store also migrates one; for the others, a {@link CommandError} names the command that does.
 */
export function withStore<T>(
  call: CommandCall,
  work: (opened: Opened) => Promise<T>,
  options: { log?: LogSettings; withoutStore?: WithoutStore } = {},
): Promise<T> {
  return withPlatform(call, async ({ platform, ...loaded }) => {
    const { path } = loaded.config.store;
    const engine = await call.loadEngine();
    if (options.withoutStore === "do without" && await isMissing(call, path)) {
      call.host.err(`no database at ${path} yet, so the state of every source is unknown\n`);
      const store = engine.open(":memory:", () => createVault(platform.random.bytes(KEY_BYTES)));
      return await work({ ...loaded, platform, store }).finally(() => store.close());
    }
    if (options.withoutStore === undefined && await hasNoDatabase(call, path)) {
      throw new CommandError(
        `no database at ${path} yet (store.path in ${loaded.file}): \`regfeed serve\` and \`regfeed customer add\` create ` +
          "it; --config chooses another config",
      );
    }
    const { info: say } = platform.log("store");
    const mayMigrate = options.withoutStore === "make";
    const opening = { platform, work: workHere(engine), say, mayMigrate, vaultWhenUsed: true };
    const store = await openStoreAt(call, loaded, opening);
    return await work({ ...loaded, platform, store }).finally(() => store.close());
  }, options);
}

/** Whether the file does not exist. False if it cannot be inspected, because opening it reports the reason. */
function isMissing({ host }: CommandCall, path: string): Promise<boolean> {
  return host.exists(path).then((exists) => !exists, () => false);
}

/** Whether there is no database at the path. Throws a {@link CommandError} if this user may not inspect it. */
export async function hasNoDatabase({ host }: CommandCall, path: string): Promise<boolean> {
  try {
    return !await host.exists(path);
  } catch (error) {
    const obstacle = findObstacle(path);
    if (obstacle === null) throw error;
    const advice = describeObstacle(obstacle, { user: host.user(), data: dirname(path) });
    throw new CommandError(`the store ${path} cannot be opened: ${advice}`);
  }
}

/** Loads the config and opens the platform for `work`, then closes the platform. */
export async function withPlatform<T>(
  call: CommandCall,
  work: (opened: Omit<Opened, "store">) => Promise<T>,
  options: { log?: LogSettings; readings?: Map<string, string> } = {},
): Promise<T> {
  const loaded = await loadConfig(call, options);
  const tracer = await createTracer((name) => call.host.env(name));
  const platform = createPlatform({
    log: options.log ?? loaded.config.log,
    mail: loaded.config.mail,
    tracer,
  });
  try {
    return await work({ ...loaded, platform });
  } finally {
    await platform.close();
  }
}

/** Minimum free space, bytes. A disk with less counts as full, because a whole fetch is written at once. */
const ROOM_BYTES = 1024 * 1024;

/** Matches the messages of the system and of SQLite for EACCES, EPERM and EROFS. */
const IS_REFUSED =
  /permission denied|operation not permitted|read-only file system|readonly database|unable to open database file/i;

interface Opening {
  platform: Platform;
  work: LongWork;
  /** If false, a database with an older schema is refused. */
  mayMigrate: boolean;
  /** Reports each step of a migration. */
  say(text: string, fields: LogFields): void;
  lock?(): Promise<void>;
  onFault?(problem: StorageProblem | null): void;
  /** Whether a missing secret key causes an error only when an encrypted value is read or written. */
  vaultWhenUsed: boolean;
}

/** Opens the config's store; creates or migrates it if necessary. Throws a {@link CommandError} with advice. */
export async function openStoreAt(
  { host, loadEngine }: CommandCall,
  loaded: LoadedConfig,
  { platform, onFault = () => {}, vaultWhenUsed, ...opening }: Opening,
): Promise<Store> {
  const engine = await loadEngine();
  const { path, keyFile } = loaded.config.store;
  const machine = createMachine();
  const hasRoom = () => (machine.volumeOf(dirname(path))?.freeBytes ?? Infinity) >= ROOM_BYTES;
  try {
    await prepareDatabase(host, { engine, ...loaded, ...opening, nowMs: platform.clock.nowMs(), machine });
    return engine.open(path, (given) => openVaultFile(keyFile, given), {
      hasRoom,
      // Uses the config's path, so that a link with a new target counts as a replaced file.
      identifyFile: () => machine.identityOf(loaded.storeName),
      onFault,
      vaultWhenUsed,
    });
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const why = whyNotOpened(error as Error, { engine, path, user: host.user(), hasRoom });
    throw new CommandError(`the store ${path} cannot be opened: ${why}`);
  }
}

function whyNotOpened(
  error: Error,
  { engine, path, user, hasRoom }: {
    engine: StoreEngine;
    path: string;
    user: string | null;
    hasRoom(): boolean;
  },
): string {
  const obstacle = IS_REFUSED.test(error.message) ? findObstacle(path) ?? findObstacle(lockPath(path)) : null;
  if (obstacle === null) {
    const advice = engine.adviceOn(error, { hasRoom });
    return advice === null ? error.message : `${error.message}; ${advice}`;
  }
  const advice = describeObstacle(obstacle, { user, data: dirname(path) });
  return obstacle.what === "write" ? `${error.message}; ${advice}` : advice;
}
