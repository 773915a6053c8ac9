// `serve`: the API and the loops, until a signal ends them.
import { createDoor } from "../api/door.ts";
import { createBackup } from "../backup/create.ts";
import { runBackups } from "../backup/schedule.ts";
import { createApp } from "../app.ts";
import { createIds } from "../domain/ids.ts";
import type { DatabaseFacts } from "../domain/backup.ts";
import type { LogFields } from "../domain/ports.ts";
import type { Host } from "../platform/process.ts";
import { listen } from "../platform/server.ts";
import { createThread, type Thread } from "../platform/thread.ts";
import { VERSION } from "../version.ts";
import { type Command, EXIT } from "./command.ts";
import { type Opened, openStoreAt, withPlatform } from "./open.ts";
import { createBackupTools, type LongWork } from "./prepare.ts";

/** How long answers under way may take after the signal, ms. */
const DRAIN_MS = 5_000;

/** The command. */
export const serveCommand: Command = {
  name: "serve",
  usage: "",
  summary: "runs the API, the collecting and the deliveries",
  example: "regfeed serve --config /etc/regfeed/regfeed.toml",
  positionals: [0, 0],
  options: {},
  run: (call) =>
    withPlatform(call, async ({ config, file, platform }) => {
      const log = platform.log("serve");
      const stopSignal = call.host.stopSignal();
      log.info("starting", {
        version: VERSION,
        config: file,
        store: config.store.path,
        sources: config.sources.filter(({ enabled }) => enabled).length,
      });
      const { clock, random } = platform;
      const door = createDoor(createIds(() => clock.nowMs(), (count) => random.bytes(count)));
      let refuse: ((request: Request) => Response) | undefined;
      const server = await listen({
        ...config.server.listen,
        handler: (request, { remoteAddress }) => door.fetch(request, remoteAddress),
        refuse: (request) => refuse?.(request) ?? new Response(null, { status: 503 }),
      });
      const ending = new AbortController();
      let backups: Promise<void> = Promise.resolve();
      const thread = createThread(new URL("../worker.ts", import.meta.url));
      try {
        // It listens already: whoever watches the process sees it alive while a large database is brought up to date.
        const say = (text: string, fields: LogFields) => log.info(text, fields);
        const store = await openStoreAt(call, { config, file }, { platform, work: workOn(thread), say });
        try {
          const app = createApp({ config, platform, store, version: VERSION });
          refuse = (request) => app.refuse(request);
          await app.start();
          backups = startBackups(call.host, { config, file, platform, work: workOn(thread) }, ending.signal);
          door.open((request, remoteAddress) => app.fetch(request, remoteAddress));
          log.info("listening", { address: server.address });
          const signal = await stopSignal;
          log.info("stopping", { signal });
          ending.abort();
          await server.shutdown(DRAIN_MS);
          await app.stop();
          thread.end(); // a backup under way ends with it, and leaves nothing behind
          await Promise.race([backups, platform.clock.sleep(DRAIN_MS)]);
          log.info("stopped");
          return EXIT.done;
        } finally {
          await store.close();
        }
      } finally {
        thread.end();
        await server.shutdown(0);
      }
    }),
};

/** Makes the config's backups until the signal aborts. */
async function startBackups(
  host: Host,
  { config, file, platform, work }: Omit<Opened, "store"> & { work: LongWork },
  signal: AbortSignal,
): Promise<void> {
  const { folder, schedule, keep, secretKey } = config.backup;
  if (schedule === null) return;
  // Not closed while the store is open: the files that they hold carry this process's locks on the database.
  const tools = createBackupTools(host, work);
  await runBackups({
    plan: { folder, schedule, keep },
    clock: platform.clock,
    log: platform.log("backup"),
    files: host,
    async create(to, nowMs) {
      const request = { to, nowMs, database: config.store.path, config: file };
      await createBackup({ ...request, secretKey: secretKey ? config.store.keyFile : null }, tools);
    },
  }, signal);
}

/** The database's long work, on the second thread. */
function workOn(thread: Thread): LongWork {
  return {
    inspect: (path) => thread.call("inspect", path) as Promise<DatabaseFacts>,
    migrate: (file) => thread.call("migrate", JSON.stringify(file)),
  };
}
