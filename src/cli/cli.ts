// Runs the command line: finds the command, prints help, and turns errors into exit codes.
import { findNearest } from "../domain/did_you_mean.ts";
import { Refusal } from "../domain/operator/refusal.ts";
import type { StoreEngine } from "../domain/ports/store/engine.ts";
import type { Host } from "../platform/process/process.ts";
import { redact } from "../domain/redact.ts";
import { readArguments } from "./arguments.ts";
import type { Command } from "./command.ts";
import { CommandError, EXIT } from "../server/command_context.ts";
import { loadCommands, loadEveryCommand } from "./commands.ts";
import { commandHelp, groupHelp, overview } from "./help.ts";
import { withSafeOutput } from "./print.ts";
import { versionLine } from "./version.ts";

/** Runs the command that the arguments name, using this store engine. Resolves with the exit code. */
export async function runCli(given: Host, loadEngine: () => Promise<StoreEngine>): Promise<number> {
  const host = withSafeOutput(given);
  // `help source test` is `source test --help`.
  const words = host.args[0] === "help" ? [...host.args.slice(1), "--help"] : host.args;
  if (words.length === 0 || isHelp(words[0])) {
    host.out(overview(await loadEveryCommand()));
    return words.length === 0 ? EXIT.usage : EXIT.done;
  }
  if (words[0] === "--version" || words[0] === "-V") {
    host.out(await versionLine(host));
    return EXIT.done;
  }
  const group = await loadCommands(words[0] ?? "");
  const command = findCommand(group, words);
  if (command === undefined) return await runNone(host, words, group);
  try {
    const read = readArguments(command, words.slice(command.name.split(" ").length));
    if (read === "help") {
      host.out(commandHelp(command));
      return EXIT.done;
    }
    return await command.run({ host, loadEngine, ...read }) ?? EXIT.done;
  } catch (error) {
    // A message may repeat an argument; a key or secret pasted in the wrong place must not reach a log.
    host.err(redact(`regfeed ${command.name}: ${await describeFailure(error)}\n`));
    return error instanceof CommandError ? error.exitCode : EXIT.failed;
  }
}

async function describeFailure(error: unknown): Promise<string> {
  if (error instanceof Refusal) return (await import("./refusals.ts")).describeRefusal(error);
  return error instanceof Error ? error.message : String(error);
}

function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  const named = (count: number) =>
    commands.find((command) => command.name === words.slice(0, count).join(" "));
  return named(2) ?? named(1);
}

/** Prints the help of a group if the arguments ask for it; otherwise, an error. */
async function runNone(host: Host, words: readonly string[], group: readonly Command[]): Promise<number> {
  if (group.length > 0 && isHelp(words[1])) {
    host.out(groupHelp(words[0] ?? "", group));
    return EXIT.done;
  }
  host.err(redact(`regfeed: ${await unknownCommand(words, group)}\n`));
  return EXIT.usage;
}

async function unknownCommand(words: readonly string[], group: readonly Command[]): Promise<string> {
  const [first = "", second] = words;
  if (first.startsWith("-")) {
    return "put the command first and its options after it: regfeed COMMAND --config FILE";
  }
  if (group.length > 0) {
    const nearest = second === undefined
      ? null
      : findNearest(`${first} ${second}`, group.map(({ name }) => name));
    const meant = nearest === null ? "" : `did you mean \`${nearest}\`? If not, `;
    const wrong = second === undefined ? "" : `unknown command \`${first} ${second}\`; ${meant}`;
    return `${wrong}use one of ${group.map((command) => `\`${command.name}\``).join(", ")}`;
  }
  const names = (await loadEveryCommand()).map((command) => command.name);
  const nearest = (second === undefined ? null : findNearest(`${first} ${second}`, names)) ??
    findNearest(first, names);
  return `unknown command \`${first}\`; ${
    nearest === null ? "" : `did you mean \`${nearest}\`? `
  }\`regfeed --help\` lists the commands`;
}

function isHelp(word: string | undefined): boolean {
  return word === "--help" || word === "-h";
}
