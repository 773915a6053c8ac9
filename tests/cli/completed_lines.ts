// Lines and what every shell offers for their last word.
import { join } from "node:path";
import { completionsFor, type Shell } from "../../src/cli/completions/completions.ts";
import { loadEveryCommand, SUBJECTS } from "../../src/cli/commands.ts";

export const COMPLETED: readonly (readonly [line: string, offered: string[]])[] = [
  ["regfeed comp", ["completions"]],
  ["regfeed backup ver", ["verify"]],
  ["regfeed key r", ["rotate"]],
  ["regfeed customer add --ti", ["--tier"]],
  ["regfeed customer add --tier t", ["team"]],
  ["regfeed mail list --status se", ["sent"]],
  ["regfeed customer set-tier cus_1 i", ["indie"]],
  ["regfeed event list --severity-min cr", ["critical"]],
  ["regfeed event list --event-type gui", ["guidance"]],
  ["regfeed completions z", ["zsh"]],
  ["regfeed check --config reg", ["regfeed.toml"]],
  ["regfeed check -c reg", ["regfeed.toml"]],
  ["regfeed backup verify reg", ["regfeed.toml"]],
  ["regfeed delivery show regf", []],
];

/** Writes a shell's completions, and a file regfeed.toml that they can find. Returns the path of the script. */
export async function saveCompletions(shell: Shell, folder: string): Promise<string> {
  const file = join(folder, shell === "zsh" ? "_regfeed" : `completions.${shell}`);
  await Deno.writeTextFile(file, completionsFor(shell, await loadEveryCommand(), SUBJECTS));
  await Deno.writeTextFile(join(folder, "regfeed.toml"), "");
  return file;
}
