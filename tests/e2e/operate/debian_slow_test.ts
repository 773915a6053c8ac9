// The machine's own dpkg installs, upgrades, removes and purges the Debian package on a temporary copy of the machine.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildDebian } from "../../../tools/build/debian.ts";
import { withFolder } from "../../support/process.ts";
import { condition, needs } from "../../support/needs.ts";

const MAIN = fileURLToPath(new URL("../../../main.ts", import.meta.url));

/** A script that runs on a copy of the whole file system, with changes kept in memory until it ends. */
const ON_A_COPY = `set -e
mount -t tmpfs tmpfs /mnt
mkdir /mnt/changes /mnt/work /mnt/machine
mount -t overlay -o lowerdir=/,upperdir=/mnt/changes,workdir=/mnt/work overlay /mnt/machine
mount --bind /proc /mnt/machine/proc
mount --bind /dev /mnt/machine/dev
mount --rbind /tmp /mnt/machine/tmp
exec chroot /mnt/machine sh -c "$1"`;

async function onACopy(script: string): Promise<{ ok: boolean; said: string }> {
  try {
    const { success, stdout, stderr } = await new Deno.Command("unshare", {
      args: ["--mount", "sh", "-c", ON_A_COPY, "sh", script],
      stdin: "null",
      env: { LC_ALL: "C", DEBIAN_FRONTEND: "noninteractive" },
    }).output();
    return { ok: success, said: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { ok: false, said: "unshare is not installed" };
    throw error;
  }
}

const mayCopy = Deno.uid() === 0 && (await onACopy("dpkg --version && command -v adduser")).ok;

/** Prints the state of the package, one fact per line. */
const LOOK = `look() {
  echo "== $1"
  dpkg-query --showformat '\${db:Status-Status} \${Version}\\n' --show regfeed 2>/dev/null || echo gone
  for path in /usr/bin/regfeed /usr/lib/systemd/system/regfeed.service /etc/regfeed /etc/regfeed/regfeed.toml /var/lib/regfeed \\
    /var/lib/regfeed/regfeed.db; do
    if [ -e "$path" ]; then stat --format '%A %U:%G %n' "$path"; fi
  done
  getent passwd regfeed | cut -d: -f6,7 || true
  if [ -L /etc/systemd/system/multi-user.target.wants/regfeed.service ]; then echo "starts with the machine"; fi
}`;

const HERE = [
  "-rwxr-xr-x root:root /usr/bin/regfeed",
  "-rw-r--r-- root:root /usr/lib/systemd/system/regfeed.service",
];
const CONFIG = ["drwxr-x--- root:regfeed /etc/regfeed", "-rw-r----- root:regfeed /etc/regfeed/regfeed.toml"];
const DATA = [
  "drwx------ regfeed:regfeed /var/lib/regfeed",
  "-rw------- regfeed:regfeed /var/lib/regfeed/regfeed.db",
];
const USER = "/var/lib/regfeed:/usr/sbin/nologin";
const ENABLED = "starts with the machine";

Deno.test({
  ...needs(
    "the Debian package installs, runs, upgrades, is removed, reinstalled and purged, and keeps the data",
    condition(mayCopy, "needs root, dpkg, adduser and overlay mounts"),
  ),
}, () =>
  withFolder(async (folder) => {
    const executable = join(folder, "regfeed");
    await Deno.writeTextFile(executable, `#!/bin/sh\nexec "${Deno.execPath()}" run -A "${MAIN}" "$@"\n`);
    const built = async (version: string) => {
      const output = join(folder, `regfeed_${version}.deb`);
      const { ok, said } = await buildDebian({
        executable,
        output,
        version,
        architecture: await architecture(),
      });
      assert.ok(ok, said);
      return output;
    };
    const [older, newer] = [await built("0.0.9"), await built("0.0.10")];
    const { ok, said } = await onACopy(`set -e
      ${LOOK}
      dpkg --install ${older} && look installed
      cd / && md5sum --check --quiet /var/lib/dpkg/info/regfeed.md5sums && echo "the sums are right"
      regfeed check --config /etc/regfeed/regfeed.toml >/dev/null && echo "the config is good"
      echo "# mine" >>/etc/regfeed/regfeed.toml
      install -o regfeed -g regfeed -m 0600 /dev/null /var/lib/regfeed/regfeed.db
      dpkg --install ${newer} && look upgraded
      tail -n 1 /etc/regfeed/regfeed.toml
      systemctl --quiet disable regfeed && dpkg --install ${newer} && look disabled
      systemctl --quiet enable regfeed
      dpkg --remove regfeed && look removed
      dpkg --install ${newer} && look again
      tail -n 1 /etc/regfeed/regfeed.toml
      dpkg --purge regfeed && look purged
      rm -r /var/lib/regfeed
      dpkg --install ${newer} && dpkg --purge regfeed && look "purged without data"
      echo done`);
    assert.ok(ok, said);
    const seen = said.split("== ").slice(1).map((part) => part.trim().split("\n"));
    const shown = seen.map(([name, ...lines]) => [
      name,
      ...lines.filter((line) =>
        /^([d-][rwx-]{9} |installed|config-files|gone|the (config|sums)|starts|# mine|\/var)/.test(line)
      ),
    ]);
    const empty = DATA.slice(0, 1);
    assert.deepEqual(shown, [
      [
        ...["installed", "installed 0.0.9", ...HERE, ...CONFIG, ...empty, USER, ENABLED],
        ...["the sums are right", "the config is good"],
      ],
      ["upgraded", "installed 0.0.10", ...HERE, ...CONFIG, ...DATA, USER, ENABLED, "# mine"],
      ["disabled", "installed 0.0.10", ...HERE, ...CONFIG, ...DATA, USER],
      ["removed", "config-files 0.0.10", ...CONFIG, ...DATA, USER, ENABLED],
      ["again", "installed 0.0.10", ...HERE, ...CONFIG, ...DATA, USER, ENABLED, "# mine"],
      ["purged", "gone", ...DATA, USER],
      ["purged without data", "gone"],
    ], said);
    assert.doesNotMatch(said, /dpkg: (warning|error)/);
  }));

async function architecture(): Promise<string> {
  const { stdout } = await new Deno.Command("dpkg", { args: ["--print-architecture"] }).output();
  return new TextDecoder().decode(stdout).trim();
}
