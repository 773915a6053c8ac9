// Builds the Debian package: the executable, systemd unit, config, documents, examples, completions, and maintainer
// scripts.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { completionsFor, type Shell } from "../../src/cli/completions/completions.ts";
import { loadEveryCommand, SUBJECTS } from "../../src/cli/commands.ts";
import { buildFacts, commitTime } from "./executable.ts";
import { collectLicences } from "./licences.ts";
import { manualPage } from "./manual.ts";
import { run } from "./run.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ARCHITECTURES: Readonly<Record<string, string>> = {
  "x86_64-unknown-linux-gnu": "amd64",
  "aarch64-unknown-linux-gnu": "arm64",
};

/** Returns Debian's architecture name for a target, or null if there is no package for it. */
export function debianArchitecture(target: string): string | null {
  return ARCHITECTURES[target] ?? null;
}

/** Returns the package's config: the example config with Debian's paths. */
export function debianConfig(example: string): string {
  return example.replaceAll(/"data\//g, '"/var/lib/regfeed/');
}

/** Where each shell loads completions from. */
const COMPLETIONS: Readonly<Record<Shell, string>> = {
  bash: "usr/share/bash-completion/completions/regfeed",
  zsh: "usr/share/zsh/vendor-completions/_regfeed",
  fish: "usr/share/fish/vendor_completions.d/regfeed.fish",
};

const EXAMPLES = "usr/share/doc/regfeed/examples";

interface DebianPackage {
  executable: string;
  output: string;
  version: string;
  architecture: string;
}

export async function buildDebian(
  { executable, output, version, architecture }: DebianPackage,
): Promise<{ ok: boolean; said: string }> {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-deb-" });
  const time = await commitTime();
  try {
    await Deno.chmod(folder, 0o755);
    const sums: string[] = [];
    const put = async (path: string, content: string | Uint8Array, mode: number) => {
      await Deno.mkdir(join(folder, path, ".."), { recursive: true, mode: 0o755 });
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(join(folder, path), bytes);
      await Deno.chmod(join(folder, path), mode);
      sums.push(`${createHash("md5").update(bytes).digest("hex")}  ${path}\n`);
    };
    const read = (path: string) => Deno.readTextFile(join(ROOT, path));
    const control = await read("packaging/debian/control");
    const program = await Deno.readFile(executable);
    await put("usr/bin/regfeed", program, 0o755);
    await put("usr/lib/systemd/system/regfeed.service", await read("packaging/regfeed.service"), 0o644);
    await put("usr/share/doc/regfeed/copyright", await collectLicences(), 0o644);
    const changes = changelog({ version, control, time, commit: (await buildFacts()).commit });
    await put("usr/share/doc/regfeed/changelog.gz", gzipSync(changes, { level: 9 }), 0o644);
    for (const path of await documents()) {
      await put(`usr/share/doc/regfeed/${path}`, await read(path), 0o644);
    }
    for (const path of await filesIn("packaging")) {
      await put(`${EXAMPLES}/${path}`, await read(`packaging/${path}`), 0o644);
    }
    await put(`${EXAMPLES}/config.example.toml`, await read("config.example.toml"), 0o644);
    // The documents link to ../../packaging.
    await Deno.symlink("examples", join(folder, "usr/share/doc/regfeed/packaging"));
    const commands = await loadEveryCommand();
    for (const [shell, path] of Object.entries(COMPLETIONS)) {
      await put(path, completionsFor(shell as Shell, commands, SUBJECTS), 0o644);
    }
    const page = manualPage(commands, {
      version,
      timeMs: time === null ? Date.now() : time * 1_000,
    });
    await put("usr/share/man/man1/regfeed.1.gz", gzipSync(page, { level: 9 }), 0o644);
    const overrides = await read("packaging/debian/lintian-overrides");
    await put("usr/share/lintian/overrides/regfeed", overrides, 0o644);
    // The sums omit the config, which the operator changes, and dpkg's own control files.
    await put("DEBIAN/md5sums", sums.join(""), 0o644);
    await put("etc/regfeed/regfeed.toml", debianConfig(await read("config.example.toml")), 0o640);
    await put("DEBIAN/conffiles", "/etc/regfeed/regfeed.toml\n", 0o644);
    const filled = control.replace("VERSION", version).replace("ARCHITECTURE", architecture)
      .replace("SIZE", String(Math.ceil(program.length / 1024)));
    await put("DEBIAN/control", filled, 0o644);
    for (const script of ["postinst", "prerm", "postrm"]) {
      await put(`DEBIAN/${script}`, await read(`packaging/debian/${script}`), 0o755);
    }
    // Without SOURCE_DATE_EPOCH, the package would contain the build time.
    return await run(
      "dpkg-deb",
      ["--build", "--root-owner-group", "-Zxz", folder, output],
      time === null ? {} : { SOURCE_DATE_EPOCH: String(time) },
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function documents(): Promise<string[]> {
  const found = ["README.md", "SECURITY.md"];
  for (const folder of ["docs", "docs/use", "docs/run", "docs/develop"]) {
    found.push(...(await filesIn(folder)).map((name) => `${folder}/${name}`));
  }
  return found.sort();
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(join(ROOT, folder)));
  return entries.filter(({ isFile }) => isFile).map(({ name }) => name).sort();
}

/** Returns Debian's changelog, with an entry for this version. */
function changelog(
  { version, control, time, commit }: {
    version: string;
    control: string;
    time: number | null;
    commit: string | null;
  },
): string {
  const maintainer = /^Maintainer: (.*)$/m.exec(control)?.[1];
  const date = new Date(time === null ? Date.now() : time * 1_000).toUTCString().replace("GMT", "+0000");
  const from = commit === null ? "" : `  * Built from commit ${commit}.\n`;
  return `regfeed (${version}) stable; urgency=medium\n\n  * Regfeed ${version}.\n${from}\n -- ${maintainer}  ${date}\n`;
}
