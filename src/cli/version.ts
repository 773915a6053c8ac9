// `version`: what this executable is.
import { join } from "node:path";
import type { Host } from "../platform/process.ts";
import { VERSION } from "../version.ts";
import { type Command, CommandError, EXIT, JSON_OPTION } from "./command.ts";

/** What an executable says of its making; it lies beside the program in it. */
const BUILD_FACTS = join(import.meta.dirname ?? ".", "..", "..", "build.json");

/** The licences of all that an executable holds; they lie there as well. */
const LICENCES = join(import.meta.dirname ?? ".", "..", "..", "licences.txt");

/** The command. */
export const versionCommand: Command = {
  name: "version",
  usage: "[--json | --licences]",
  summary: "prints version, commit, runtime and system",
  example: "regfeed version --json",
  positionals: [0, 0],
  options: {
    licences: { kind: "flag", help: "print the licences of everything in the executable" },
    ...JSON_OPTION,
  },
  withoutConfig: true,
  async run({ host, flags }) {
    if (flags.has("licences")) {
      host.out(await readLicences(host, flags.has("json")));
      return EXIT.done;
    }
    const { runtime, target } = host;
    const { commit } = await readFacts(host);
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

/** Read only when it is asked for. */
async function readLicences(host: Host, isJson: boolean): Promise<string> {
  if (isJson) {
    throw new CommandError("--licences prints texts, and --json has none: give one of them", EXIT.usage);
  }
  if (await host.exists(LICENCES)) return await host.readText(LICENCES);
  throw new CommandError(
    "this runs from its source, which holds no packages: the licences are collected when an executable is made",
  );
}

/** The version for people, with what it was made from and what it runs on. */
export async function versionLine(host: Host): Promise<string> {
  const { commit } = await readFacts(host);
  const from = commit === null
    ? ""
    : `commit ${commit.slice(0, 12)}${commit.includes("+") ? "+changes" : ""}, `;
  return `regfeed ${VERSION} (${from}${host.runtime}, ${host.target})\n`;
}

/** What an executable was made from and for. */
interface BuildFacts {
  /** With "+changes" where the files were not as the commit has them; null when it runs from its source. */
  commit: string | null;
  /** Whether it was made with `OTEL_DENO` set. */
  traces: boolean;
}

async function readFacts(host: Pick<Host, "exists" | "readText">): Promise<BuildFacts> {
  if (!await host.exists(BUILD_FACTS)) return { commit: null, traces: false };
  const { commit, traces } = JSON.parse(await host.readText(BUILD_FACTS)) as Record<string, unknown>;
  return { commit: typeof commit === "string" ? commit : null, traces: traces === true };
}

/** What the environment and this executable disagree on about traces, with what to do; null where they do not. */
export async function tracesWarning(
  host: Pick<Host, "exists" | "readText" | "env" | "program" | "runtime">,
): Promise<string | null> {
  // From its source, and on newer bases, the environment alone decides.
  if (host.program !== "regfeed" || !host.runtime.startsWith("Deno 2.4.")) return null;
  const isAsked = ["true", "1"].includes(host.env("OTEL_DENO") ?? "");
  const { traces } = await readFacts(host);
  if (isAsked === traces) return null;
  return isAsked
    ? `OTEL_DENO is set, and nothing is exported: on ${host.runtime} that is decided when an executable is made, by ` +
      "`OTEL_DENO=true deno task compile`"
    : "this executable was made with OTEL_DENO set and exports a trace of every request, to port 4318 of this machine " +
      "where no OTEL_EXPORTER_OTLP_ENDPOINT is set: set OTEL_DENO=true to have its own acts in it too, or take one that " +
      "was made without";
}
