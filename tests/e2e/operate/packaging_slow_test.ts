// The programs that read the packaging files accept them.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDebian } from "../../../tools/build/debian.ts";
import { makeSelfSigned } from "../../support/peers/certificates.ts";
import { withFolder } from "../../support/process.ts";
import { needs, program, ROOT } from "../../support/needs.ts";

const PACKAGING = fileURLToPath(new URL("../../../packaging/", import.meta.url));

async function ask(program: string, args: string[]): Promise<{ ok: boolean; said: string }> {
  const { success, stdout, stderr } = await new Deno.Command(program, { args, stdin: "null" }).output();
  return { ok: success, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}

Deno.test(
  needs("Prometheus accepts the alerts, and they use only exported metrics", program("promtool")),
  async () => {
    const file = join(PACKAGING, "alerts.yml");
    const checked = await ask("promtool", ["check", "rules", file]);
    assert.ok(checked.ok, checked.said);
    const text = await Deno.readTextFile(file);
    const rules = text.match(/- alert:/g)?.length ?? 0;
    assert.match(checked.said, new RegExp(`SUCCESS: ${rules} rules found`));
    const asked = new Set(text.match(/regfeed_[a-z_]+/g));
    const measured = await Deno.readTextFile(
      new URL("../../../src/api/metrics/store_metrics.ts", import.meta.url),
    );
    assert.ok(asked.size >= 4 && rules >= 4);
    for (const name of asked) assert.ok(measured.includes(`"${name}"`), name);
  },
);

Deno.test(needs("systemd accepts the unit and calls it safe", program("systemd-analyze")), async () => {
  await withFolder(async (folder) => {
    // The program that the unit starts must exist.
    const unit = (await Deno.readTextFile(join(PACKAGING, "regfeed.service"))).replaceAll(
      "/usr/bin/regfeed",
      Deno.execPath(),
    );
    const file = join(folder, "regfeed.service");
    await Deno.writeTextFile(file, unit);
    // systemd-analyze also reports problems with the machine's own units.
    const { said } = await ask("systemd-analyze", ["verify", file]);
    assert.deepEqual(said.split("\n").filter((line) => line.includes("regfeed")), []);
    const rated = await ask("systemd-analyze", ["security", "--offline=true", file]);
    const exposure = Number(/Overall exposure level for regfeed\.service: ([\d.]+)/.exec(rated.said)?.[1]);
    assert.ok(exposure <= 2, rated.said);
  });
});

Deno.test(needs("Caddy accepts the Caddyfile without a warning", program("caddy")), async () => {
  const file = join(PACKAGING, "Caddyfile");
  const adapted = await ask("caddy", ["adapt", "--config", file, "--adapter", "caddyfile"]);
  assert.ok(adapted.ok, adapted.said);
  assert.doesNotMatch(adapted.said, /"level":"(warn|error)"/);
});

Deno.test(needs("nginx accepts the site's file", program("nginx")), async () => {
  await withFolder(async (folder) => {
    const { cert, key } = await makeSelfSigned(folder, "feed", "feed.example.org");
    await Deno.rename(cert, join(folder, "fullchain.pem"));
    await Deno.rename(key, join(folder, "key.pem"));
    const site = await Deno.readTextFile(join(PACKAGING, "nginx.conf"));
    await Deno.writeTextFile(join(folder, "site.conf"), site.replaceAll("/etc/ssl/feed.example.org", folder));
    await Deno.writeTextFile(
      join(folder, "nginx.conf"),
      `pid ${folder}/pid; error_log stderr; events {} http { access_log off; include ${folder}/site.conf; }`,
    );
    const tested = await ask("nginx", ["-t", "-c", join(folder, "nginx.conf"), "-e", "stderr"]);
    assert.ok(tested.ok, tested.said);
  });
});

Deno.test({
  ...needs(
    "the Dockerfile builds an image with an unprivileged user, a data folder and a health check",
    ROOT,
    program("buildah"),
  ), // without a daemon and on an empty base, so that nothing is downloaded
}, () =>
  withFolder(async (folder) => {
    const buildah = async (...args: string[]) => {
      const where = [
        "--storage-driver",
        "vfs",
        "--root",
        join(folder, "store"),
        "--runroot",
        join(folder, "run"),
      ];
      const done = await ask("buildah", [...where, ...args]);
      assert.ok(done.ok, done.said);
      return done.said.trim();
    };
    await Deno.writeTextFile(join(folder, "base"), "FROM scratch\n");
    await Deno.mkdir(join(folder, "dist"));
    await Deno.writeTextFile(join(folder, "dist", "regfeed"), "the executable");
    const build = ["bud", "-q", "--isolation", "chroot", "--pull-never", "--format", "docker"];
    await buildah(...build, "-t", "base", "-f", join(folder, "base"), folder);
    const file = join(PACKAGING, "Dockerfile");
    await buildah(...build, "--build-arg", "BASE=localhost/base", "-t", "regfeed", "-f", file, folder);
    const { Docker: { config } } = JSON.parse(await buildah("inspect", "--type", "image", "regfeed"));
    assert.equal(config.User, "65532:65532");
    assert.deepEqual(config.Entrypoint, ["/usr/bin/regfeed"]);
    assert.deepEqual(config.Cmd, ["serve", "--config", "/etc/regfeed/regfeed.toml"]);
    assert.deepEqual(config.Healthcheck.Test.slice(0, 3), ["CMD", "/usr/bin/regfeed", "healthcheck"]);
    const machine = await buildah("mount", await buildah("from", "--pull-never", "localhost/regfeed"));
    const rights = async (path: string) => {
      const { uid, mode } = await Deno.stat(join(machine, path));
      return [uid, ((mode ?? 0) & 0o777).toString(8)];
    };
    assert.deepEqual(await rights("data"), [65_532, "755"]);
    assert.deepEqual(await rights("usr/bin/regfeed"), [0, "755"]);
    await buildah("umount", "--all");
  }));

Deno.test(
  needs(
    "the Debian package contains the executable, its unit, the guides, and a config that upgrades keep",
    program("dpkg-deb"),
  ),
  async () => {
    await withFolder(async (folder) => {
      const executable = join(folder, "regfeed");
      await Deno.writeTextFile(executable, "#!/bin/sh\n");
      const output = join(folder, "regfeed.deb");
      const built = await buildDebian({ executable, output, version: "1.2.3", architecture: "amd64" });
      assert.ok(built.ok, built.said);
      const listed = (await ask("dpkg-deb", ["--contents", output])).said;
      assert.match(listed, /^-rwxr-xr-x root\/root .* \.\/usr\/bin\/regfeed$/m);
      assert.match(listed, /^-rw-r--r-- root\/root .* \.\/usr\/lib\/systemd\/system\/regfeed\.service$/m);
      assert.match(listed, /^-rw-r----- root\/root .* \.\/etc\/regfeed\/regfeed\.toml$/m);
      assert.match(listed, / \.\/usr\/share\/doc\/regfeed\/docs\/run\/operations\.md$/m);
      const again = join(folder, "again.deb");
      await new Promise((resolve) => setTimeout(resolve, 1_100)); // so that the next build has different file times
      await buildDebian({ executable, output: again, version: "1.2.3", architecture: "amd64" });
      assert.deepEqual(await Deno.readFile(again), await Deno.readFile(output));
      const about = (await ask("dpkg-deb", ["--info", output])).said;
      assert.match(about, /Version: 1\.2\.3/);
      assert.match(about, /conffiles/);
    });
  },
);
