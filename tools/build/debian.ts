// The Debian package: the executable, its unit, its config, and what is done when it comes and goes.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { commitTime } from "./executable.ts";
import { run } from "./run.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** Debian's names of the machines that executables are made for. */
const ARCHITECTURES: Readonly<Record<string, string>> = {
  "x86_64-unknown-linux-gnu": "amd64",
  "aarch64-unknown-linux-gnu": "arm64",
};

/** Debian's name of a target; null for one that Debian does not run on. */
export function debianArchitecture(target: string): string | null {
  return ARCHITECTURES[target] ?? null;
}

/** The config of the package: the example's, with its files where Debian has them. */
export function debianConfig(example: string): string {
  return example.replaceAll(/"data\//g, '"/var/lib/regfeed/');
}

/** Builds the package at `output`. */
export async function buildDebian(
  { executable, output, version, architecture }: {
    executable: string;
    output: string;
    version: string;
    architecture: string;
  },
): Promise<{ ok: boolean; said: string }> {
  const folder = await Deno.makeTempDir({ prefix: "regfeed-deb-" });
  try {
    await Deno.chmod(folder, 0o755);
    const put = async (path: string, text: string, mode: number) => {
      await Deno.mkdir(join(folder, path, ".."), { recursive: true, mode: 0o755 });
      await Deno.writeTextFile(join(folder, path), text);
      await Deno.chmod(join(folder, path), mode);
    };
    const read = (path: string) => Deno.readTextFile(join(ROOT, path));
    await put("lib/systemd/system/regfeed.service", await read("packaging/regfeed.service"), 0o644);
    await put("etc/regfeed/regfeed.toml", debianConfig(await read("config.example.toml")), 0o640);
    await put("usr/share/doc/regfeed/copyright", await read("LICENSE"), 0o644);
    await put("usr/bin/regfeed", "", 0o755);
    await Deno.copyFile(executable, join(folder, "usr/bin/regfeed"));
    await Deno.chmod(join(folder, "usr/bin/regfeed"), 0o755);
    const { size } = await Deno.stat(executable);
    const control = (await read("packaging/debian/control"))
      .replace("VERSION", version).replace("ARCHITECTURE", architecture).replace(
        "SIZE",
        String(Math.ceil(size / 1024)),
      );
    await put("DEBIAN/control", control, 0o644);
    await put("DEBIAN/conffiles", "/etc/regfeed/regfeed.toml\n", 0o644);
    for (const script of ["postinst", "prerm", "postrm"]) {
      await put(`DEBIAN/${script}`, await read(`packaging/debian/${script}`), 0o755);
    }
    // Without it the package would hold the time at which it was made.
    const time = await commitTime();
    return await run(
      "dpkg-deb",
      ["--build", "--root-owner-group", "-Zxz", folder, output],
      time === null ? {} : { SOURCE_DATE_EPOCH: String(time) },
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
