// Where the config is found.
import assert from "node:assert/strict";
import { locateConfig, locateTarget } from "../../src/server/config_file.ts";

const OWN = "/work/regfeed.toml";
const SYSTEM = "/etc/regfeed/regfeed.toml";
const EXAMPLE = "/work/config.example.toml";

interface Machine {
  files: string[];
  variable?: string;
  refused?: string;
}

function host({ files, variable, refused }: Machine) {
  return {
    cwd: "/work",
    env: (name: string) => name === "REGFEED_CONFIG" ? variable : undefined,
    exists: (path: string) =>
      path === refused
        ? Promise.reject(new Error("permission denied"))
        : Promise.resolve(files.includes(path)),
  };
}

Deno.test("locateConfig() takes --config, REGFEED_CONFIG, ./regfeed.toml, /etc, and the example, in this order", async () => {
  const all = [OWN, SYSTEM, EXAMPLE, "/work/a.toml", "/b.toml"];
  const rows: [machine: Machine, given: string | undefined, file: string | null, namedBy: string | null][] = [
    [{ files: all, variable: "/b.toml" }, "a.toml", "/work/a.toml", "--config"],
    [{ files: all, variable: "/b.toml" }, undefined, "/b.toml", "REGFEED_CONFIG"],
    [{ files: all, variable: "" }, undefined, OWN, null],
    [{ files: [SYSTEM, EXAMPLE] }, undefined, SYSTEM, null],
    [{ files: [EXAMPLE] }, undefined, EXAMPLE, null],
    [{ files: [] }, undefined, null, null],
    // A named file that is missing is not replaced by another.
    [{ files: all, variable: "/c.toml" }, undefined, null, "REGFEED_CONFIG"],
    [{ files: all }, "c.toml", null, "--config"],
    // A file that cannot be inspected is not skipped.
    [{ files: [EXAMPLE], refused: SYSTEM }, undefined, SYSTEM, null],
  ];
  for (const [machine, given, file, namedBy] of rows) {
    assert.deepEqual(await locateConfig(host(machine), given), { file, namedBy });
  }
});

Deno.test("locateTarget() never restores over the example unless it is named", async () => {
  const rows: [machine: Machine, given: string | undefined, file: string, isMissing: boolean][] = [
    [{ files: [EXAMPLE] }, undefined, OWN, true],
    [{ files: [EXAMPLE] }, "config.example.toml", EXAMPLE, false],
    [{ files: [SYSTEM] }, undefined, SYSTEM, false],
    [{ files: [], variable: "/b.toml" }, undefined, "/b.toml", true],
    [{ files: [OWN] }, "a.toml", "/work/a.toml", true],
  ];
  for (const [machine, given, file, isMissing] of rows) {
    assert.deepEqual(await locateTarget(host(machine), given), { file, isMissing });
  }
});
