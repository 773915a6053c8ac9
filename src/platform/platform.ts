// The world outside, wired: what src/domain/ports.ts asks for, on this machine.
import type { Platform } from "../domain/ports.ts";
import { createClock } from "./clock.ts";
import { createFiles } from "./files.ts";
import { createHttpClient } from "./http.ts";
import { createLogs, type LogSettings } from "./log.ts";
import { createMailer, type MailSettings } from "./mailer.ts";
import { createRandom } from "./random.ts";
import { createResolver } from "./resolver.ts";

/** The real world. `close` ends every connection to somewhere else. */
export function createPlatform(
  options: { log: LogSettings; mail?: MailSettings },
): Platform & { close(): Promise<void> } {
  const http = createHttpClient();
  const logs = createLogs(options.log);
  return {
    clock: createClock(),
    random: createRandom(),
    http,
    resolver: createResolver(),
    files: createFiles(),
    mailer: createMailer(options.mail ?? null),
    log: (area) => logs.log(area),
    async close() {
      await http.close();
      logs.close();
    },
  };
}
