// The rehearsal in docs/run/payments.md, run as documented except for the port.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { withFolder } from "../../support/process.ts";
import { freePort } from "../../support/loopback.ts";
import { needs, program } from "../../support/needs.ts";

const DOCS = new URL("../../../docs/run/payments.md", import.meta.url);
const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));
const PERMISSIONS =
  "--no-prompt --allow-net --allow-env --allow-read --allow-write --allow-sys=hostname,statfs,uid";
const PATIENCE_MS = 120_000;

function commandsUnder(heading: string, text: string): string {
  const section = text.split(`\n## ${heading}\n`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block).join("\n");
}

Deno.test(
  needs("the documented rehearsal runs from checkout to end", program("openssl", "curl")),
  () =>
    withFolder(async (folder) => {
      const port = freePort();
      const script = commandsUnder("Rehearsing a payment", await Deno.readTextFile(DOCS));
      assert.ok(script.includes("openssl dgst") && script.includes("8099"));
      await Deno.mkdir(join(folder, "bin"));
      const regfeed = `#!/bin/sh\nexec "${Deno.execPath()}" run ${PERMISSIONS} "${MAIN}" "$@"\n`;
      await Deno.writeTextFile(join(folder, "bin", "regfeed"), regfeed, { mode: 0o755 });
      await Deno.mkdir(join(folder, "rehearsal"));
      // Ends the server even if a step fails.
      const guarded = `trap 'kill $SERVER 2>/dev/null' EXIT\n${script.replaceAll("8099", String(port))}`;
      const { stdout, stderr } = await new Deno.Command("sh", {
        args: ["-eu", "-c", guarded],
        cwd: join(folder, "rehearsal"),
        env: { PATH: `${join(folder, "bin")}:${Deno.env.get("PATH")}`, NO_COLOR: "1" },
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
        signal: AbortSignal.timeout(PATIENCE_MS),
      }).output();
      const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
      const [said, complaints] = [decode(stdout), decode(stderr)];
      const outcomes = [...said.matchAll(/"outcome":"(\w+)"/g)].map(([, outcome]) => outcome);
      assert.deepEqual(outcomes, ["applied", "applied", "applied", "applied"], said + complaints);
      assert.match(said, /"tier":"team"/);
      assert.match(said, /"status":403,.*your access has ended because a payment is missing/);
      for (const kind of ["welcome", "payment-failed", "access-ended"]) {
        assert.match(said, new RegExp(`^mail_\\w+ +${kind} +[-0-9]+ [:0-9]+ +cus_\\w+ +in the outbox `, "m"));
      }
      assert.match(said, /^ +state +unpaid: its keys are refused until the next payment$/m);
    }),
);
