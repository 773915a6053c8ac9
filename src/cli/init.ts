// `init`: writes a commented config to start from.
import { join, resolve } from "node:path";
import example from "../../config.example.toml" with { type: "text" };
import type { Command } from "./command.ts";
import { CommandError } from "../server/command_context.ts";
import { shellQuote } from "../platform/process/process.ts";

export const initCommand: Command = {
  name: "init",
  usage: "[DIR]",
  summary: "writes a commented regfeed.toml",
  example: "regfeed init /etc/regfeed",
  withoutConfig: true,
  async run({ host, positionals }) {
    const folder = resolve(host.cwd, positionals[0] ?? ".");
    const file = join(folder, "regfeed.toml");
    if (await host.exists(file)) {
      throw new CommandError(`${file} already exists and was not changed; move it away to create a new one`);
    }
    await host.makeFolder(folder, 0o755);
    await host.writeText(file, example, 0o600);
    host.out(`${file}\n`);
    const where = folder === host.cwd ? "" : ` --config ${shellQuote(file)}`;
    host.err(`Edit this file, then run: ${host.program} check${where} && ${host.program} serve${where}\n`);
  },
};
