// Long operations show their progress on a terminal, on a line that their output replaces.
import assert from "node:assert/strict";
import { runCli } from "../../src/cli/cli.ts";
import { createHost } from "../../src/platform/process/process.ts";
import { createSqliteEngine } from "../../src/store/sqlite/engine.ts";
import { addCustomer, withFolder, writeConfig } from "../support/process.ts";

/** Runs a command and returns what it shows: each text of the status line in brackets, stdout and stderr as `output`. */
async function shown(folder: string, args: string[], isErrTerminal: boolean): Promise<string[]> {
  const found: string[] = [];
  const output = () => void (found.at(-1) === "output" || found.push("output"));
  const code = await runCli({
    ...createHost(),
    args,
    cwd: folder,
    env: () => undefined,
    isTerminal: false,
    hasColours: false,
    isErrTerminal,
    columns: () => 40,
    out: output,
    err: output,
    showStatus: (text) => void found.push(`[${text}]`),
  }, () => Promise.resolve(createSqliteEngine()));
  assert.equal(code, 0);
  return found;
}

const SOURCE = (id: string) =>
  `[[sources]]
id = "${id}"
name_en = "A"
base_url = "https://a.example"
fetch_strategy = "files"
path = "${id}"
`;

Deno.test("commands show their progress on a terminal only, and never with --json", () =>
  withFolder(async (folder) => {
    const sources = ["a-first", "a-second-with-a-long-name"];
    for (const id of sources) await Deno.mkdir(`${folder}/${id}`);
    await writeConfig(folder, `[ingest]\nconcurrency = 2\n${sources.map(SOURCE).join("")}`);
    await addCustomer(folder);
    const ingest = ["[0 fetched; fetching a-first, a-second-…]", "[1 fetched"];
    const backup = ["[copying the database (", "[checking the database …]", "[packing the archive …]"];
    const reading = ["[reading the archive …]", "[checking the database …]", "[]", "output"];
    const rows: [args: string, expected: string[]][] = [
      ["ingest", [...ingest, "[2 fetched", "[]", "output"]],
      ["source test a-first", ["[fetching a-first …]", "[]", "output"]],
      ["doctor --offline", ["[checking this installation …]", "[]", "output"]],
      ["backup create b.tar.gz", [...backup, "[reading the archive …]", "[]", "output"]],
      ["backup verify b.tar.gz", reading],
      ["backup create", [...backup, "[reading the archive …]", "[]", "output"]],
      ["backup verify", reading],
      ["backup restore b.tar.gz --force", reading],
    ];
    for (const [args, expected] of rows) {
      const found = await shown(folder, args.split(" "), true);
      const starts = found.map((text, at) =>
        text.startsWith(expected[at] ?? "nothing") ? expected[at] : text
      );
      assert.deepEqual(starts, expected, args);
    }
    assert.deepEqual(await shown(folder, ["backup", "create", "c.tar.gz"], false), ["output"]);
    assert.deepEqual(await shown(folder, ["backup", "create", "d.tar.gz", "--json"], true), ["output"]);
    assert.deepEqual(await shown(folder, ["ingest", "a-first", "--json"], true), ["output"]);
  }));
