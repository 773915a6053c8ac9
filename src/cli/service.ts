// The service while it runs: the appliance in force, and what happens when its config changes.
import type { Remote } from "../api/client_address.ts";
import { type App, createApp, createLasting } from "../app.ts";
import { compareConfigs, keepUntilRestart } from "../config/changes.ts";
import { AppError } from "../domain/errors.ts";
import type { Metrics } from "../domain/metrics.ts";
import type { Store } from "../domain/store.ts";
import { StorageError } from "../domain/storage_fault.ts";
import type { Span } from "../domain/tracer.ts";
import { createMachine } from "../platform/machine.ts";
import type { RealPlatform } from "../platform/platform.ts";
import { VERSION } from "../version.ts";
import { type CommandCall, CommandError, EXIT } from "./command.ts";
import { describeConflicts } from "./declared_conflicts.ts";
import { warnOfRights } from "./doctor/rights.ts";
import { digestFile, loadConfig, type LoadedConfig } from "./open.ts";
import { watchFiles } from "./watch.ts";

/** How long a new service only answers requests before it starts its other work, ms. */
const ANSWER_FIRST_MS = 100;

/** What the service is made of. */
export interface ServiceOptions {
  call: CommandCall;
  loaded: LoadedConfig;
  /** What was read for it: digests by path. */
  readings: ReadonlyMap<string, string>;
  platform: RealPlatform;
  store: Store;
  metrics: Metrics;
  /** What the log has said already of the config, see {@link warnOfRights}. */
  warned: readonly string[];
  /** Makes the config's backups until the signal aborts. */
  runBackups(loaded: LoadedConfig, signal: AbortSignal): Promise<void>;
}

/** The service: it answers requests from the beginning, and does its other work once it is started. */
export interface Service {
  /** Answers an API request; never throws. */
  fetch(request: Request, remote?: Remote): Promise<Response>;
  /** Answers an API request that comes while the service stops. */
  refuse(request: Request): Response;
  /** Begins to collect, to deliver, to make backups and to watch the config. */
  start(): Promise<void>;
  /**
   * Reads the config again and puts it in force: whole, or not at all when anything is wrong with it. Never rejects; what
   * came of it is in the log. Calls that come while one is at it are one more after it.
   */
  reload(): Promise<void>;
  /** Answers now who waits for somebody else's answer: a test of a subscription is 503 then, and may be asked for again. */
  hurry(): void;
  /** Ends every loop; what is under way is finished within the bounds of its own. Backups end with the thread they use. */
  stop(): Promise<void>;
}

/** Makes a service that can answer. Throws a {@link CommandError} when the store contradicts the config. */
export async function createService(options: ServiceOptions): Promise<Service> {
  const service = new RunningService(options);
  await service.prepare();
  return service;
}

function problemsOf(error: unknown): string[] {
  return error instanceof Error ? error.message.split("\n") : [String(error)];
}

class RunningService implements Service {
  readonly #options: ServiceOptions;
  readonly #lasting: ReturnType<typeof createLasting>;
  readonly #ending = new AbortController();
  #loaded: LoadedConfig;
  #readings: ReadonlyMap<string, string>;
  #app: App;
  /** Appliances that finish what they had taken before another followed. */
  readonly #retiring = new Set<App>();
  #backups = { ending: new AbortController(), done: Promise.resolve() };
  #reloading: Promise<void> | null = null;
  #isAskedAgain = false;
  #warned: readonly string[];
  #lastReload = { isGood: true, goodAtMs: 0 };

  constructor(options: ServiceOptions) {
    const { platform, store, metrics, loaded, readings, warned } = options;
    this.#warned = warned;
    this.#options = options;
    this.#lasting = createLasting({ platform, store, metrics });
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
    metrics.gauge(
      {
        name: "regfeed_config_last_reload_successful",
        help: "Whether the config was good when it was last read.",
      },
      () => [{ value: this.#lastReload.isGood ? 1 : 0 }],
    );
    metrics.gauge(
      {
        name: "regfeed_config_last_reload_success_timestamp_seconds",
        help: "When the config in force was read, Unix seconds.",
      },
      () => [{ value: this.#lastReload.goodAtMs / 1_000 }],
    );
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
    // Loading what outgoing requests need blocks the thread: first requests are answered before it.
    await platform.clock.sleep(ANSWER_FIRST_MS);
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
      if (applied.length > 0) await this.#putInForce({ ...given, ...keepUntilRestart(this.#loaded, given) });
      if (restart.length > 0) log.warn("some of the config waits for a restart", { keys: restart });
      const read = applied.length > 0 ? "config reloaded" : "config read again: nothing to put in force";
      log.info(read, { changed: applied });
      this.#lastReload = { isGood: true, goodAtMs: platform.clock.nowMs() };
      this.#lasting.config.state = "ok";
    } catch (error) {
      this.#lastReload.isGood = false;
      this.#lasting.config.state = "refused";
      span.fail("the config cannot be applied; the log says why");
      log.error("config not reloaded: the previous config stays in force", { problems: problemsOf(error) });
    } finally {
      this.#readings = readings;
    }
  }

  /** What was said before is not said again; what went and has come back is. */
  #warnOf(given: LoadedConfig): void {
    const warnings = warnOfRights(given, createMachine());
    const log = this.#options.platform.log("config");
    for (const warning of warnings) {
      if (!this.#warned.includes(warning)) log.warn(warning);
    }
    this.#warned = warnings;
  }

  /**
   * Lets an appliance of the config follow the one before. What can fail comes first and leaves that one as it was; then
   * its loops take nothing more, and only then the new ones begin. What it has taken is leased to it until it is done.
   */
  async #putInForce(loaded: LoadedConfig): Promise<void> {
    await this.#declareCustomers(loaded);
    const app = this.#makeApp(loaded);
    await app.prepare();
    this.#retire(this.#app);
    this.#app = app;
    await app.start();
    this.#loaded = loaded;
    this.#restartBackups(loaded);
  }

  #makeApp({ config }: LoadedConfig): App {
    const { platform, store } = this.#options;
    const made = { config, platform: platform.under(config), store, version: VERSION };
    return createApp({ ...made, lasting: this.#lasting });
  }

  #retire(app: App): void {
    this.#retiring.add(app);
    app.retire().finally(() => this.#retiring.delete(app));
  }

  async #declareCustomers(loaded: LoadedConfig): Promise<void> {
    const { store, platform } = this.#options;
    const { customers, tiers } = loaded.config;
    const newMailId = () => this.#lasting.newId("mail");
    const by = { actor: "config", atMs: platform.clock.nowMs(), tiers, newMailId };
    const declaration = await store.declareCustomers(customers, by);
    if (declaration.kind === "refused") {
      throw new CommandError(describeConflicts(declaration.conflicts, loaded), EXIT.usage);
    }
    const { added, changed, gone } = declaration;
    if (added.length + changed.length + gone.length === 0) return;
    platform.log("config").info("customers declared", { added, changed, disabled: gone });
  }

  /** One backup is not made beside another: the loop of the new config waits for that of the old. */
  #restartBackups(loaded: LoadedConfig): void {
    const { ending, done } = this.#backups;
    ending.abort();
    const next = new AbortController();
    this.#backups = { ending: next, done: done.then(() => this.#options.runBackups(loaded, next.signal)) };
  }

  hurry(): void {
    this.#lasting.hurry.abort(new AppError("unavailable", "The service is stopping."));
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#backups.ending.abort();
    await this.#reloading;
    const apps = [...this.#retiring, this.#app];
    await Promise.all(apps.map((app) => app.stop()));
  }
}
