// The completions in real zsh and fish, which few machines have both of.
import assert from "node:assert/strict";
import { needs, program } from "../support/needs.ts";
import { withFolder } from "../support/process.ts";
import { COMPLETED, saveCompletions } from "./completed_lines.ts";

async function linesOf(command: string, args: string[], folder: string): Promise<string[]> {
  const options = { args, cwd: folder, env: { HOME: folder, PATH: `${folder}:${Deno.env.get("PATH")}` } };
  const { stdout } = await new Deno.Command(command, options).output();
  return new TextDecoder().decode(stdout).split(/\r?\n/);
}

Deno.test(needs("completions in fish", program("fish")), () =>
  withFolder(async (folder) => {
    const script = await saveCompletions("fish", folder);
    const offered = async (line: string) => {
      const args = ["--no-config", "-c", `source ${script}; complete -C ${JSON.stringify(line)}`];
      const lines = await linesOf("fish", args, folder);
      return lines.filter((one) => one !== "").map((one) => one.split("\t")[0]);
    };
    for (const [line, expected] of COMPLETED) assert.deepEqual(await offered(line), expected, line);
    assert.deepEqual(await offered("regfeed delivery list --status held,fa"), ["held,failed"]);
  }));

/** Prints what zsh offers for the last word of a line: it completes the line in a terminal, and prints the matches. */
const IN_ZSH = `zmodload zsh/zpty
zpty z zsh -f -i
cat >$1/setup <<END
PROMPT=; cd $1; fpath=($1 $fpath)
END
cat >>$1/setup <<'END'
autoload -Uz compinit; compinit -u -D
bindkey '^M' undefined; bindkey '^J' undefined; bindkey '^I' complete-word
comppostfuncs=(exit)
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits; builtin compadd -A hits "$@"
  local hit; for hit in $hits; do print -r -- "= $hit"; done
}
print ready
END
zpty -w z "source $1/setup"
while zpty -r z line; do [[ $line == *ready* ]] && break; done
zpty -w -n z "$2"$'\\t'
while zpty -r z line; do print -r -- "$line"; done`;

Deno.test(needs("completions in zsh", program("zsh")), () =>
  withFolder(async (folder) => {
    await saveCompletions("zsh", folder);
    const offered = async (line: string) => {
      const lines = await linesOf("zsh", ["-f", "-c", IN_ZSH, "zsh", folder, line], folder);
      return lines.flatMap((one) => /= (\S+)\s*$/.exec(one)?.[1] ?? []);
    };
    for (const [line, expected] of COMPLETED) assert.deepEqual(await offered(line), expected, line);
    assert.deepEqual(await offered("regfeed delivery list --status held,fa"), ["failed"]);
  }));
