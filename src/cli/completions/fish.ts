// Completions for fish.
import type { CompletedArgument, CompletedCommand } from "./completed_command.ts";

export function fishCompletions(
  commands: readonly CompletedCommand[],
  groups: ReadonlyMap<string, readonly CompletedCommand[]>,
  firstWords: readonly (readonly [word: string, help: string])[],
): string {
  const lines = [
    ...firstWords.map(([word, help]) => complete("", 0, `-a ${word} -d ${quoted(help)}`)),
    ...[...groups].flatMap(([group, members]) =>
      members.map(({ name, summary }) =>
        complete(group, 0, `-a ${name.slice(group.length + 1)} -d ${quoted(summary)}`)
      )
    ),
    ...commands.flatMap(linesOf),
  ];
  return `# Completions of regfeed for fish.

# Whether the words before the cursor are the command, followed by this number of arguments (default: any).
function __regfeed_at
    set -l words (commandline -opc)[2..]
    set -l command (string split -n ' ' -- $argv[1])
    set -l count (count $command)
    if test $count -gt 0
        test (count $words) -ge $count; and test "$words[1..$count]" = "$command"; or return 1
        set -e words[1..$count]
    end
    test (count $argv) -lt 2; or test (count (string match -v -- '-*' $words)) -eq $argv[2]
end

complete -c regfeed -f
${lines.join("\n")}
`;
}

function linesOf({ name, options, positionals }: CompletedCommand): string[] {
  return [
    ...options.map(({ name: option, short, help, argument }) => {
      const written = `-l ${option}${short === null ? "" : ` -s ${short}`}`;
      const value = argument === null ? "" : ` ${required(argument)}`;
      return complete(name, null, `${written}${value} -d ${quoted(help)}`);
    }),
    ...positionals.flatMap((argument, at) => {
      const choices = choicesOf(argument);
      return choices === null ? [] : [complete(name, argument.mayRepeat ? null : at, choices)];
    }),
  ];
}

function complete(command: string, position: number | null, what: string): string {
  const test = `__regfeed_at ${JSON.stringify(command)}${position === null ? "" : ` ${position}`}`;
  return `complete -c regfeed -n ${quoted(test)} ${what}`;
}

function required(argument: CompletedArgument): string {
  return argument.kind === "file" ? "-r -F" : `-x ${choicesOf(argument) ?? ""}`.trimEnd();
}

function choicesOf({ kind, values, isList }: CompletedArgument): string | null {
  if (kind === "file") return "-F";
  if (kind === "folder") return "-a '(__fish_complete_directories)'";
  if (kind === "other") return null;
  const words = values.join(" ");
  return isList ? `-a ${quoted(`(__fish_append , ${words})`)}` : `-a ${quoted(words)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
