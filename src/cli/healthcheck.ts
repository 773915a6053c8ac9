// `healthcheck`: asks a running server how it is; for containers without curl.
import type { Config } from "../config/config.ts";
import type { Platform } from "../domain/ports.ts";
import { createPlatform } from "../platform/platform.ts";
import { type Command, CommandError, EXIT } from "./command.ts";
import { loadConfig } from "./open.ts";

const TIMEOUT_MS = 5_000;
const MAX_REPORT_BYTES = 65_536;

/** The command. */
export const healthcheckCommand: Command = {
  name: "healthcheck",
  usage: "[--url URL]",
  summary: "asks the running server how it is; exit code 1 when it is down or does not answer",
  example: "regfeed healthcheck --url http://127.0.0.1:8080",
  positionals: [0, 0],
  options: {
    url: { kind: "text", value: "URL", help: "the server's address (default: the config's listen)" },
  },
  async run(call) {
    const base = call.texts.get("url") ?? listenUrl((await loadConfig(call)).config);
    if (!URL.canParse("/v1/health", base)) {
      throw new CommandError(
        `--url must be an address such as http://127.0.0.1:8080, not ${base}`,
        EXIT.usage,
      );
    }
    const platform = createPlatform({ log: { format: "text", level: "error" } });
    try {
      const status = await askHealth(platform, new URL("/v1/health", base));
      call.host.out(`${status}\n`);
      return status === "down" ? EXIT.failed : EXIT.done;
    } finally {
      await platform.close();
    }
  },
};

function listenUrl({ server: { listen } }: Config): string {
  // A server that listens on every address is asked on loopback.
  const everywhere: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };
  const host = everywhere[listen.hostname] ??
    (listen.hostname.includes(":") ? `[${listen.hostname}]` : listen.hostname);
  return `http://${host}:${listen.port}`;
}

async function askHealth({ clock, http }: Platform, url: URL): Promise<string> {
  try {
    const response = await clock.within(
      TIMEOUT_MS,
      (signal) => http.request({ method: "GET", url, headers: {}, maxBodyBytes: MAX_REPORT_BYTES, signal }),
    );
    const report = JSON.parse(new TextDecoder().decode(response.body)) as { status?: unknown };
    if (report.status === "ok" || report.status === "degraded" || report.status === "down") {
      return report.status;
    }
    throw new Error(`answered ${response.status} without a health report`);
  } catch (error) {
    throw new CommandError(`${url.origin} does not say that it is well: ${(error as Error).message}`);
  }
}
