// The running service: the app with the active config, and the reload of the config.
import type { Remote } from "../http/client_address.ts";
import { type App, createApp, createProcessServices } from "../app.ts";
import { compareConfigs, keepUntilRestart } from "../config/describe/changes.ts";
import { AppError } from "../domain/error_codes.ts";
import type { Metrics } from "../domain/ports/metrics.ts";
import { StorageError } from "../domain/ports/store/storage_fault.ts";
import type { Store } from "../domain/ports/store/store.ts";
import type { Span } from "../domain/ports/tracer.ts";
import type { ServerActs } from "../operate/operator_acts.ts";
import { createMachine } from "../platform/files/machine.ts";
import type { RealPlatform } from "../platform/platform.ts";
import { VERSION } from "../version.ts";
import { type CommandCall, CommandError, EXIT } from "./command_context.ts";
import { describeConflicts } from "./declared_conflicts.ts";
import { warnOfRights } from "./checks/rights.ts";
import { digestFile, loadConfig, type LoadedConfig } from "./open_store.ts";
import { watchFiles } from "./watch_files.ts";

/** Delay before the loops start, which leaves time for the first requests, ms. */
const FIRST_REQUESTS_MS = 100;

interface ServiceOptions {
  call: CommandCall;
  loaded: LoadedConfig;
  /** The digests of the config's files, by path. */
  readings: ReadonlyMap<string, string>;
  platform: RealPlatform;
  store: Store;
  metrics: Metrics;
  /** The warnings about the config that have already been logged; see {@link warnOfRights}. */
  warned: readonly string[];
  runBackups(loaded: LoadedConfig, signal: AbortSignal): Promise<void>;
  /** Returns what the operator's pages can do in this process with a config. */
  serverActsOf(loaded: LoadedConfig): ServerActs;
}

/** The service, which responds to requests immediately and runs its loops after `start()`. */
export interface Service {
  /** Responds to an API request; never throws. */
  fetch(request: Request, remote?: Remote): Promise<Response>;
  /** Responds to an API request that arrives while the service stops. */
  refuse(request: Request): Response;
  /** Starts fetching, delivering, creating backups and watching the config. */
  start(): Promise<void>;
  /**
   * Reads the config again and applies all changes, except those that need a restart. If the config is invalid, applies
   * none. Never rejects; the result is logged. Calls during a reload cause one more reload after it.
   */
  reload(): Promise<void>;
  /** Ends requests that wait for a receiver: a test call gets 503 and can be sent again. */
  abortPending(): void;
  /** Stops the loops and waits for the work in progress. Backups end with their thread. */
  stop(): Promise<void>;
}

/** Creates a service that can respond to requests. Throws a {@link CommandError} if store and config conflict. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const service = new RunningService(options);
  await service.prepare();
  return service;
}

class RunningService implements Service {
  readonly #options: ServiceOptions;
  readonly #services: ReturnType<typeof createProcessServices>;
  readonly #ending = new AbortController();
  #loaded: LoadedConfig;
  #readings: ReadonlyMap<string, string>;
  #app: App;
  /** Apps of previous configs that are finishing the work they have claimed. */
  readonly #draining = new Set<App>();
  #backups = { ending: new AbortController(), done: Promise.resolve() };
  #reloading: Promise<void> | null = null;
  #isAskedAgain = false;
  #warned: readonly string[];
  #lastReload = { isGood: true, goodAtMs: 0 };

  constructor(options: ServiceOptions) {
    const { platform, store, metrics, loaded, readings, warned } = options;
    this.#warned = warned;
    this.#options = options;
    this.#services = createProcessServices({ platform, store, metrics });
    this.#loaded = loaded;
    this.#readings = readings;
    this.#lastReload.goodAtMs = platform.clock.nowMs();
    this.#measure(metrics);
    this.#app = this.#makeApp(loaded);
  }

  fetch(request: Request, remote?: Remote): Promise<Response> {
    return this.#app.fetch(request, remote);
  }

  refuse(request: Request): Response {
    return this.#app.refuse(request);
  }

  #measure(metrics: Metrics): void {
    metrics.gauge({
      name: "regfeed_config_last_reload_successful",
      help: "1 if the last reload of the config succeeded, otherwise 0.",
    }, () => [{ value: this.#lastReload.isGood ? 1 : 0 }]);
    metrics.gauge({
      name: "regfeed_config_last_reload_success_timestamp_seconds",
      help: "When the active config was read, Unix seconds.",
    }, () => [{ value: this.#lastReload.goodAtMs / 1_000 }]);
  }

  async prepare(): Promise<void> {
    try {
      await this.#declareCustomers(this.#loaded);
      await this.#app.prepare();
    } catch (error) {
      throw error instanceof StorageError ? new CommandError(error.message) : error;
    }
  }

  async start(): Promise<void> {
    const { call, platform } = this.#options;
    // Waits for the first requests, because loading the HTTP client blocks the thread.
    await platform.clock.sleep(FIRST_REQUESTS_MS);
    await platform.prepare();
    await this.#app.start();
    this.#restartBackups(this.#loaded);
    const watching = {
      known: () => this.#loaded.config.server.watchConfig ? this.#readings : null,
      digest: (path: string) => digestFile(call.host, path),
      clock: platform.clock,
      onChange: () => this.reload(),
    };
    watchFiles(watching, this.#ending.signal);
  }

  reload(): Promise<void> {
    this.#isAskedAgain = true;
    return this.#reloading ??= this.#reloadWhileAsked().finally(() => this.#reloading = null);
  }

  async #reloadWhileAsked(): Promise<void> {
    while (this.#isAskedAgain && !this.#ending.signal.aborted) {
      this.#isAskedAgain = false;
      const reload = (span: Span) => this.#reloadOnce(span);
      await this.#options.platform.tracer.act("reload config", {}, reload, { isOutlived: true });
    }
  }

  async #reloadOnce(span: Span): Promise<void> {
    const { call, platform } = this.#options;
    const log = platform.log("config");
    const readings = new Map<string, string>();
    try {
      const given = await loadConfig(call, { readings, again: this.#loaded.file });
      const { applied, restart } = compareConfigs(this.#loaded, given);
      this.#warnOf(given);
      if (applied.length > 0) await this.#activate({ ...given, ...keepUntilRestart(this.#loaded, given) });
      if (restart.length > 0) log.warn("some changes take effect only after a restart", { keys: restart });
      log.info(applied.length > 0 ? "config reloaded" : "config reloaded: no changes", { changed: applied });
      this.#lastReload = { isGood: true, goodAtMs: platform.clock.nowMs() };
      this.#services.config.state = "ok";
    } catch (error) {
      this.#lastReload.isGood = false;
      this.#services.config.state = "refused";
      span.fail("the config cannot be applied; the log says why");
      log.error("config not reloaded: the previous config stays active", {
        problems: (error as Error).message.split("\n"),
      });
    } finally {
      this.#readings = readings;
    }
  }

  /** Logs the warnings that the previous config did not cause. */
  #warnOf(given: LoadedConfig): void {
    const warnings = warnOfRights(given, createMachine());
    const log = this.#options.platform.log("config");
    for (const warning of warnings) {
      if (!this.#warned.includes(warning)) log.warn(warning);
    }
    this.#warned = warnings;
  }

  /**
   * Replaces the app with one for the new config. Steps that can fail come first. Then the old app stops claiming work
   * and the new one starts. The new app does not wait while the old one finishes the work it has claimed, because a
   * slow receiver (15 s) or a long fetch would delay all other deliveries and fetches.
   */
  async #activate(loaded: LoadedConfig): Promise<void> {
    await this.#declareCustomers(loaded);
    const app = this.#makeApp(loaded);
    await app.prepare();
    const old = this.#app;
    this.#draining.add(old);
    old.drain().finally(() => this.#draining.delete(old));
    this.#app = app;
    await app.start();
    this.#loaded = loaded;
    this.#restartBackups(loaded);
  }

  #makeApp(loaded: LoadedConfig): App {
    const { config } = loaded;
    const { platform, store, serverActsOf } = this.#options;
    const made = { config, platform: platform.under(config), store, version: VERSION };
    return createApp({ ...made, services: this.#services, serverActs: serverActsOf(loaded) });
  }

  async #declareCustomers(loaded: LoadedConfig): Promise<void> {
    const { store, platform } = this.#options;
    const { customers, tiers } = loaded.config;
    const newMailId = () => this.#services.newId("mail");
    const by = { actor: "config", atMs: platform.clock.nowMs(), tiers, newMailId };
    const declaration = await store.declareCustomers(customers, by);
    if (declaration.kind === "refused") {
      throw new CommandError(describeConflicts(declaration.conflicts, loaded), EXIT.usage);
    }
    const { added, changed, gone } = declaration;
    if (added.length + changed.length + gone.length === 0) return;
    platform.log("config").info("customers declared", { added, changed, disabled: gone });
  }

  /** Backups never overlap, because the loop of the new config waits for that of the old one. */
  #restartBackups(loaded: LoadedConfig): void {
    const { ending, done } = this.#backups;
    ending.abort();
    const next = new AbortController();
    this.#backups = { ending: next, done: done.then(() => this.#options.runBackups(loaded, next.signal)) };
  }

  abortPending(): void {
    this.#services.abortPending.abort(new AppError("unavailable", "The service is stopping."));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#backups.ending.abort();
    await this.#reloading;
    const apps = [...this.#draining, this.#app];
    await Promise.all(apps.map((app) => app.stop()));
  }
}
