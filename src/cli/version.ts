// `version`: what this executable is.
import { join } from "node:path";
import type { Host } from "../platform/process.ts";
import { VERSION } from "../version.ts";
import { type Command, EXIT, JSON_OPTION } from "./command.ts";

/** What an executable says of its making; it lies beside the program in it. */
const BUILD_FACTS = join(import.meta.dirname ?? ".", "..", "..", "build.json");

/** The command. */
export const versionCommand: Command = {
  name: "version",
  usage: "[--json]",
  summary: "prints the version, the commit, the runtime and the system that it is for",
  example: "regfeed version --json",
  positionals: [0, 0],
  options: JSON_OPTION,
  withoutConfig: true,
  async run({ host, flags }) {
    const { runtime, target } = host;
    const commit = await readCommit(host);
    host.out(
      flags.has("json")
        ? `${
          JSON.stringify({ version: VERSION, commit, runtime, target, permissions: host.tryOutbreak() })
        }\n`
        : await versionLine(host),
    );
    return EXIT.done;
  },
};

/** The version for people, with what it was made from and what it runs on. */
export async function versionLine(host: Host): Promise<string> {
  const commit = await readCommit(host);
  const from = commit === null
    ? ""
    : `commit ${commit.slice(0, 12)}${commit.includes("+") ? "+changes" : ""}, `;
  return `regfeed ${VERSION} (${from}${host.runtime}, ${host.target})\n`;
}

/** The commit that the executable was made from; null when it runs from its source. */
async function readCommit(host: Host): Promise<string | null> {
  if (!await host.exists(BUILD_FACTS)) return null;
  const facts = JSON.parse(await host.readText(BUILD_FACTS)) as { commit?: unknown };
  return typeof facts.commit === "string" ? facts.commit : null;
}
