// `version`: prints the version and the build, or the licences.
import { join } from "node:path";
import type { Host } from "../platform/process/process.ts";
import { VERSION } from "../version.ts";
import type { Command } from "./command.ts";
import { CommandError, EXIT } from "../server/command_context.ts";
import { readFacts } from "../server/build_info.ts";

const LICENCES = join(import.meta.dirname ?? ".", "..", "..", "licences.txt");

export const versionCommand: Command = {
  name: "version",
  usage: "[--json] [--licences]",
  summary: "prints the version, commit, runtime and system",
  example: "regfeed version --json",
  options: {
    licences: { kind: "flag", help: "print the licences of everything in the executable" },
  },
  withoutConfig: true,
  async run({ host, flags }) {
    if (flags.has("licences")) {
      host.out(await readLicences(host, flags.has("json")));
    } else if (flags.has("json")) {
      const { runtime, target } = host;
      const { commit } = await readFacts(host);
      const permissions = host.tryOutbreak();
      host.out(`${JSON.stringify({ version: VERSION, commit, runtime, target, permissions })}\n`);
    } else host.out(await versionLine(host));
  },
};

async function readLicences(host: Host, isJson: boolean): Promise<string> {
  if (isJson) {
    throw new CommandError("use either --licences or --json", EXIT.usage);
  }
  if (await host.exists(LICENCES)) return await host.readText(LICENCES);
  throw new CommandError(
    "only the executable contains the licences, but Regfeed is running from source",
  );
}

export async function versionLine(host: Host): Promise<string> {
  const { commit } = await readFacts(host);
  const from = commit === null
    ? ""
    : `commit ${commit.slice(0, 12)}${commit.includes("+") ? "+changes" : ""}, `;
  return `regfeed ${VERSION} (${from}${host.runtime}, ${host.target})\n`;
}
