// `serve`: runs the API and the loops until a signal.
import { basename, dirname } from "node:path";
import { respondWithMetrics } from "../api/metrics/metrics_page.ts";
import { createBackup, removeLeftovers } from "../backup/create.ts";
import type { BackupTools } from "../backup/tools.ts";
import { runBackups } from "../backup/schedule.ts";
import { createMetrics, type MetricsRegistry } from "../domain/ports/metrics.ts";
import type { DatabaseFacts } from "../domain/ports/backup.ts";
import type { Clock, Log, LogFields } from "../domain/ports/ports.ts";
import type { StorageProblem } from "../domain/ports/store/storage_fault.ts";
import type { Store } from "../domain/ports/store/store.ts";
import { nameCalls } from "../domain/event_loop.ts";
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
import { type CommandCall, CommandError, EXIT } from "./command_call.ts";
import { checkTimes } from "./checks/certificate.ts";
import { warnOfRights } from "./checks/rights.ts";
import { lockStore } from "./instance_lock.ts";
import { type LoadedConfig, type Opened, openStoreAt } from "./open_store.ts";
import { type FileWatch, watchOpenFiles } from "./open_file_limit.ts";
import { type Measured, measureService } from "./server_metrics.ts";
import { createBackupTools, type LongWork } from "./migrate_with_backup.ts";
import { createService, type Service } from "./reload.ts";
import { tracesWarning } from "./build_facts.ts";

/** How long responses in progress may take after the signal, ms. */
const DRAIN_MS = 5_000;
/** When requests that wait for a receiver are ended after the signal, ms. */
const ABORT_PENDING_MS = 4_000;

/** With fewer, a few hundred slow clients can use all of them. */
const ENOUGH_FILES = 1_024;
const MORE_FILES = "raise it: LimitNOFILE in the unit, or `ulimit -n` in the shell";

/** Other programs use these signals, for example to reopen log files. */
const UNUSED_SIGNAL = "this signal is ignored: SIGHUP reloads the config, SIGTERM stops the server";

/** What a server starts with. */
export type Serving = Omit<Opened, "store"> & {
  readings: ReadonlyMap<string, string>;
};

/** Serves until a signal; resolves with the exit code. */
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
  const measured = measureService(metrics, config, { files, clock, schemaVersion: engine.schemaVersion });
  const ending = new AbortController();
  parts.defer(() => ending.abort());
  parts.defer(await listenForMetrics(config, metrics));
  const thread = createThread(new URL("../database_worker.ts", import.meta.url));
  parts.defer(() => thread.end());
  const say = (text: string, fields: LogFields) => log.info(text, fields);
  const onFault = logFaults(platform.log("store"));
  const since = `since ${new Date(clock.nowMs()).toISOString()}`;
  const lock = async () => parts.defer((await lockStore(config.store.path, since)).release);
  const opening = { platform, work: workOn(thread), lock, say, onFault, vaultWhenUsed: false };
  const open = () => openStoreAt(call, loaded, opening);
  const store = await openUnlessStopped(stopSignal, {
    open: () => supervisor.whileStarting("opening the database", open),
    giveUp: () => thread.end(),
    clock,
  });
  if (store === null) return await logStopped(log, stopSignal, () => supervisor.stopping());
  parts.defer(() => store.close());

  // Not closed while the store is open: closing their files would release this process's locks on the database.
  const tools = createBackupTools(files, engine, workOn(thread));
  let backups = Promise.resolve();
  const runBackups = (inForce: LoadedConfig, signal: AbortSignal) =>
    backups = startBackups(call.host, { ...inForce, platform, tools, measured }, signal);
  const service = await createService({
    ...{ call, loaded, readings, platform, metrics, warned, runBackups },
    store: nameCalls(traceRounds(store, platform.tracer), platform.eventLoop),
  });
  const server = await listenAt(call.host, { config, platform, service, signal: ending.signal });
  parts.defer(() => server.shutdown(0));
  log.info("listening", { address: server.address });
  await supervisor.ready(`listening on ${server.address}`);
  await service.start();
  parts.defer(call.host.onReload(() => void service.reload()));
  parts.defer(call.host.onUnused((signal) => log.warn(UNUSED_SIGNAL, { signal })));
  watchFiles({ log, clock, metrics }, ending.signal);
  return await logStopped(log, stopSignal, async () => {
    await supervisor.stopping();
    ending.abort();
    await Promise.all([drain(server, service, clock), service.stop()]);
    await service.stop(); // writes the counts of the last requests
    thread.end(); // ends a backup in progress, which removes its files
    await Promise.race([backups, clock.sleep(DRAIN_MS)]);
  });
}

/** Logs the begin of a storage fault with advice, and its end. */
function logFaults(log: Log): (problem: StorageProblem | null) => void {
  return (problem) => {
    if (problem === null) log.info("storage fault over");
    else log.error(problem.advice, { fault: problem.fault });
  };
}

/** Listens for metrics if the config says so; returns a function that closes the listener. */
async function listenForMetrics(
  { metrics: { listen: at, token } }: Pick<Opened["config"], "metrics">,
  metrics: MetricsRegistry,
): Promise<() => Promise<void>> {
  if (at === null) return () => Promise.resolve();
  const server = await listen({ ...at, handler: (request) => respondWithMetrics(request, metrics, token) });
  return () => server.shutdown(0);
}

/** Lets requests in progress finish, within a limit. */
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

/** Warns if few files can be opened; runs when the service is ready, because it takes some time. */
function watchFiles(watch: Omit<FileWatch, "hasFiles">, signal: AbortSignal): void {
  if (!hasFiles(ENOUGH_FILES)) {
    watch.log.warn(
      `the limit of open files is below ${ENOUGH_FILES}; ${MORE_FILES}`,
    );
  }
  void watchOpenFiles({ ...watch, hasFiles }, signal);
}

/** Waits for the signal and stops the service; logs both. */
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
 * The opened store; null when the signal to end came before it was there. What was under way is given up then: an
 * upgrade of the database begins anew at the next start, and the backup before it leaves nothing behind.
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
  const isOver = opening.then((store) => store.close(), () => {}); // expected to fail
  await Promise.race([isOver, clock.sleep(DRAIN_MS)]);
  return null;
}

/** Listens as the config says; with a certificate, over TLS, and takes a new one into use until the signal aborts. */
async function listenAt(
  host: Host,
  { config: { server: { listen: at, tls: paths } }, platform, service, signal }:
    & Pick<Serving, "config" | "platform">
    & { service: Service; signal: AbortSignal },
): Promise<Pick<RunningServer, "address" | "shutdown">> {
  const said = platform.log("serve");
  const options: ListenOptions = {
    ...at,
    handler: (request, client) => service.fetch(request, client),
    refuse: (request) => service.refuse(request),
    onLost: logLoss(said),
  };
  if (paths === null) return await listen(options);
  const pair = await readPair(host, paths);
  const state = examineCertificate(pair);
  if (state.kind === "bad") throw new CommandError(`server.tls_cert ${paths.cert}: ${state.reason}`);
  const server = await listenTls({ ...options, pair });
  const log = platform.log("tls");
  // Not an error: this machine's clock may be wrong.
  for (const { seen, todo } of checkTimes(state, platform.clock.nowMs())) log.warn(`${seen}: ${todo}`);
  const renew = (next: CertificatePair) => server.renew(next);
  const machine = createMachine();
  void watchCertificate(
    { files: host, clock: platform.clock, log, paths, inUse: pair, renew, machine },
    signal,
  );
  return server;
}

/** Logs that a listener was lost, with what to do about it. */
function logLoss(log: Log): (reason: string) => void {
  return (reason) =>
    log.error(
      `the listener failed and is restarted; if the limit of open files is the cause, ${MORE_FILES}`,
      {
        cause: reason,
      },
    );
}

/** Creates scheduled backups until the signal aborts. */
async function startBackups(
  host: Host,
  { config, file, platform, tools, measured }:
    & LoadedConfig
    & Pick<Opened, "platform">
    & { tools: BackupTools; measured: Measured },
  signal: AbortSignal,
): Promise<void> {
  const { folder, schedule, keep, secretKey } = config.backup;
  measured.backupFolder = folder;
  await cleanUp(host, [folder, dirname(config.store.path)], platform);
  if (schedule === null) return;
  await runBackups({
    plan: { folder, schedule, keep },
    clock: platform.clock,
    log: platform.log("backup"),
    files: host,
    async create(to, nowMs) {
      const request = { to, nowMs, database: config.store.path, config: file };
      const key = secretKey ? config.store.keyFile : null;
      await platform.tracer.act(
        "make backup",
        { file: basename(to) },
        () => createBackup({ ...request, secretKey: key }, tools),
      );
    },
  }, signal);
}

/** Removes the files of interrupted backups and restores. */
async function cleanUp(
  host: Host,
  folders: readonly string[],
  { clock, log }: Pick<Opened["platform"], "clock" | "log">,
): Promise<void> {
  for (const folder of new Set(folders)) {
    try {
      const { removed, kept } = await removeLeftovers(folder, clock.nowMs(), host);
      for (const path of removed) {
        log("backup").info("removed files of an interrupted backup", { folder: path });
      }
      for (const { path, reason } of kept) {
        log("backup").warn("files of an interrupted backup cannot be removed: remove them yourself", {
          folder: path,
          cause: reason,
        });
      }
    } catch (error) {
      log("backup").warn("cannot look for files of interrupted backups", {
        cause: (error as Error).message,
      });
    }
  }
}

/** The long work in a worker. */
function workOn(thread: Thread): LongWork {
  return {
    inspect: (path) => thread.call("inspect", path) as Promise<DatabaseFacts>,
    migrate: (file) => thread.call("migrate", file),
  };
}
