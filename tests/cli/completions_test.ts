// The completions offer commands, options and the fixed values of arguments in real shells.
import assert from "node:assert/strict";
import { completionsFor, SHELLS } from "../../src/cli/completions/completions.ts";
import { loadEveryCommand, SUBJECTS } from "../../src/cli/commands.ts";
import { optionsOf } from "../../src/cli/command.ts";
import { needs, program } from "../support/needs.ts";
import { regfeed, withFolder } from "../support/process.ts";
import { COMPLETED, saveCompletions } from "./completed_lines.ts";

/** Completes the last word of a line in bash, with the words as bash splits them. */
const IN_BASH = `source "$1"
line=$2
read -ra COMP_WORDS <<<"\${line//=/ = }"
[[ $line == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_regfeed
printf '%s\\n' "\${COMPREPLY[@]}"`;

async function inBash(script: string, line: string, cwd: string): Promise<string[]> {
  const args = ["-c", IN_BASH, "bash", script, line];
  const { stdout, stderr } = await new Deno.Command("bash", { args, cwd }).output();
  assert.equal(new TextDecoder().decode(stderr), "", line);
  return new TextDecoder().decode(stdout).split("\n").filter((word) => word !== "");
}

Deno.test(needs("completions in bash", program("bash")), () =>
  withFolder(async (folder) => {
    const script = await saveCompletions("bash", folder);
    for (const [line, expected] of COMPLETED) {
      assert.deepEqual(await inBash(script, line, folder), expected, line);
    }
    assert.deepEqual(await inBash(script, "regfeed delivery list --status held,fa", folder), ["held,failed"]);
    assert.deepEqual(await inBash(script, "regfeed customer add --tier=te", folder), ["team"]);
  }));

Deno.test("the completions of every shell contain all commands, options and fixed values", async () => {
  const commands = await loadEveryCommand();
  for (const shell of SHELLS) {
    const script = completionsFor(shell, commands, SUBJECTS);
    for (const command of commands) {
      for (const word of command.name.split(" ")) assert.ok(script.includes(word), `${shell}: ${word}`);
      for (const [name, { values = [] }] of Object.entries(optionsOf(command))) {
        const written = shell === "fish" ? `-l ${name}` : `--${name}`;
        for (const word of [written, ...values]) assert.ok(script.includes(word), `${shell}: ${word}`);
      }
    }
  }
});

Deno.test("completions prints the script of a shell, and refuses other shells", () =>
  withFolder(async (folder) => {
    for (const shell of SHELLS) {
      const { code, stdout } = await regfeed(folder, ["completions", shell]);
      assert.equal(code, 0);
      assert.equal(stdout, completionsFor(shell, await loadEveryCommand(), SUBJECTS));
    }
    const { code, stderr } = await regfeed(folder, ["completions", "tcsh"]);
    assert.equal(code, 2);
    assert.match(stderr, /SHELL must be one of bash, zsh, fish, not "tcsh"/);
  }));
