// `serve`: runs the API and the loops until a signal.
import { basename, dirname } from "node:path";
import { respondWithMetrics } from "../api/metrics/metrics_page.ts";
import { createBackup, removeLeftovers } from "../backup/create.ts";
import type { BackupTools } from "../backup/backup_ports.ts";
import { runBackups } from "../backup/schedule.ts";
import { createMetrics, type MetricsRegistry } from "../domain/ports/metrics.ts";
import type { DatabaseFacts } from "../domain/ports/backup.ts";
import type { Clock, Log, LogFields } from "../domain/ports/ports.ts";
import type { StorageProblem } from "../domain/ports/store/storage_fault.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { nameCalls } from "../domain/ports/event_loop.ts";
import { traceRounds } from "../domain/ports/tracer.ts";
import type { Host } from "../platform/process/process.ts";
import { type CertificatePair, examineCertificate } from "../platform/tls/certificate.ts";
import { createMachine, hasFiles } from "../platform/files/machine.ts";
import type { StopSignal } from "../platform/process/signals.ts";
import { listen, type ListenOptions, type RunningServer } from "../platform/http/http_server.ts";
import { listenTls } from "../platform/tls/tls_server.ts";
import { measureEventLoop } from "../platform/process/event_loop_monitor.ts";
import { measureProcess } from "../platform/process/process_metrics.ts";
import { createSupervisor } from "../platform/process/supervisor.ts";
import { createThread, type Thread } from "../platform/process/worker_thread.ts";
import { VERSION } from "../version.ts";
import { readPair, watchCertificate } from "./certificate_watch.ts";
import { type CommandCall, CommandError, EXIT } from "./command_context.ts";
import { checkTimes } from "./checks/certificate.ts";
import { explainFirstSignIn } from "./first_sign_in.ts";
import { warnOfRights } from "./checks/rights.ts";
import { lockStore } from "./instance_lock.ts";
import { type LoadedConfig, type Opened, openStoreAt } from "./open_store.ts";
import { measureService } from "./server_metrics.ts";
import { createServerActs } from "./server_acts.ts";
import { createBackupTools, type LongWork } from "./migrate_with_backup.ts";
import { createService, type Service } from "./reload.ts";
import { tracesWarning } from "./build_info.ts";

/** Time limit for responses in progress after the signal, ms. */
const DRAIN_MS = 5_000;
/** Time after the signal at which requests that wait for a receiver are ended, ms. */
const ABORT_PENDING_MS = 4_000;

/** A few hundred slow clients can exhaust a lower limit on open files. */
const ENOUGH_FILES = 1_024;
const MORE_FILES = "raise it: LimitNOFILE in the unit, or `ulimit -n` in the shell";

type Serving = Omit<Opened, "store"> & { readings: ReadonlyMap<string, string> };

/** Serves until a signal. Resolves with the exit code. */
export async function serve(
  call: CommandCall,
  { readings, platform, ...loaded }: Serving,
): Promise<number> {
  const { config, file } = loaded;
  const log = platform.log("serve");
  const { clock } = platform;
  const [engine, files] = [await call.loadEngine(), call.host];
  const stopSignal = call.host.stopSignal();
  log.info("starting", {
    version: VERSION,
    config: file,
    store: config.store.path,
    sources: config.sources.filter(({ enabled }) => enabled).length,
  });
  const warned = warnOfRights(loaded, createMachine());
  for (const warning of [...warned, await tracesWarning(call.host)]) if (warning !== null) log.warn(warning);
  await using parts = new AsyncDisposableStack(); // closed in reverse order
  const supervisor = await createSupervisor((name) => call.host.env(name), log.warn);
  parts.defer(() => supervisor.close());
  const metrics = createMetrics();
  measureProcess(metrics, clock.nowMs());
  parts.defer(measureEventLoop(platform.eventLoop, metrics, log));
  let backupFolder = config.backup.folder;
  const { schemaVersion } = engine;
  measureService(metrics, config.store, { files, clock, schemaVersion, backupFolder: () => backupFolder });
  const ending = new AbortController();
  parts.defer(() => ending.abort());
  parts.defer(await listenForMetrics(config, metrics));
  const thread = createThread(new URL("../database_worker.ts", import.meta.url));
  parts.defer(() => thread.end());
  const say = (text: string, fields: LogFields) => log.info(text, fields);
  const onFault = (problem: StorageProblem | null) => {
    if (problem === null) platform.log("store").info("storage fault over");
    else platform.log("store").error(problem.advice, { fault: problem.fault });
  };
  const since = `since ${new Date(clock.nowMs()).toISOString()}`;
  const lock = async () => parts.defer((await lockStore(config.store.path, since)).release);
  const rest = { mayMigrate: true, vaultWhenUsed: false };
  const opening = { platform, work: workOn(thread), lock, say, onFault, ...rest };
  const open = () => openStoreAt(call, loaded, opening);
  const store = await openUnlessStopped(stopSignal, {
    open: () => supervisor.whileStarting("opening the database", open),
    giveUp: () => thread.end(),
    clock,
  });
  if (store === null) return await logStopped(log, stopSignal, () => supervisor.stopping());
  parts.defer(() => store.close());

  // The tools outlive the store, because closing their files would release this process's locks on the database.
  const tools = createBackupTools(files, engine, workOn(thread));
  let backups = Promise.resolve();
  const runBackups = (active: LoadedConfig, signal: AbortSignal) => {
    backupFolder = active.config.backup.folder;
    return backups = startBackups(call.host, { ...active, platform, tools }, signal);
  };
  const serverActsOf = (active: LoadedConfig) =>
    createServerActs({ call, loaded: active, platform, store, tools });
  const service = await createService({
    ...{ call, loaded, readings, platform, metrics, warned, runBackups, serverActsOf },
    store: nameCalls(traceRounds(store, platform.tracer), platform.eventLoop),
  });
  const server = await listenAt(call.host, { config, platform, service, signal: ending.signal });
  parts.defer(() => server.shutdown(0));
  log.info("listening", { address: server.address });
  await supervisor.ready(`listening on ${server.address}`);
  await service.start();
  const configFile = call.texts.get("config") ?? null;
  await explainFirstSignIn({ host: call.host, configFile, config, store, platform, log });
  parts.defer(call.host.onReload(() => void service.reload()));
  // Checked only when the service is ready, because the check takes some time.
  if (!hasFiles(ENOUGH_FILES)) log.warn(`the limit on open files is below ${ENOUGH_FILES}; ${MORE_FILES}`);
  return await logStopped(log, stopSignal, async () => {
    await supervisor.stopping();
    ending.abort();
    await Promise.all([drain(server, service, clock), service.stop()]);
    await service.stop(); // writes the counts of the last requests
    thread.end(); // ends a backup in progress and removes its files
    await Promise.race([backups, clock.sleep(DRAIN_MS)]);
  });
}

/** Serves the metrics on the configured address, if there is one. Returns a function that closes the listener. */
async function listenForMetrics(
  { metrics: { listen: at, token } }: Pick<Opened["config"], "metrics">,
  metrics: MetricsRegistry,
): Promise<() => Promise<void>> {
  if (at === null) return () => Promise.resolve();
  const server = await listen({ ...at, handler: (request) => respondWithMetrics(request, metrics, token) });
  return () => server.shutdown(0);
}

async function drain(
  server: Pick<RunningServer, "shutdown">,
  service: Pick<Service, "abortPending">,
  clock: Pick<Clock, "sleep">,
): Promise<void> {
  const drained = new AbortController();
  const aborting = clock.sleep(ABORT_PENDING_MS, drained.signal).then(() => service.abortPending());
  await server.shutdown(DRAIN_MS);
  drained.abort();
  await aborting;
}

/** Waits for the signal, then stops the service. Logs both. */
async function logStopped(
  log: Log,
  stopSignal: Promise<StopSignal>,
  end: () => Promise<void>,
): Promise<number> {
  log.info("stopping", { signal: await stopSignal });
  await end();
  log.info("stopped");
  return EXIT.done;
}

/**
 * Opens the store, or returns null if the stop signal comes first. Work in progress is then cancelled: the next start
 * repeats a migration, and an unfinished backup leaves no files.
 */
async function openUnlessStopped(
  stopSignal: Promise<StopSignal>,
  { open, giveUp, clock }: { open(): Promise<Store>; giveUp(): void; clock: Pick<Clock, "sleep"> },
): Promise<Store | null> {
  const isAsked = await Promise.race([stopSignal.then(() => true), Promise.resolve().then(() => false)]);
  if (isAsked) return null;
  const opening = open();
  const first = await Promise.race([stopSignal, opening]);
  if (typeof first !== "string") return first;
  giveUp();
  const isOver = opening.then((store) => store.close(), () => {}); // opening is expected to fail
  await Promise.race([isOver, clock.sleep(DRAIN_MS)]);
  return null;
}

/** Listens as configured. With TLS, watches the certificate's files until the signal aborts. */
async function listenAt(
  host: Host,
  { config: { server: { listen: at, tls: paths } }, platform, service, signal }:
    & Pick<Serving, "config" | "platform">
    & { service: Service; signal: AbortSignal },
): Promise<Pick<RunningServer, "address" | "shutdown">> {
  const options: ListenOptions = {
    ...at,
    handler: (request, client) => service.fetch(request, client),
    refuse: (request) => service.refuse(request),
    onLost: (cause) =>
      platform.log("serve").error(
        `the listener failed and is restarted; if the limit on open files is the cause, ${MORE_FILES}`,
        { cause },
      ),
  };
  if (paths === null) return await listen(options);
  const pair = await readPair(host, paths);
  const state = examineCertificate(pair);
  if (state.kind === "bad") throw new CommandError(`server.tls_cert ${paths.cert}: ${state.reason}`);
  const server = await listenTls({ ...options, pair });
  const log = platform.log("tls");
  // Wrong dates cause only warnings, because this machine's clock may be wrong.
  for (const { seen, todo } of checkTimes(state, platform.clock.nowMs())) log.warn(`${seen}: ${todo}`);
  const renew = (next: CertificatePair) => server.renew(next);
  const machine = createMachine();
  void watchCertificate(
    { files: host, clock: platform.clock, log, paths, inUse: pair, renew, machine },
    signal,
  );
  return server;
}

async function startBackups(
  host: Host,
  { config, file, platform, tools }: LoadedConfig & Pick<Opened, "platform"> & { tools: BackupTools },
  signal: AbortSignal,
): Promise<void> {
  const { folder, schedule, keep, secretKey } = config.backup;
  await cleanUp(host, [folder, dirname(config.store.path)], platform);
  if (schedule === null) return;
  await runBackups({
    plan: { folder, schedule, keep },
    clock: platform.clock,
    log: platform.log("backup"),
    files: host,
    async create(to, nowMs) {
      const key = secretKey ? config.store.keyFile : null;
      const request = { to, nowMs, database: config.store.path, config: file, secretKey: key };
      await platform.tracer.act("make backup", { file: basename(to) }, () => createBackup(request, tools));
    },
  }, signal);
}

/** Removes the files of interrupted backups and restores. */
async function cleanUp(
  host: Host,
  folders: readonly string[],
  platform: Opened["platform"],
): Promise<void> {
  const log = platform.log("backup");
  for (const folder of new Set(folders)) {
    try {
      const { removed, kept } = await removeLeftovers(folder, platform.clock.nowMs(), host);
      for (const path of removed) log.info("removed files of an interrupted backup", { folder: path });
      for (const { path: folder, reason: cause } of kept) {
        log.warn("files of an interrupted backup cannot be removed: remove them yourself", { folder, cause });
      }
    } catch (error) {
      log.warn("cannot look for files of interrupted backups", { cause: (error as Error).message });
    }
  }
}

function workOn(thread: Thread): LongWork {
  return {
    inspect: (path) => thread.call("inspect", path) as Promise<DatabaseFacts>,
    migrate: (file) => thread.call("migrate", file),
  };
}
