// The manual page describes every command and is valid for Debian's tools.
import assert from "node:assert/strict";
import { join } from "node:path";
import { optionsOf } from "../../../src/cli/command.ts";
import { loadEveryCommand } from "../../../src/cli/commands.ts";
import { buildDebian } from "../../../tools/build/debian.ts";
import { manualPage } from "../../../tools/build/manual.ts";
import { withFolder } from "../../support/process.ts";
import { needs, program } from "../../support/needs.ts";

const ABOUT = { version: "1.2.3", timeMs: Date.UTC(2026, 10, 22) };

/** Returns the page as a terminal shows it, without line breaks. Fails if groff prints a warning. */
async function rendered(page: string): Promise<string> {
  const child = new Deno.Command("groff", {
    args: ["-man", "-Tutf8", "-ww", "-rHY=0", "-rLL=2000n", "-P-c", "-P-b", "-P-o", "-P-u", "-"],
    env: { LC_ALL: "C.UTF-8" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(page));
  await writer.close();
  const { stdout, stderr, success } = await child.output();
  assert.deepEqual([success, new TextDecoder().decode(stderr)], [true, ""]);
  return new TextDecoder().decode(stdout).replaceAll(/[ \n]+/g, " ");
}

Deno.test(
  needs("the manual page contains every command with usage, options and example", program("groff")),
  async () => {
    const commands = await loadEveryCommand();
    const text = await rendered(manualPage(commands, ABOUT));
    for (const command of commands) {
      const options = Object.values(optionsOf(command)).map(({ help }) => help);
      for (
        const said of [
          `regfeed ${command.name} ${command.usage}`.trim(),
          command.summary,
          command.example,
          ...options,
        ]
      ) {
        assert.ok(text.includes(said), said);
      }
    }
    assert.match(text, /EXIT STATUS 0 success 1 failure 2 usage error/);
  },
);

Deno.test(
  needs("lintian finds nothing wrong with the Debian package", program("lintian", "dpkg-deb")),
  () =>
    withFolder(async (folder) => {
      const executable = join(folder, "regfeed");
      await Deno.writeTextFile(executable, "#!/bin/sh\nexit 0\n");
      const output = join(folder, "regfeed_1.2.3_amd64.deb");
      const built = await buildDebian({ executable, output, version: "1.2.3", architecture: "amd64" });
      assert.ok(built.ok, built.said);
      const { stdout } = await new Deno.Command("lintian", {
        args: [...(Deno.uid() === 0 ? ["--allow-root"] : []), output],
        stderr: "null",
      }).output();
      assert.equal(new TextDecoder().decode(stdout), "");
      await assertInstalled(output, folder);
    }),
);

/** Checks what the package installs beside the program: documents, examples, completions and the manual page. */
async function assertInstalled(debian: string, folder: string): Promise<void> {
  const root = join(folder, "root");
  await new Deno.Command("dpkg-deb", { args: ["-x", debian, root] }).output();
  const shared = join(root, "usr", "share");
  for (
    const path of [
      "doc/regfeed/README.md",
      "doc/regfeed/docs/run/install.md",
      // The documents link to this folder.
      "doc/regfeed/packaging/regfeed.service",
      ...["Caddyfile", "nginx.conf", "alerts.yml", "config.example.toml"].map((name) =>
        `doc/regfeed/examples/${name}`
      ),
      "bash-completion/completions/regfeed",
      "zsh/vendor-completions/_regfeed",
      "fish/vendor_completions.d/regfeed.fish",
      "man/man1/regfeed.1.gz",
    ]
  ) {
    assert.ok((await Deno.stat(join(shared, path))).size > 0, path);
  }
}
