// Completions for bash, 3.2 (macOS) and later.
import { shellQuote } from "../../platform/process/process.ts";
import type { CompletedArgument, CompletedCommand } from "./completed_command.ts";

export function bashCompletions(
  commands: readonly CompletedCommand[],
  groups: ReadonlyMap<string, readonly CompletedCommand[]>,
  firstWords: readonly string[],
): string {
  const grouped = [...groups].map(([group, members]) => {
    const words = members.map(({ name }) => name.slice(group.length + 1)).join(" ");
    return `    ${group}) words=${shellQuote(`${words} --help`)} ;;\n`;
  });
  return `# Completions of regfeed for bash.
_regfeed() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local at=$((COMP_CWORD - 1)) words= kind=words prefix= IFS=$' \\t\\n'
  COMPREPLY=()
  # In --option=value, bash makes "=" a word of its own.
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  case $command in
    ${
    [...groups.keys()].join("|")
  }) if ((COMP_CWORD > 2)); then command+=" \${COMP_WORDS[2]}"; ((at--)); fi ;;
  esac
  if ((COMP_CWORD == 1)); then words=${shellQuote([...firstWords, "--help", "--version"].join(" "))}
  else case $command in
${grouped.join("")}${commands.map(caseOf).join("")}  esac; fi
  case $kind in
    list) [[ $cur == *,* ]] && prefix=\${cur%,*},
      COMPREPLY=($(compgen -P "$prefix" -W "$words" -- "\${cur##*,}")) ;;
    words) COMPREPLY=($(compgen -W "$words" -- "$cur")) ;;
    file|directory) IFS=$'\\n'
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -A "$kind" -- "$cur")) ;;
  esac
}
complete -F _regfeed regfeed
`;
}

function caseOf({ name, options, positionals }: CompletedCommand): string {
  const values = options.flatMap(({ name, short, argument }) => {
    const written = short === null ? `--${name}` : `--${name}|-${short}`;
    return argument === null ? [] : [`      ${written}) ${assignments(argument)} ;;\n`];
  });
  const all = `words=${shellQuote(options.map(({ name }) => `--${name}`).join(" "))}`;
  const others = positionals.map((argument, at) => {
    const isHere = argument.mayRepeat ? `at >= ${at + 1}` : `at == ${at + 1}`;
    return `elif ((${isHere})); then ${assignments(argument)}; `;
  });
  const otherwise = others.length === 0 ? all : `if [[ $cur == -* ]]; then ${all}; ${others.join("")}fi`;
  return `    ${shellQuote(name)}) case $prev in\n${values.join("")}      *) ${otherwise} ;;\n    esac ;;\n`;
}

function assignments({ kind, values, isList }: CompletedArgument): string {
  if (kind !== "values") return `kind=${kind === "folder" ? "directory" : kind}`;
  return `words=${shellQuote(values.join(" "))}${isList ? " kind=list" : ""}`;
}
