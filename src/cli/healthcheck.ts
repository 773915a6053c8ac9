// `healthcheck`: reads the health of a running server, for containers without curl.
import type { Config } from "../config/config.ts";
import type { IncomingResponse } from "../domain/ports/ports.ts";
import { createClock } from "../platform/clock.ts";
import { createHttpClient } from "../platform/http/http.ts";
import type { Command } from "./command.ts";
import { CommandError, EXIT } from "../server/command_context.ts";
import { loadConfig } from "../server/open_store.ts";
import { print } from "./print.ts";

const TIMEOUT_MS = 5_000;
const MAX_REPORT_BYTES = 65_536;

const STATUSES = ["ok", "degraded", "down"];

export const healthcheckCommand: Command = {
  name: "healthcheck",
  usage: "[--url URL] [--json]",
  summary: "asks a running server for its health",
  details: "The exit code is 0 for ok and degraded, 1 for down or no response.",
  example: "regfeed healthcheck --url http://127.0.0.1:8080",
  options: {
    url: {
      kind: "text",
      value: "URL",
      help: "the server's URL (default: the listener in the config, where any certificate is accepted)",
    },
    json: { kind: "flag", help: "print the complete response of GET /v1/health" },
  },
  async run(call) {
    const given = call.texts.get("url");
    const base = given ?? listenUrl((await loadConfig(call)).config);
    if (!URL.canParse("/v1/health", base)) {
      throw new CommandError(
        `--url must be a URL such as http://127.0.0.1:8080, not ${base}`,
        EXIT.usage,
      );
    }
    const report = await askHealth(base, given === undefined ? "anybody" : "authorities");
    print(call, report, ({ status }) => `${status}\n`);
    return report.status === "down" ? EXIT.failed : EXIT.done;
  },
};

/** Returns the URL at which a server with this config can be reached from this machine. */
export function listenUrl({ server: { listen, tls } }: Config): string {
  // A server that listens on all interfaces also listens on loopback.
  const everywhere: Record<string, string> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };
  const host = everywhere[listen.hostname] ??
    (listen.hostname.includes(":") ? `[${listen.hostname}]` : listen.hostname);
  return `${tls === null ? "http" : "https"}://${host}:${listen.port}`;
}

/**
 * Requests the health report. Throws a {@link CommandError} if there is no response, or if it contains no report. The
 * server in the config may have any certificate, such as a self-signed one or one for another name, because that server
 * is on this machine and receives no secret.
 */
export async function askHealth(base: string, trust: "anybody" | "authorities"): Promise<{ status: string }> {
  const url = new URL("/v1/health", base);
  const http = createHttpClient({ trust });
  let response: IncomingResponse;
  try {
    await http.prepare();
    response = await createClock().within(
      TIMEOUT_MS,
      (signal) => http.request({ method: "GET", url, headers: {}, maxBodyBytes: MAX_REPORT_BYTES, signal }),
    );
  } catch (error) {
    throw new CommandError(`${url.origin} does not respond: ${(error as Error).message}`);
  } finally {
    await http.close();
  }
  const report = readReport(new TextDecoder().decode(response.body));
  if (report !== null) return report;
  throw new CommandError(
    `${url.origin} responds with ${response.status}, but without a health report: is it a Regfeed server?`,
  );
}

function readReport(text: string): { status: string } | null {
  try {
    const report = JSON.parse(text) as { status?: unknown } | null;
    const status = STATUSES.find((word) => word === report?.status);
    return status === undefined ? null : { ...report, status };
  } catch {
    return null;
  }
}
