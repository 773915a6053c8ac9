// The path of a publication in docs/develop/architecture.md matches the code: the demo runs the function of each row
// in the folder or module named there.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withFolder } from "../support/process.ts";

const ROOT = new URL("../../", import.meta.url);
const PERMISSIONS = ["net", "env", "read", "write", "sys"].map((name) => `--allow-${name}`);
const PATIENCE_MS = 120_000;
const STORE = "store/sqlite/";

interface Step {
  name: string;
  where: string;
  functions: string[];
}

/** The coverage that V8 reports for a module. */
interface Coverage {
  url: string;
  functions: { functionName: string; ranges: { count: number }[] }[];
}

Deno.test("the demo follows the documented path of a publication", async (test) => {
  const steps = readPath(await Deno.readTextFile(new URL("docs/develop/architecture.md", ROOT)));
  assert.ok(steps.length >= 10, "the table under the heading has the steps");
  await withFolder(async (folder) => {
    const coverage = join(folder, "coverage");
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", `--coverage=${coverage}`, "--no-prompt", ...PERMISSIONS, "main.ts", "demo", "--once"],
      cwd: fileURLToPath(ROOT),
      stdin: "null",
      stdout: "null",
      stderr: "piped",
      signal: AbortSignal.timeout(PATIENCE_MS),
    }).output();
    assert.equal(code, 0, new TextDecoder().decode(stderr));
    const modules = modulesByFunction(await readCoverage(coverage));
    for (const { name, where, functions } of steps) {
      const ran = functions.map((called) => [called, modules.get(called) ?? []] as const);
      console.log(`${name}: ${ran.map(([called, paths]) => `${called} (${paths.join(", ")})`).join(" → ")}`);
      await test.step(`${name} is in ${where}`, () => {
        assert.ok(functions.length > 0, "the row names no function");
        for (const [called, paths] of ran) {
          assert.ok(
            paths.some((path) => path.startsWith(where) || path.startsWith(STORE)),
            `${called} did not run in ${where}, but in ${paths.join(", ") || "no module"}`,
          );
        }
      });
    }
  });
});

function readPath(text: string): Step[] {
  const section = text.split("\n## The path of a publication\n")[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^\| (\d+\. [^|]+)\| `([^`]+)` *\|([^|]+)\|$/gm)].map((
    [, name, where, what],
  ) => ({
    name: name?.trim() ?? "",
    where: where ?? "",
    functions: [...(what ?? "").matchAll(/`([A-Za-z]+)`/g)].map(([, called]) => called ?? ""),
  }));
}

async function readCoverage(folder: string): Promise<Coverage[]> {
  const found: Coverage[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".json")) found.push(JSON.parse(await Deno.readTextFile(join(folder, name))));
  }
  return found;
}

/** Returns the modules of src in which each function ran. */
function modulesByFunction(coverage: readonly Coverage[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const { url, functions } of coverage) {
    const path = url.split("/src/")[1];
    if (path === undefined) continue;
    for (const { functionName, ranges } of functions) {
      if (functionName === "" || ranges[0]?.count === 0) continue;
      found.set(functionName, [...(found.get(functionName) ?? []), path]);
    }
  }
  return found;
}
