// `init`: writes a config to start from, complete or minimal.
import { join, resolve } from "node:path";
import example from "../../config.example.toml" with { type: "text" };
import minimal from "./minimal_config.toml" with { type: "text" };
import type { Command } from "./command.ts";
import { CommandError } from "../server/command_context.ts";
import { shellQuote } from "../platform/process/process.ts";

export const initCommand: Command = {
  name: "init",
  usage: "[DIR] [--minimal]",
  summary: "writes a commented regfeed.toml",
  details: "By default, the file contains every key with its default, and 50 official sources.",
  example: "regfeed init /etc/regfeed",
  options: { minimal: { kind: "flag", help: "write a short config with two sources" } },
  withoutConfig: true,
  async run({ host, positionals, flags }) {
    const folder = resolve(host.cwd, positionals[0] ?? ".");
    const file = join(folder, "regfeed.toml");
    if (await host.exists(file)) {
      throw new CommandError(`${file} already exists and was not changed; move it away to create a new one`);
    }
    await host.makeFolder(folder, 0o755);
    await host.writeText(file, flags.has("minimal") ? minimal : example, 0o600);
    host.out(`${file}\n`);
    const where = folder === host.cwd ? "" : ` --config ${shellQuote(file)}`;
    host.err(`Edit this file, then run: ${host.program} check${where} && ${host.program} serve${where}\n`);
  },
};
