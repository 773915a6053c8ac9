// Redocly's linter finds no problem in the API description.
import assert from "node:assert/strict";
import { condition, needs } from "../support/needs.ts";
import { description } from "../support/openapi.ts";
import { withFolder } from "../support/process.ts";

const REDOCLY = "npm:@redocly/cli@2.77.0";

/** Runs @redocly/cli in a separate folder, without network access. The package is fetched unless it is cached. */
async function redocly(folder: string, args: readonly string[]): Promise<{ code: number; text: string }> {
  const permissions = "--no-prompt --allow-read --allow-env --allow-sys --deny-net --deny-run".split(" ");
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", ...permissions, `--allow-write=${folder}`, REDOCLY, ...args],
    cwd: folder,
    stdin: "null",
    env: { NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  }).output();
  const decoder = new TextDecoder();
  return { code, text: decoder.decode(stdout) + decoder.decode(stderr) };
}

const CAN_LINT = await redocly(".", ["--version"]).then(({ code }) => code === 0);

Deno.test(
  needs(
    "the description passes @redocly/cli lint with its recommended rules, without a warning",
    condition(CAN_LINT, `${REDOCLY} cannot be installed`),
  ),
  () =>
    withFolder(async (folder) => {
      const { servers, ...rest } = await description();
      // The default URL is on loopback, which the rules consider a mistake.
      const address = servers.map((server) => ({ ...server, url: "https://feed.example.org" }));
      await Deno.writeTextFile(`${folder}/openapi.json`, JSON.stringify({ ...rest, servers: address }));
      const { code, text } = await redocly(folder, ["lint", "openapi.json", "--format=json"]);
      const totals = /"totals": (\{[^}]*\})/.exec(text)?.[1] ?? "{}";
      assert.deepEqual(JSON.parse(totals), { errors: 0, warnings: 0, ignored: 0 }, text);
      assert.equal(code, 0, text);
    }),
);
