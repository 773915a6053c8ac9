// Implements the ports of src/domain/ports/ports.ts on this machine.
import type { Platform } from "../domain/ports/ports.ts";
import { nameActs } from "../domain/ports/event_loop.ts";
import { NO_TRACER, type Tracer } from "../domain/ports/tracer.ts";
import { createClock } from "./clock.ts";
import { EventLoopMonitor } from "./process/event_loop_monitor.ts";
import { createFiles } from "./files/files.ts";
import { createHttpClient } from "./http/http.ts";
import { createLogs, type LogSettings } from "./log/log.ts";
import { createMailer, type MailSettings } from "./mail/mailer.ts";
import { createRandom } from "./random.ts";
import { createResolver } from "./http/resolver.ts";
import { createThread, type Thread } from "./process/worker_thread.ts";

interface PlatformSettings {
  log: LogSettings;
  mail?: MailSettings;
}

export interface RealPlatform extends Platform {
  eventLoop: EventLoopMonitor;
  /** Returns the same platform with other settings. The log settings apply to the whole process. */
  under(settings: PlatformSettings): RealPlatform;
  /** Loads the HTTP client in advance, so that loading it does not count towards the time limit of a request. */
  prepare(): Promise<void>;
  close(): Promise<void>;
}

/** Creates the real platform. Without a tracer, it records no traces. */
export function createPlatform(options: PlatformSettings & { tracer?: Tracer }): RealPlatform {
  const http = createHttpClient();
  const endpoints = createHttpClient({ forWebhooks: true });
  const logs = createLogs(options.log);
  const parseWorker = createParseWorker();
  const eventLoop = new EventLoopMonitor();
  const platform: RealPlatform = {
    clock: createClock(),
    random: createRandom(),
    http,
    endpoints,
    resolver: createResolver(),
    files: createFiles(),
    mailer: createMailer(options.mail ?? null),
    tracer: nameActs(options.tracer ?? NO_TRACER, eventLoop),
    eventLoop,
    parseWorker,
    log: (area) => logs.log(area),
    async prepare() {
      await Promise.all([http.prepare(), endpoints.prepare()]);
    },
    async close() {
      parseWorker.end();
      await Promise.all([http.close(), endpoints.close()]);
      logs.close();
    },
    under(settings) {
      createLogs(settings.log);
      return { ...platform, mailer: createMailer(settings.mail ?? null) };
    },
  };
  return platform;
}

/** Maximum memory for parsing one document, MB. A feed of 20 MB takes about 80 MB. */
const MAX_PARSE_MB = 512;

/** Time after which parsing is stopped, ms. A slow document is parsed again once no other document waits. */
const FIRST_TRY_MS = 2_000;

export function createParseWorker(): Thread {
  return createThread(new URL("../parse_worker.ts", import.meta.url), {
    maxHeapMb: MAX_PARSE_MB,
    firstTryMs: FIRST_TRY_MS,
  });
}
