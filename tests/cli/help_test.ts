// The `--help` output of every command.
import assert from "node:assert/strict";
import { loadEveryCommand, SECTIONS } from "../../src/cli/commands.ts";
import { commandHelp, groupHelp, overview } from "../../src/cli/help.ts";
import { regfeed, withFolder } from "../support/process.ts";

const COLUMNS = 80;

function assertFits(name: string, text: string): void {
  for (const line of text.split("\n")) {
    assert.ok(line.length <= COLUMNS, `${name}: ${line.length} columns: ${line}`);
    assert.equal(line, line.trimEnd(), `${name}: trailing spaces: ${line}`);
  }
}

Deno.test("every help text fits in 80 columns", async () => {
  const commands = await loadEveryCommand();
  assert.ok(commands.length > 30);
  assertFits("--help", overview(commands));
  assert.ok(overview(commands).split("\n").length <= 42, "the overview fits a screen");
  const words = SECTIONS.flatMap(([, words]) => words);
  assert.deepEqual(words.toSorted(), [...new Set(commands.map(({ name }) => name.split(" ")[0]))].toSorted());
  for (const command of commands) assertFits(command.name, commandHelp(command));
  const groups = Map.groupBy(commands, ({ name }) => name.split(" ")[0] ?? "");
  for (const [word, group] of groups) assertFits(word, groupHelp(word, group));
});

async function shellWords(line: string): Promise<string[]> {
  const script = `set -f; words() { for word; do printf '%s\\0' "$word"; done; }; words ${line}`;
  const { stdout, success } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  assert.ok(success, line);
  return new TextDecoder().decode(stdout).split("\0");
}

Deno.test("a shell runs a wrapped example as the same command", async () => {
  let broken = 0;
  for (const command of await loadEveryCommand()) {
    const shown = /^example:\s+([^]*?)\n\n/m.exec(commandHelp(command))?.[1] ?? assert.fail(command.name);
    if (!shown.includes("\n")) {
      assert.equal(shown, command.example);
      continue;
    }
    broken++;
    assert.deepEqual(await shellWords(shown), await shellWords(command.example), command.name);
  }
  assert.ok(broken > 0, "no example is long enough to be wrapped");
});

Deno.test("console link --help says what --customer does there", async () => {
  const command = (await loadEveryCommand()).find(({ name }) => name === "console link") ?? assert.fail();
  assert.match(commandHelp(command), /--customer CUSTOMER +sign in as this customer/);
});

Deno.test("--help, -h and help print the help of the program, a group and a command", () =>
  withFolder(async (folder) => {
    const rows: [args: string[], code: number, stdout: RegExp][] = [
      [[], 2, /^usage: regfeed COMMAND/m],
      [["--help"], 0, /^ {2}source +sources, .*\(list, test,/m],
      [["source", "-h"], 0, /^usage: regfeed source COMMAND/m],
      [["help", "source", "test"], 0, /^usage: regfeed source test ID .*\[--json\]\n\s*example: /m],
      [["customer", "show", "--help"], 0, /^ +--json +print JSON for scripts$/m],
    ];
    for (const [args, code, expected] of rows) {
      const finished = await regfeed(folder, args);
      assert.equal(finished.code, code, args.join(" "));
      assert.match(finished.stdout, expected, args.join(" "));
    }
  }));
