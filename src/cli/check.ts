// `check`: validates the config and prints what is in force.
import { describeConfig, summariseConfig } from "../config/describe.ts";
import { createClock } from "../platform/clock.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";
import { loadConfig } from "./open.ts";

/** The command. */
export const checkCommand: Command = {
  name: "check",
  usage: "[--json]",
  summary: "validates the config and prints what is in force, without secrets",
  example: "regfeed check --config regfeed.toml",
  positionals: [0, 0],
  options: JSON_OPTION,
  async run(call) {
    const { config, file } = await loadConfig(call);
    const nowMs = createClock().nowMs();
    if (call.flags.has("json")) {
      call.host.out(`${JSON.stringify({ file, ok: true, ...summariseConfig(config, nowMs) })}\n`);
    } else {
      call.host.out(`${describeConfig(config, nowMs)}\n`);
      call.host.err(`${file} is good.\n`);
    }
    return EXIT.done;
  },
};
