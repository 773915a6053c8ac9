// The command line: finds the command, reads its options, prints help, turns errors into exit codes.
import { parseArgs, type ParseArgsConfig } from "node:util";
import type { Host } from "../platform/process.ts";
import { VERSION } from "../version.ts";
import { type Command, type CommandCall, CommandError, EXIT } from "./command.ts";
import { COMMANDS } from "./commands.ts";

/** Runs the command that the arguments name; resolves with the exit code. */
export async function runCli(host: Host): Promise<number> {
  const words = host.args;
  if (words.length === 0 || words[0] === "help" || words[0] === "--help" || words[0] === "-h") {
    host.out(overview());
    return words.length === 0 ? EXIT.usage : EXIT.done;
  }
  if (words[0] === "--version" || words[0] === "-V") {
    host.out(`${VERSION}\n`);
    return EXIT.done;
  }
  const command = findCommand(words);
  if (command === undefined) {
    host.err(`regfeed: ${unknownCommand(words)}\n`);
    return EXIT.usage;
  }
  try {
    const call = readCall(command, host);
    if (call === "help") {
      host.out(commandHelp(command));
      return EXIT.done;
    }
    return await command.run(call);
  } catch (error) {
    if (!(error instanceof CommandError)) {
      host.err(`regfeed ${command.name}: ${error instanceof Error ? error.message : String(error)}\n`);
      return EXIT.failed;
    }
    host.err(`regfeed ${command.name}: ${error.message}\n`);
    return error.exitCode;
  }
}

/** The command of two words before that of one. */
function findCommand(words: readonly string[]): Command | undefined {
  const named = (count: number) =>
    COMMANDS.find((command) => command.name === words.slice(0, count).join(" "));
  return named(2) ?? named(1);
}

function unknownCommand(words: readonly string[]): string {
  const group = COMMANDS.filter((command) => command.name.startsWith(`${words[0]} `));
  if (group.length > 0) {
    return `say which: ${group.map((command) => `\`${command.name}\``).join(", ")}`;
  }
  return `there is no command \`${words[0]}\`; \`regfeed --help\` lists them`;
}

function readCall(command: Command, host: Host): CommandCall | "help" {
  const options: NonNullable<ParseArgsConfig["options"]> = {
    help: { type: "boolean", short: "h" },
    config: { type: "string", short: "c" },
  };
  for (const [name, option] of Object.entries(command.options)) {
    options[name] = { type: option.kind === "flag" ? "boolean" : "string" };
  }
  const args = host.args.slice(command.name.split(" ").length);
  let parsed: { values: Record<string, unknown>; positionals: string[] };
  try {
    parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new CommandError(`${(error as Error).message}\n${usageLine(command)}`, EXIT.usage);
  }
  if (parsed.values["help"] === true) return "help";
  const [fewest, most] = command.positionals;
  if (parsed.positionals.length < fewest || parsed.positionals.length > most) {
    const what = parsed.positionals.length < fewest ? "something is missing" : "there is too much";
    throw new CommandError(`${what}: ${usageLine(command)}`, EXIT.usage);
  }
  const entries = Object.entries(parsed.values);
  return {
    host,
    positionals: parsed.positionals,
    flags: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
    texts: new Map(entries.flatMap(([name, value]) => typeof value === "string" ? [[name, value]] : [])),
  };
}

function usageLine(command: Command): string {
  return `usage: regfeed ${command.name} ${command.usage}`.trimEnd();
}

function commandHelp(command: Command): string {
  const options: [string, string][] = Object.entries(command.options).map(([name, option]) => [
    `--${name}${option.kind === "text" ? ` ${option.value ?? "VALUE"}` : ""}`,
    option.help,
  ]);
  options.push(
    ["--config FILE", "the config (default regfeed.toml, then config.example.toml)"],
    ["--help", "this text"],
  );
  const width = Math.max(...options.map(([name]) => name.length));
  const lines = options.map(([name, help]) => `  ${name.padEnd(width)}  ${help}`);
  return `regfeed ${command.name}: ${command.summary}\n\n${
    usageLine(command)
  }\nexample: ${command.example}\n\n${lines.join("\n")}\n`;
}

function overview(): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const lines = COMMANDS.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `Regfeed ${VERSION}: what official bodies publish about AI regulation, as events.

usage: regfeed COMMAND [--config FILE] …

${lines.join("\n")}

\`regfeed COMMAND --help\` says more. Exit codes: 0 done, 1 failed, 2 wrong use or bad config.
`;
}
