// The output and exit codes of `deno task evaluate`.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withFolder } from "../support/process.ts";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

const RIGHT =
  '{"id":"right","title":"Guidelines on Article 50 of the AI Act","url":"https://www.edpb.europa.eu/1","relevant":true,' +
  '"event_type":"guidance","topics":["transparency"],"severity":"high"}';
const MISSED =
  '{"id":"missed","title":"Timetable of the ferries","relevant":true,"event_type":"other","severity":"medium"}';

/** Runs the task with `folder` as the user's working directory. */
async function task(
  folder: string,
  ...args: string[]
): Promise<{ code: number; stdout: string; stderr: string }> {
  // INIT_CWD may already be set by the task that runs these tests.
  const { INIT_CWD: _, ...env } = Deno.env.toObject();
  const output = await new Deno.Command(Deno.execPath(), {
    args: ["task", "--quiet", "--config", CONFIG, "evaluate", ...args],
    cwd: folder,
    stdin: "null",
    clearEnv: true,
    env: { ...env, NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  return { code: output.code, stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}

Deno.test("the evaluate task prints shares, confusion and every error with its explanation, or the numbers as JSON", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "items.jsonl"), `${RIGHT}\n${MISSED}\n`);
    const { code, stdout, stderr } = await task(folder, "items.jsonl");
    assert.equal(code, 0, stderr);
    for (
      const line of [
        /^relevance +1\.000 +0\.500 +0\.667$/m,
        /^topics \(micro\) +1\.000 +1\.000 +1\.000$/m,
        /^event type +1\.000$/m,
        /^severity +0\.500 +0\.500$/m,
        /^ {2}guidance → guidance 1$/m,
        /^ {2}medium → info 1$/m,
        /^Misses: 2$/m,
        /^missed: Timetable of the ferries\n {2}relevant: true → false\n {4}false: it does not mention AI$/m,
      ]
    ) assert.match(stdout, line);
    const result = JSON.parse((await task(folder, "items.jsonl", "--json")).stdout);
    assert.deepEqual([result.items, result.relevance.recall, result.topics.f1], [2, 0.5, 1]);
    assert.deepEqual([result.event_type, result.severity], [{ exact: 1 }, { exact: 0.5, within_one: 0.5 }]);
    assert.deepEqual(result.severity_confusion, { high: { high: 1 }, medium: { info: 1 } });
    assert.deepEqual(result.misses.map(({ field }: { field: string }) => field), ["relevant", "severity"]);
  }));

const CONFIG_TEXT = `[[sources]]
id = "board"
name_en = "Board"
base_url = "https://board.example"
url = "https://board.example/feed"
fetch_strategy = "feed"
schedule = "0 * * * *"
event_type = "guidance"

[[topics]]
id = "robots"
name_en = "Robots"
parent = "rights-family"
keywords_en = ["robo-advi*"]
`;

Deno.test("the evaluate task applies the additions of --config, and rejects an invalid config", () =>
  withFolder(async (folder) => {
    const own =
      '{"title":"AI Act and robo-advisers","relevant":true,"event_type":"guidance","severity":"low",' +
      '"topics":["robots"],"source":"board"}';
    await Deno.writeTextFile(join(folder, "own.jsonl"), own);
    await Deno.writeTextFile(join(folder, "own.toml"), CONFIG_TEXT);
    const with_ = await task(folder, "own.jsonl", "--config", "own.toml");
    assert.equal(with_.code, 0, with_.stderr);
    assert.match(with_.stdout, /^1 items, rules \d+\+[0-9a-f]{8}$/m);
    assert.match(with_.stdout, /^Misses: 0$/m);
    const without = await task(folder, "own.jsonl");
    assert.equal(without.code, 2);
    assert.match(without.stderr, /topics\[0\] must be one of .*; found "robots"/);
    await Deno.writeTextFile(join(folder, "own.toml"), CONFIG_TEXT.replace("robo-advi*", "*"));
    const wrong = await task(folder, "own.jsonl", "--config", "own.toml");
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /own\.toml:14: \[\[topics\]\] "robots" keywords_en\[0\]: is empty/);
  }));

Deno.test("the evaluate task exits with code 2 and names the line or file if it is invalid", () =>
  withFolder(async (folder) => {
    await Deno.writeTextFile(join(folder, "bad.jsonl"), `${RIGHT}\n{"title":"x"}\n`);
    const cases: [args: string[], message: RegExp][] = [
      [["bad.jsonl"], /bad\.jsonl: line 2: relevant must be true or false/],
      [["nowhere.jsonl"], /nowhere\.jsonl cannot be read/],
      [[], /usage: deno task evaluate FILE\.jsonl/],
      [["bad.jsonl", "--config"], /usage: deno task evaluate FILE\.jsonl/],
    ];
    for (const [args, message] of cases) {
      const { code, stderr } = await task(folder, ...args);
      assert.equal(code, 2);
      assert.match(stderr, message);
    }
  }));
