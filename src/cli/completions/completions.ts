// `completions`: prints completions for a shell.
import { type Command, optionsOf, positionalsOf } from "../command.ts";
import { bashCompletions } from "./bash.ts";
import type { CompletedArgument, CompletedCommand } from "./completed_command.ts";
import { fishCompletions } from "./fish.ts";
import { zshCompletions } from "./zsh.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = typeof SHELLS[number];

/** What the completions know about the program. */
interface Program {
  loadEveryCommand(): Promise<readonly Command[]>;
  /** What the commands with a common first word are about. */
  subjects: Readonly<Record<string, string>>;
}

export function createCompletionsCommand({ loadEveryCommand, subjects }: Program): Command {
  return {
    name: "completions",
    usage: "SHELL",
    summary: "prints completions for bash, zsh or fish",
    details:
      "The Debian package installs them. Otherwise, for bash, add `source <(regfeed completions bash)` to ~/.bashrc. " +
      "For zsh, save them as _regfeed in a folder of $fpath. " +
      "For fish, save them as ~/.config/fish/completions/regfeed.fish.",
    example: "regfeed completions bash",
    positionalValues: { SHELL: SHELLS },
    withoutConfig: true,
    async run({ host, positionals }) {
      host.out(completionsFor(positionals[0] as Shell, await loadEveryCommand(), subjects));
    },
  };
}

/** Returns a script that completes these commands, their options and the fixed values of their arguments. */
export function completionsFor(
  shell: Shell,
  commands: readonly Command[],
  subjects: Program["subjects"],
): string {
  const completed = commands.map(toCompleted);
  const groups = Map.groupBy(
    completed.filter(({ name }) => name.includes(" ")),
    ({ name }) => firstWord(name),
  );
  const firstWords = new Map(completed.map(({ name, summary }) => {
    const word = firstWord(name);
    return [word, subjects[word] ?? summary];
  }));
  if (shell === "bash") return bashCompletions(completed, groups, [...firstWords.keys()]);
  return (shell === "zsh" ? zshCompletions : fishCompletions)(completed, groups, [...firstWords]);
}

function firstWord(name: string): string {
  return name.split(" ")[0] ?? "";
}

function toCompleted(command: Command): CompletedCommand {
  const options = Object.entries(optionsOf(command)).map((
    [name, { kind, value = "VALUE", short, help, values }],
  ) => ({
    name,
    short: short ?? null,
    help,
    argument: kind === "flag" ? null : argumentOf(value, values),
  }));
  const positionals = positionalsOf(command.usage).map((written) => {
    const name = written.replace(/[[\]…]/g, "");
    return { ...argumentOf(name, command.positionalValues?.[name]), mayRepeat: written.includes("…") };
  });
  return { name: command.name, summary: command.summary, options, positionals };
}

function argumentOf(name: string, values: readonly string[] = []): CompletedArgument {
  const kind = values.length > 0
    ? "values"
    : name === "FILE"
    ? "file"
    : /^(DIR|FOLDER)$/.test(name)
    ? "folder"
    : "other";
  return { name: name.replace(",…", ""), kind, values, isList: name.endsWith(",…") };
}
