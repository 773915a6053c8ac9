// `version`: what this executable is.
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
  run({ host, flags }) {
    const { runtime, target } = host;
    host.out(
      flags.has("json")
        ? `${JSON.stringify({ version: VERSION, runtime, target })}\n`
        : `regfeed ${VERSION} (${runtime}, ${target})\n`,
    );
    return Promise.resolve(EXIT.done);
  },
};
