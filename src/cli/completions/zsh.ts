// Completions for zsh.
import type { CompletedArgument, CompletedCommand } from "./completed_command.ts";

export function zshCompletions(
  commands: readonly CompletedCommand[],
  groups: ReadonlyMap<string, readonly CompletedCommand[]>,
  firstWords: readonly (readonly [word: string, help: string])[],
): string {
  const grouped = [...groups].map(([group, members]) => {
    const words = members.map(({ name, summary }) => described(name.slice(group.length + 1), summary));
    return `    ${group})
      if ((CURRENT == 3)); then
        choices=(${words.join(" ")})
        _describe command choices
        return
      fi
      command="$words[2] $words[3]"
      shift words
      ((CURRENT--)) ;;
`;
  });
  return `#compdef regfeed
# Completions of regfeed for zsh.
_regfeed() {
  local -a choices
  local command=$words[2]
  if ((CURRENT == 2)); then
    choices=(${firstWords.map(([word, help]) => described(word, help)).join(" ")})
    _describe command choices
    return
  fi
  case $command in
${grouped.join("")}  esac
  shift words
  ((CURRENT--))
  case $command in
${commands.map(caseOf).join("")}  esac
}
if [[ $funcstack[1] == _regfeed ]]; then _regfeed "$@"; else compdef _regfeed regfeed; fi
`;
}

function caseOf({ name, options, positionals }: CompletedCommand): string {
  const specs = [
    ...options.flatMap(({ name, short, help, argument }) => {
      const rest = `[${help.replace(/[\\[\]]/g, "\\$&")}]${argument === null ? "" : action(argument)}`;
      const equals = argument === null ? "" : "=";
      return [
        quoted(`--${name}${equals}${rest}`),
        ...(short === null ? [] : [quoted(`-${short}${rest}`)]),
      ];
    }),
    ...positionals.map((argument, at) => quoted(`${argument.mayRepeat ? "*" : at + 1}${action(argument)}`)),
  ];
  return `    ${quoted(name)}) _arguments ${specs.join(" ")} ;;\n`;
}

function action({ name, kind, values, isList }: CompletedArgument): string {
  const choices = {
    values: isList ? `_values -s , ${name} ${values.join(" ")}` : `(${values.join(" ")})`,
    file: "_files",
    folder: "_files -/",
    other: " ",
  };
  return `:${name.replaceAll(":", "\\:")}:${choices[kind]}`;
}

function described(word: string, help: string): string {
  return quoted(`${word}:${help}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
