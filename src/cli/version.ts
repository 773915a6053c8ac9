// `version`: what this executable is.
import type { Host } from "../platform/process.ts";
import { VERSION } from "../version.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";

/** The command. */
export const versionCommand: Command = {
  name: "version",
  usage: "[--json]",
  summary: "prints the version",
  example: "regfeed version --json",
  positionals: [0, 0],
  options: JSON_OPTION,
  withoutConfig: true,
  run({ host, flags }) {
    const { runtime, target } = host;
    host.out(
      flags.has("json") ? `${JSON.stringify({ version: VERSION, runtime, target })}\n` : versionLine(host),
    );
    return Promise.resolve(EXIT.done);
  },
};

/** The version for people, with what it runs on. */
export function versionLine({ runtime, target }: Host): string {
  return `regfeed ${VERSION} (${runtime}, ${target})\n`;
}
